/**
 * A Maelstrom test as a simulation: the harness is the workload, and the nodes are child processes of its host, with
 * simulated pipes and virtual time. Every random decision is a choice of the simulation, so that a failing test replays,
 * shrinks and tells its story as any other.
 */
import type { CheckResult } from '../checkers/result.ts'
import { conclude } from '../checkers/result.ts'
import { simulation, type ClientContext, type Simulation } from '../sim/authoring/definition.ts'
import type { Decisions } from './decisions.ts'
import { runningMachine } from './machine.ts'
import type { ClusterHooks } from './running/cluster.ts'
import { NodeLogs } from './running/node-logs.ts'
import type { Results } from './running/results.ts'
import type { TestSettings } from './running/settings.ts'
import { runTest, type TestRun } from './running/test.ts'

export interface MaelstromSimulationOptions extends TestSettings {
  readonly name: string
}

export interface SimulatedTest extends TestRun {
  readonly seed: number
  readonly logs: ReadonlyMap<string, readonly string[]>
}

/** Virtual milliseconds of a run beyond its time limit: start, time-outs, recovery, final requests. */
const EXTRA_MS = 120_000

export interface TestWatch extends ClusterHooks {
  readonly onTest: (test: SimulatedTest) => void
}

let watching: TestWatch | null = null

/** Shows every test that is run in this thread from now on. */
export function watchTests(watch: TestWatch): void {
  watching = watch
}

export function maelstromSimulation({ name, ...settings }: MaelstromSimulationOptions): Simulation {
  let started: Promise<SimulatedTest> | null = null
  let threads: ((context: ClientContext) => void)[] = []
  return simulation(name, {
    processes: {},
    limits: { virtualMs: settings.timeLimitSeconds * 1000 + EXTRA_MS },
    workload: {
      clients: settings.concurrency,
      operations: 1,
      spanMs: 1,
      setup({ seed, rng }) {
        threads = []
        const contexts = Array.from(
          { length: settings.concurrency },
          (_, thread) => new Promise<ClientContext>((resolve) => (threads[thread] = resolve)),
        )
        const decisions: Decisions = { below: (n) => rng.below(n) }
        const logs = new NodeLogs(settings.nodes)
        const machine = runningMachine({ groups: false })
        started = runTest(settings, machine, decisions, {
          onLog: (node, line) => {
            logs.add(node, line)
            watching?.onLog?.(node, line)
          },
          onSend: (message) => watching?.onSend?.(message),
          onReceive: (message) => watching?.onReceive?.(message),
          around: async (thread, { f, value }, body) => {
            const context = await contexts[thread]
            return context.operation(f, { input: value }, () => body())
          },
        }).then((run) => ({ ...run, seed, logs: logs.all() }))
      },
      async run(context) {
        threads[context.client](context)
        await started
      },
      async check() {
        const test = await started!
        watching?.onTest(test)
        return verdictOf(test.results)
      },
    },
  })
}

/** The results as a checker's answer. */
function verdictOf(results: Results): CheckResult {
  const anomalies = [
    ...results.nodes.errors.map(({ kind, node, text }) => ({
      type: kind,
      message: `${kind}: ${node} ${text}`,
    })),
    ...(results.workload.findings ?? []).map((finding) => ({
      type: finding.split(':')[0],
      message: finding,
    })),
    ...(results.availability['valid?'] === false
      ? [
          {
            type: 'unavailable',
            message: `unavailable: ${results.availability['ok-fraction']} of the operations succeeded`,
          },
        ]
      : []),
  ]
  const operations = Number(results.stats.count ?? 0)
  return conclude({
    checker: 'maelstrom',
    scope: { operations, ignored: 0, functions: [] },
    checks: operations,
    anomalies: results['valid?'] === false ? anomalies.map((each) => ({ ...each, operations: [] })) : [],
    doubt:
      results['valid?'] === 'unknown' ? (results.workload.findings?.[0] ?? 'the results are unknown') : null,
  })
}
