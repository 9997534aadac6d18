/**
 * npm run bench:maelstrom: how many operations and messages a second the harness carries with real processes, against a
 * bare pipe loop in the same run, how long it takes to start, and how much faster than the clock the tank is. The bars
 * are what the real Maelstrom did on two cores: 8,200 echo operations/s on one node, 24,300 server messages/s over 25
 * nodes, 4 to 14 s to start.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { HOST_MODULES } from '../src/host/host-modules.ts'
import { seededDecisions } from '../src/maelstrom/decisions.ts'
import { runningMachine } from '../src/maelstrom/machine.ts'
import { DEFAULTS, type TestSettings } from '../src/maelstrom/running/settings.ts'
import type { Results } from '../src/maelstrom/running/results.ts'
import { runTest } from '../src/maelstrom/running/test.ts'
import { maelstromSimulation } from '../src/maelstrom/simulation.ts'
import { ThreadExecutor, threadHost } from '../src/sim/campaign/thread-host.ts'
import { pipeLoop } from './maelstrom/pipe-loop.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const NODE = fileURLToPath(new URL('maelstrom/flood-node.mjs', import.meta.url))
const PROGRAM = { command: process.execPath, args: [NODE] }
const IN_FLIGHT = 10
const DURATION_SECONDS = 5
const ROUNDS = 3
/** More than anything can do. */
const NO_LIMIT = 100_000

function settings(nodeCount: number, more: Partial<TestSettings>): TestSettings {
  const nodes = Array.from({ length: nodeCount }, (_, i) => `n${i}`)
  return { ...DEFAULTS, program: PROGRAM, nodes, concurrency: nodeCount, ...more }
}

/** Per second of the time limit, and per second of the harness's own processor time, checks included. */
interface Rate {
  readonly wall: number
  readonly processor: number
}

async function realRate(test: TestSettings, count: (results: Results) => number): Promise<Rate> {
  const begun = process.cpuUsage()
  const { results } = await runTest(test, runningMachine({ groups: true }), seededDecisions(1))
  const { user, system } = process.cpuUsage(begun)
  if (results['valid?'] !== true) throw new Error(JSON.stringify(results))
  return {
    wall: count(results) / test.timeLimitSeconds,
    processor: count(results) / ((user + system) / 1e6),
  }
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1]
}

async function rounds<T>(measure: () => Promise<T>): Promise<T[]> {
  const values: T[] = []
  for (let round = 0; round < ROUNDS; round++) values.push(await measure())
  return values
}

async function medianRate(measure: () => Promise<Rate>): Promise<Rate> {
  const all = await rounds(measure)
  return { wall: median(all.map(({ wall }) => wall)), processor: median(all.map((each) => each.processor)) }
}

/** Seconds of a command beyond the second for which it asks. */
function startSeconds(): number {
  const store = mkdtempSync(join(tmpdir(), 'maelstrom-bench-'))
  const begun = performance.now()
  const args = ['maelstrom', 'test', '-w', 'echo', '--bin', NODE, '--node-count', '1', '--time-limit', '1']
  const cli = join(ROOT, 'dist/cli/main.js')
  const { status } = spawnSync(process.execPath, [cli, ...args, '--real', '--store', store])
  rmSync(store, { recursive: true })
  if (status !== 0) throw new Error(`the command ended with ${status}`)
  return (performance.now() - begun) / 1000 - 1
}

/** Seconds of processor time for a test in the tank. */
async function tankSeconds(test: TestSettings): Promise<number> {
  const simulation = maelstromSimulation({ ...test, name: 'bench' })
  const host = threadHost({ root: ROOT, hostModules: HOST_MODULES, inline: simulation })
  const begun = process.cpuUsage()
  const { result } = await new ThreadExecutor(host).run({
    simulation: { file: '', name: 'bench' },
    level: 'sunny',
    seed: 1,
  })
  if (result.failure !== null) throw new Error(JSON.stringify(result.failure))
  const { user, system } = process.cpuUsage(begun)
  return (user + system) / 1e6
}

const whole = (rate: number): string => Math.round(rate).toLocaleString('en')

function line(name: string, unit: string, { wall, processor }: Rate, bar: string): void {
  const ratios = `${(wall / bare.wall).toFixed(2)} and ${(processor / bare.processor).toFixed(2)} of the bare loop`
  console.log(
    `${name}: ${whole(wall)} ${unit}/s, ${whole(processor)} per processor second; ${ratios} (bar: ${bar})`,
  )
}

const bare = await medianRate(() => pipeLoop(NODE, IN_FLIGHT, DURATION_SECONDS * 1000))
console.log(
  `bare pipe loop, ${IN_FLIGHT} in flight: ${whole(bare.wall)} round trips/s, ${whole(bare.processor)} per processor second`,
)

const echo = settings(1, {
  workload: 'echo',
  rate: NO_LIMIT,
  concurrency: IN_FLIGHT,
  timeLimitSeconds: DURATION_SECONDS,
})
const operations = await medianRate(() => realRate(echo, ({ stats }) => Number(stats.count)))
line(`echo, one node, ${IN_FLIGHT} clients`, 'operations', operations, '8,200/s')

const flood = settings(25, { workload: 'broadcast', rate: 2000, timeLimitSeconds: DURATION_SECONDS })
const messages = await medianRate(() => realRate(flood, ({ net }) => net.servers['msg-count']))
line('flood over 25 nodes', 'server messages', messages, '24,300/s')

console.log(
  `start of the command: ${median(Array.from({ length: ROUNDS }, startSeconds)).toFixed(2)} s (bar: 1 s)`,
)

for (const [name, test] of [
  ['echo on 1 node', settings(1, { workload: 'echo', timeLimitSeconds: 20 })],
  ['broadcast on 5 nodes at rate 10', settings(5, { workload: 'broadcast', rate: 10, timeLimitSeconds: 20 })],
  [
    'broadcast on 25 nodes at rate 100, latency 100',
    settings(25, { workload: 'broadcast', rate: 100, latencyMs: 100, timeLimitSeconds: 20 }),
  ],
] as const) {
  await tankSeconds(test) // warm
  const seconds = median(await rounds(() => tankSeconds(test)))
  console.log(
    `in the tank, 20 s of ${name}: ${seconds.toFixed(2)} s of processor time, ${(20 / seconds).toFixed(0)} times real time`,
  )
}
