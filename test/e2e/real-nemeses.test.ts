/** Faults of real clusters on the built command line: what landed and how it shows, and that what did not is no pass. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { findProgram } from '../../src/real/doctor/programs.ts'
import { fakeTimeLibrary } from '../../src/real/nemeses/clock/faketime.ts'
import type { RealResult } from '../../src/real/running/result.ts'
import { buildOnce } from './build.ts'
import { throwAwayProjects } from './project.ts'
import { runUntil } from './real-runs.ts'

vi.setConfig({ testTimeout: 600_000 })

/** Answers what its clock shows. It writes one file, and reads and writes nothing later. */
const SERVER = `
import { createServer } from 'node:http'
import { writeFileSync } from 'node:fs'
writeFileSync('unread.log', 'nothing reads this')
createServer((_, response) => response.end(String(Date.now()))).listen(8080, process.argv[2])
`

const WORKLOAD = `
  workload: {
    clients: 2,
    run: ({ operation, hosts }) =>
      operation('get', async () => Number(await (await fetch(\`http://\${hosts.node[0]}:8080\`)).text())),
  },
  invariants: {
    'answers are numbers': ({ events }) => {
      for (const { data } of events.fresh('operation'))
        if (data.type === 'ok' && !Number.isFinite(data.value)) return 'no number'
      return true
    },
  },
`

const IDLE = `
import { simulation } from 'wavetank'
export default simulation('idle', {
  processes: { node: { entry: './server.mjs' } },
  budget: { lyingDisks: 1 },
  membership: { leave: () => { throw new Error('it may not go') }, join: () => {} },
  ${WORKLOAD}
})
`

/** A system of one shell command; \`$0\` is Node, \`$1\` the server, \`$2\` the address. */
function system(name: string, command: string): string {
  return `
import { simulation } from 'wavetank'
const ask = async (listen) => Number(await (await fetch('http://' + listen + ':8080')).text())
const system = {
  name: '${name}',
  needs: {},
  ports: [8080],
  start: ({ listen }) => ({
    command: 'sh',
    args: ['-c', '${command}', process.execPath, process.cwd() + '/server.mjs', listen],
  }),
  ready: async ({ listen }) => Number.isFinite(await ask(listen)),
  clock: ({ listen }) => ask(listen),
}
export default simulation('${name}', { processes: { node: { system } }, ${WORKLOAD} })
`
}

const FULL = process.env.WAVETANK_FULL === '1'
const IS_LINUX = process.platform === 'linux'
const HAS_STRACE = findProgram('strace', process.env.PATH ?? '') !== null
const HAS_FAKETIME = fakeTimeLibrary() !== null
if (!IS_LINUX) console.warn('SKIPPED: real clusters need Linux: /proc, and all of 127.0.0.0/8')
if (!HAS_STRACE) console.warn('SKIPPED: disk faults need strace; `wavetank doctor` says how')
if (!FULL) console.warn('SKIPPED without WAVETANK_FULL=1: --then-simulate')
if (!HAS_FAKETIME) console.warn('SKIPPED: clock faults need faketime; `wavetank doctor` says how')

