/** Faults of real clusters on the built command line: what landed and how it shows, and that what did not is no pass. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { findProgram } from '../../src/real/doctor/programs.ts'
import { fakeTimeLibrary } from '../../src/real/nemeses/clock/faketime.ts'
import { freezerRefusal, groupRoot } from '../../src/real/nemeses/freezer.ts'
import { NEMESES } from '../../src/real/nemeses/index.ts'
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

/** Tells its peers about itself all the time. */
const DATAGRAMS = `
import { createSocket } from 'node:dgram'
import { createServer } from 'node:http'
createServer((_, response) => response.end('1')).listen(8080)
const socket = createSocket('udp4').bind(9000)
setInterval(() => {
  for (const peer of process.argv.slice(2)) socket.send('here', 9000, peer)
}, 5)
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
  processes: { node: { entry: './server.mjs', count: 2 } },
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
const CANNOT_FREEZE = IS_LINUX ? freezerRefusal() : 'this is not Linux'
if (!IS_LINUX) console.warn('SKIPPED: real clusters need Linux: /proc, and all of 127.0.0.0/8')
if (!HAS_STRACE) console.warn('SKIPPED: disk faults need strace; `wavetank doctor` says how')
if (!FULL)
  console.warn(
    'SKIPPED without WAVETANK_FULL=1: --then-simulate, every kind of fault on raft and the coordinator',
  )
if (!HAS_FAKETIME) console.warn('SKIPPED: clock faults need faketime; `wavetank doctor` says how')

if (CANNOT_FREEZE !== null) console.warn(`SKIPPED: freezing: ${CANNOT_FREEZE}`)

// The runs mostly wait: they wait together.
describe.skipIf(!IS_LINUX).concurrent('faults of real clusters', () => {
  const projects = throwAwayProjects()
  beforeAll(buildOnce, 300_000)

  const FILES = {
    'server.mjs': SERVER,
    'idle.sim.js': IDLE,
    'datagrams.mjs': DATAGRAMS,
    'datagrams.sim.js': IDLE.replace("'idle'", "'datagrams'").replace(
      "entry: './server.mjs', count: 2",
      "entry: './datagrams.mjs', args: ({ peers }) => peers, count: 3",
    ),
    'stripped.real.js': system('stripped', 'unset LD_PRELOAD; exec "$0" "$1" "$2"'),
    'daemon.real.js': system('daemon', 'setsid -f "$0" "$1" "$2"; while :; do sleep 1; done'),
  }

  interface Tested {
    readonly code: number | null
    readonly result: RealResult
  }

  /** Each fault once, in a phase of its own. */
  function test(
    target: string,
    nemesis: string,
    shows: (outcome: Tested) => boolean,
    eachS: number,
    ...more: string[]
  ): Promise<Tested> {
    const here = projects(FILES)
    const args = [
      'real',
      'test',
      target,
      '--nemesis',
      nemesis,
      '--nemesis-schedule',
      'phases',
      '--seed',
      '1',
      ...more,
      '--json',
    ]
    return runUntil(
      eachS * nemesis.split(',').length,
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

  it('show on the side of the victim: its clock, its threads, the errors of its calls', async () => {
    const seen: Readonly<Record<string, RegExp>> = {
      ...(HAS_FAKETIME && { 'clock-skew': /: kv 0\.\d+ s (ahead|behind)/ }),
      ...(CANNOT_FREEZE === null && {
        freeze: /^1 processes of kv were frozen at both ends, and ran for at most 2 ms each/,
      }),
      ...(HAS_STRACE && { 'disk-full': /\d+ × write ENOSPC/ }),
      pause: /^all \d+ threads of kv were stopped/,
    }
    const names = Object.keys(seen)
    const { code, result } = await test(
      example('kv/kv.sim.ts'),
      names.join(),
      ({ code: each }) => each !== 2,
      1,
      '--rate',
      '100',
    )
    expect(result.doubts).toEqual([])
    expect(code).toBe(0)
    expect(result.faults.map(({ nemesis }) => nemesis)).toEqual(names)
    for (const { nemesis, victim } of result.faults) expect(victim).toMatch(seen[nemesis])
    expect(groupsOf('kv')).toEqual([])
  })

  // Each strikes something that its fault cannot reach: the wrong process, a link or a file that nothing uses.
  it.for([
    [
      'daemons that have left their session',
      'daemon',
      ['pause', ...(CANNOT_FREEZE === null ? ['freeze'] : []), 'kill'],
    ],
    ['a clock that the program does not load', 'stripped', HAS_FAKETIME ? ['clock-skew'] : []],
    [
      'links, calls and files that nothing uses, and a member that the cluster does not let go',
      'idle',
      ['partition:one', 'membership', ...(HAS_STRACE ? ['disk-full'] : []), 'bit-flip:unread.log'],
    ],
  ] as const)('are no pass with %s', async ([, target, nemeses], { skip }) => {
    skip(nemeses.length === 0, 'its tool is not here')
    const all = ({ result }: Tested): boolean => result.faults.length === nemeses.length
    const { code, result } = await test(target, nemeses.join(), all, 1)
    expect(result.faults.map(({ nemesis, landed }) => [nemesis, landed])).toEqual(
      nemeses.map((nemesis) => [nemesis, false]),
    )
    expect(result.doubts).toEqual(nemeses.map(() => expect.stringContaining('did not land')))
    expect([code, result.verdict]).toEqual([2, 'unknown'])
  })

  const example = (name: string): string => new URL(`../../examples/${name}`, import.meta.url).pathname
  const UDP = ['duplicate', 'reorder']
  const ROT = ['truncate', 'bit-flip']
  const ELSEWHERE = [...UDP, ...ROT, 'membership']
  const ANYWHERE = NEMESES.map(({ name }) => name).filter((name) => !ELSEWHERE.includes(name))

  // All kinds on systems that replicate. Each has 3 s of a run, with quiet at both ends, so this takes minutes.
  it.skipIf(!FULL || !HAS_STRACE || !HAS_FAKETIME || CANNOT_FREEZE !== null).sequential.for([
    ['raft', 'raft/raft.sim.ts', ANYWHERE, []],
    ['the coordinator', 'shard-coordinator/shard.real.ts', ANYWHERE, ['--workload', 'crash-recovery']],
    ['raft whose disks rot', 'raft/raft-rot.sim.ts', ROT, []],
    ['raft, whose operator changes the members', 'raft/raft-operated.real.ts', ['membership'], []],
    ['programs that send datagrams', null, UDP, []],
  ] as const)('land on %s, every kind of them, and break nothing', async ([, file, names, more]) => {
    const once = ({ result }: Tested): boolean =>
      result.faults.length === names.length && result.doubts.length === 0
    const target = file === null ? 'datagrams' : example(file)
    const { result } = await test(target, names.join(), once, 3, '--nodes', '3', ...more)
    expect(result.doubts).toEqual([])
    expect(result.faults.map(({ nemesis, landed }) => [nemesis, landed])).toEqual(
      names.map((name) => [name, true]),
    )
  })

  it.skipIf(!FULL)('strike raft where and when its script says', async () => {
    const here = projects({})
    const args = [
      'real',
      'test',
      example('raft/raft-operated.real.ts'),
      '--nemesis',
      'script',
      '--nodes',
      '3',
      '--json',
    ]
    const { code, stdout } = await runUntil(
      9,
      (time) => here.wavetank(...args, ...time),
      (outcome) => outcome.code !== 2,
    )
    const { faults, doubts } = JSON.parse(stdout) as RealResult
    expect([code, doubts]).toEqual([0, []])
    const seen = faults.map(({ family, landed, targets }) => `${family} of ${targets.length}: ${landed}`)
    // Their order is that of their ends.
    expect(new Set(seen)).toEqual(
      new Set(['reboot of 1: true', 'pause of 1: true', 'mass-restart of 3: true']),
    )
  })

  it('are refused before the run where they cannot work, with the reason', async () => {
    const here = projects({ ...FILES, 'honest.sim.js': IDLE.replace('budget: { lyingDisks: 1 },', '') })
    const { code, stderr } = await here.wavetank('real', 'test', 'honest', '--nemesis', 'truncate')
    expect(stderr).toContain('damaged files need `budget: { lyingDisks: 1 }`')
    expect(code).toBe(254)
  })
})

/** Control groups that faults have made for a node. */
function groupsOf(node: string): string[] {
  return readdirSync(groupRoot()!).filter(
    (name) => name.startsWith('wavetank-') && name.includes(`-${node}-`),
  )
}
