/** Real clusters on the built command line: verdicts, evidence, files, and a machine that is clean afterwards. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { manifestFolder } from '../../src/real/cleanup/manifest.ts'
import { findProgram } from '../../src/real/doctor/programs.ts'
import { processesWith } from '../../src/real/cluster/process-state.ts'
import type { RealResult } from '../../src/real/running/result.ts'
import { buildOnce } from './build.ts'
import { CLI, throwAwayProjects } from './project.ts'
import { leftIn, manifestsIn, runsIn, runUntil, until } from './real-runs.ts'

vi.setConfig({ testTimeout: 600_000 })

const example = (name: string): string => new URL(`../../examples/${name}`, import.meta.url).pathname

/** A counter that answers first and saves later: a kill loses what it has acknowledged. */
const COUNTER = `
import { createServer } from 'node:http'
import { event } from 'wavetank'
let count = 0
createServer((request, response) => {
  if (request.method === 'POST') {
    event('counts', ++count)
    console.log(String(count))
  }
  response.end(String(count))
}).listen(80)
`

/** It is killed when it has counted to 20, so the next answer shows it, or the last reading. */
const SIMULATION = `
import { simulation } from 'wavetank'
let most = 0
let counted = 0
export default simulation('counter', {
  processes: { counter: { entry: './counter.mjs' } },
  script: [{ fault: 'reboot', with: { kind: 'kill' }, after: 'counts', nth: 20, forMs: 200 }],
  workload: {
    clients: 2,
    run: ({ operation }) =>
      operation('add', async () => Number(await (await fetch('http://counter', { method: 'POST' })).text())),
    final: ({ operation }) => operation('read', async () => Number(await (await fetch('http://counter')).text())),
  },
  invariants: {
    'the count never falls': ({ events }) => {
      for (const { data } of events.fresh('operation')) {
        if (data.type !== 'ok') continue
        // Answers to two clients may overtake each other; a restart from zero is further back.
        if (data.value < most - 2) return \`\${data.f} \${data.value} after \${most}\`
        most = Math.max(most, data.value)
      }
      return true
    },
    'events and lines of a program keep their order': ({ events }) => {
      for (const { name, data } of events) {
        if (name === 'counts') counted = data
        if (name === 'stdout' && Number(data) !== counted) return \`line \${data} after event \${counted}\`
      }
      return true
    },
  },
})
`

const ROUNDS = process.env.WAVETANK_FULL === '1' ? 30 : 1
const IS_LINUX = process.platform === 'linux'
if (ROUNDS === 1)
  console.warn('SKIPPED without WAVETANK_FULL=1: 29 of 30 runs that are killed at random moments')
if (!IS_LINUX) console.warn('SKIPPED: real clusters need Linux: /proc, and all of 127.0.0.0/8')