// The runs mostly wait: they wait together.
describe.skipIf(!IS_LINUX).concurrent('faults of real clusters', () => {
  const projects = throwAwayProjects()
  beforeAll(buildOnce, 300_000)

  const FILES = {
    'server.mjs': SERVER,
    'idle.sim.js': IDLE,
    'stripped.real.js': system('stripped', 'unset LD_PRELOAD; exec "$0" "$1" "$2"'),
    'daemon.real.js': system('daemon', 'setsid "$0" "$1" "$2" & wait'),
  }

  interface Tested {
    readonly code: number | null
    readonly result: RealResult
  }

  function test(
    target: string,
    nemesis: string,
    shows: (outcome: Tested) => boolean,
    ...more: string[]
  ): Promise<Tested> {
    const here = projects(FILES)
    const args = ['real', 'test', target, '--nemesis', nemesis, '--seed', '1', ...more, '--json']
    return runUntil(
      3,
      async (time) => {
        const { code, stdout, stderr } = await here.wavetank(...args, ...time)
        if (stdout === '') throw new Error(stderr)
        const result = JSON.parse(stdout) as RealResult
        expect(result.failures).toEqual([])
        return { code, result }
      },
      shows,
    )
  }

  const KV = new URL('../../examples/kv/kv.sim.ts', import.meta.url).pathname

  it.skipIf(!FULL)('that break a program break it in the tank as well: --then-simulate', async () => {
    const here = projects({
      'counter.mjs': `
import { createServer } from 'node:http'
let count = 0
createServer((request, response) => {
  if (request.method === 'POST') count++
  response.end(String(count))
}).listen(80)
`,
      'counter.sim.js': `
import { simulation } from 'wavetank'
const add = (operation) =>
  operation('add', async () => Number(await (await fetch('http://counter', { method: 'POST' })).text()))
export default simulation('counter', {
  processes: { counter: { entry: './counter.mjs' } },
  workload: {
    clients: 1,
    run: ({ operation }) => add(operation),
    final: ({ operation }) => add(operation), // a kill shows even if the last restart came late
  },
  invariants: {
    'the count never falls': ({ events }) => {
      let most = 0
      for (const { data } of events.all('operation')) {
        if (data.type !== 'ok') continue
        if (data.value < most) return \`\${data.value} after \${most}\`
        most = data.value
      }
      return true
    },
  },
})
`,
    })
    const args = ['--nemesis', 'kill', '--rate', '20', '--seed', '1', '--then-simulate']
    const { code, stdout, stderr } = await runUntil(
      2,
      (time) => here.wavetank('real', 'test', 'counter', ...args, ...time),
      (outcome) => outcome.code === 1,
    )
    expect(stderr).toContain('the tank fails, too')
    expect(stdout).toContain('JEPSEN REPORT')
    expect(stdout).toMatch(/npx wavetank replay \S+/)
    expect(code).toBe(1)
    const file = join(here.folder, 'counter.from-real.sim.mjs')
    expect(existsSync(file)).toBe(true)
    expect(readFileSync(file, 'utf8')).toContain('"fault": "reboot"')
  })

  it.skipIf(!HAS_FAKETIME)('show a Node program a wrong clock, which it reports itself', async () => {
    const { code, result } = await test(KV, 'clock-skew', (outcome) => outcome.code !== 2)
    expect(result.doubts).toEqual([])
    expect(code).toBe(0)
    expect(result.faults.length).toBeGreaterThan(0)
    for (const { victim } of result.faults) expect(victim).toMatch(/: kv 0\.\d+ s (ahead|behind)/)
  })

  it.skipIf(!HAS_STRACE)('give a program the errors of a full disk, which end with the fault', async () => {
    const landed = ({ result }: Tested): boolean => result.faults.some((fault) => fault.landed)
    const { result } = await test(KV, 'disk-full', landed, '--rate', '100')
    expect(result.faults.map((fault) => fault.landed)).toContain(true)
    for (const { victim } of result.faults.filter((fault) => fault.landed))
      expect(victim).toMatch(/\d+ × write ENOSPC/)
  })

  it.for([
    ['a pause of a daemon that has left its session', 'daemon', 'pause', /did not land/, true],
    ['a kill of a daemon that has left its session', 'daemon', 'kill', /did not land/, true],
    ['a partition of a node that has no peers to talk to', 'idle', 'partition:one', /nothing to hit/, true],
    ['a clock that the program does not load', 'stripped', 'clock-skew', /did not land/, HAS_FAKETIME],
    ['a full disk of a program that writes nothing', 'idle', 'disk-full', /did not land/, HAS_STRACE],
    ['damage to a file that is not read again', 'idle', 'bit-flip:unread.log', /did not land/, true],
    ['a member that the cluster does not let go', 'idle', 'membership', /did not land/, true],
  ] as const)('are no pass with %s', async ([, target, nemesis, doubt, isHere], { skip }) => {
    skip(!isHere, 'its tool is not here')
    const { code, result } = await test(target, nemesis, (outcome) =>
      doubt.test(outcome.result.doubts.join()),
    )
    expect([code, result.verdict]).toEqual([2, 'unknown'])
    expect(result.doubts.join()).toMatch(doubt)
  })

  it('are refused before the run where they cannot work, with the reason', async () => {
    const here = projects({
      ...FILES,
      'honest.sim.js': IDLE.replace('budget: { lyingDisks: 1 },', '').replace(/membership: .*/, ''),
    })
    const say = async (nemesis: string): Promise<string> => {
      const { code, stderr } = await here.wavetank('real', 'test', 'honest', '--nemesis', nemesis)
      expect(code).toBe(254)
      return stderr
    }
    expect(await say('truncate')).toContain('damaged files need `budget: { lyingDisks: 1 }`')
    expect(await say('membership')).toContain('membership needs `membership: { leave, join }`')
  })
})