// Loopback addresses and evidence of process faults are Linux's: elsewhere there is nothing to test.
// Runs that mostly wait do so together.
describe.skipIf(!IS_LINUX)('wavetank real', () => {
  const project = throwAwayProjects()
  beforeAll(buildOnce, 300_000)

  async function test(
    ...args: string[]
  ): Promise<{ code: number | null; result: RealResult; stderr: string }> {
    const here = project({})
    const { code, stdout, stderr } = await here.wavetank('real', 'test', ...args, '--json')
    if (stdout === '') throw new Error(stderr)
    const result = JSON.parse(stdout) as RealResult
    const folder = join(here.folder, '.wavetank/real', result.name, 'latest')
    expect(readdirSync(folder).sort()).toEqual(
      expect.arrayContaining([
        'events.jsonl',
        'history.jsonl',
        'latency.svg',
        'logs',
        'report.txt',
        'results.json',
        'test.json',
      ]),
    )
    expect(readFileSync(join(folder, 'report.txt'), 'utf8')).toContain('JEPSEN REPORT')
    return { code, result, stderr }
  }

  it.concurrent('kills the key-value server and finds that it keeps what it has answered', async () => {
    const { code, result } = await runUntil(
      3,
      (time) =>
        test(
          example('kv/kv.sim.ts'),
          '--nemesis',
          'kill',
          '--nemesis-schedule',
          'phases',
          ...time,
          '--seed',
          '1',
        ),
      ({ code: each, result: { operations } }) => each !== 2 && operations.every(({ ok }) => ok > 0),
    )
    expect(result.doubts).toEqual([])
    expect([code, result.verdict]).toEqual([0, 'held'])
    expect(result.faults.length).toBeGreaterThan(0)
    for (const { victim } of result.faults) expect(victim).toMatch(/ended by SIGKILL/)
    expect(result.invariants.map(({ name, status }) => [name, status])).toEqual([
      ['a read sees the last write', 'held'],
      ['what is answered is on the disk', 'left out'],
    ])
  })

  it.concurrent(
    'kills a counter at the moment of the script, and finds that it loses what it has answered',
    async () => {
      const here = project({ 'counter.mjs': COUNTER, 'counter.sim.js': SIMULATION })
      const { code, stdout } = await runUntil(
        2,
        (time) => here.wavetank('real', 'test', 'counter', '--nemesis', 'script', ...time),
        (outcome) => outcome.code === 1,
      )
      expect(stdout).toMatch(/invariant: the count never falls: (add|read) \d+ after \d+/)
      expect(stdout).toMatch(/held +\d+ checks {2}events and lines of a program keep their order/)
      expect(stdout).toContain('← VIOLATION')
      expect(stdout).toContain('NEMESIS')
      expect(code).toBe(1)
    },
  )

  it.concurrent('kills a node of etcd and finds its history linearizable', async (context) => {
    if (findProgram('etcd', process.env.PATH ?? '') === null) {
      console.warn('SKIPPED: etcd is not installed; `wavetank doctor` says how')
      context.skip()
    }
    const args = ['--nodes', 'n1,n2,n3', '--nemesis', 'kill', '--seed', '1']
    const { code, result } = await runUntil(
      2,
      (time) => test(example('real/etcd/etcd.real.ts'), ...args, ...time),
      (outcome) => outcome.code !== 2,
    )
    expect(result.nodes).toEqual(['n1', 'n2', 'n3'])
    expect(result.failures).toEqual([])
    expect(result.checks.map(({ verdict }) => verdict)).toEqual(['valid'])
    expect(result.faults.map(({ landed }) => landed)).toContain(true)
    expect(code).toBe(0)
  })

  it.concurrent('cuts and pauses the servers of raft and finds its history linearizable', async () => {
    const args = [
      '--nodes',
      '3',
      '--nemesis',
      'partition,pause',
      '--nemesis-schedule',
      'phases',
      '--seed',
      '3',
    ]
    const { code, result } = await runUntil(
      3,
      (time) => test(example('raft/raft.sim.ts'), ...args, ...time),
      (outcome) => outcome.code !== 2,
    )
    expect(result.failures).toEqual([])
    expect(result.checks.map(({ verdict }) => verdict)).toEqual(['valid'])
    expect([code, result.doubts]).toEqual([0, []])
    expect(result.invariants.filter(({ status }) => status === 'left out').map(({ name }) => name)).toEqual([
      'what is synced is whole',
      'a vote is on the disk before it is answered',
      'an entry is on the disk before it is acknowledged',
      'a committed entry is on the disks of a majority',
    ])
  })

  // Each is killed up to 5 s after its start, so in every phase. Thirty take minutes: at full counts only.
  it.concurrent(
    `leaves nothing on the machine after ${ROUNDS} runs that are killed at random moments`,
    async () => {
      const here = project({})
      // A place of its own for temporary files: what is in it after the runs was left behind.
      const temporary = mkdtempSync(join(tmpdir(), 'wavetank-killed-'))
      const faults = ['--nemesis', 'combined', '--nemesis-interval', '1', '--time-limit', '60']
      for (let run = 0; run < ROUNDS; run++) {
        const tool = spawn(process.execPath, [CLI, 'real', 'test', example('raft/raft.sim.ts'), ...faults], {
          cwd: here.folder,
          env: { ...process.env, TMPDIR: temporary },
          stdio: 'ignore',
        })
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 5000))
        const names = runsIn(manifestsIn(temporary))
        tool.kill(run % 3 === 0 ? 'SIGTERM' : 'SIGKILL')
        await once(tool, 'exit')
        for (const name of names) await until(() => processesWith(`WAVETANK_REAL_RUN=${name}`).length === 0)
        await until(() => leftIn(temporary).length === 0)
      }
      expect(leftIn(temporary)).toEqual([])
      rmSync(temporary, { recursive: true })
    },
  )

  it.concurrent(
    'leaves nothing on the machine when it is killed, and a history that can be judged',
    async () => {
      const here = project({})
      const target = example('kv/kv.sim.ts')
      const args = ['real', 'test', target, '--time-limit', '600', '--rate', '100']
      const tool = spawn(process.execPath, [CLI, ...args], { cwd: here.folder, stdio: 'ignore' })
      const run = join(here.folder, '.wavetank/real/kv/latest')
      await until(() => existsSync(join(run, 'history.jsonl')) && linesOf(join(run, 'history.jsonl')) > 50)
      const [name] = runsIn(manifestFolder(), tool.pid)
      expect(processesWith(`WAVETANK_REAL_RUN=${name}`)).toHaveLength(1)
      tool.kill('SIGKILL')
      await until(() => processesWith(`WAVETANK_REAL_RUN=${name}`).length === 0)
      await until(() => !existsSync(join(tmpdir(), `wavetank-nodes-${name}`)))
      await until(() => !existsSync(join(manifestFolder(), `${name}.json`)))
      const { code, stdout } = await here.wavetank('real', 'analyze', run)
      expect(stdout).toContain('the run was cut off before its end')
      expect(stdout).toMatch(/held +\d+ checks {2}a read sees the last write/)
      expect(code).toBe(2)
    },
  )
})

function linesOf(file: string): number {
  return readFileSync(file, 'utf8').split('\n').length
}
