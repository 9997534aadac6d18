/**
 * One test from the start of the nodes to the verdict: initialise, ask at the given rate while the nemesis is at work,
 * heal, let the system settle, ask the final questions, end the nodes, judge. It always ends with results, whatever the
 * nodes do, unless their program cannot be started; and it leaves no process behind.
 */
import { UsageError } from '../../kernel/errors.ts'
import type { Decisions } from '../decisions.ts'
import { sleep, type Machine } from '../machine.ts'
import type { MessageJournal } from '../network/journal.ts'
import { WORKLOADS } from '../workloads/index.ts'
import type { Workload } from '../workloads/workload.ts'
import { Cluster, type ClusterHooks } from './cluster.ts'
import { dispatch } from './dispatcher.ts'
import type { FaultRecord } from './fault-evidence.ts'
import { Nemesis } from './nemesis.ts'
import { OperationLog, type LoggedOperation } from './operation-log.ts'
import { resultsOf, type Results } from './results.ts'
import type { TestSettings } from './settings.ts'
import { Thread, type Around } from './threads.ts'

const RECOVERY_MS = 10_000

export interface TestHooks extends ClusterHooks {
  readonly onPhase?: (phase: string) => void
  readonly around?: Around
  /** Called with how to end the test at once, for a signal from outside. */
  readonly onStart?: (test: RunningTest) => void
}

export interface RunningTest {
  /** Ends every node. */
  stop(): Promise<void>
  /** What happened up to now; such a test is never valid. */
  soFar(): TestRun
}

export interface TestRun {
  readonly results: Results
  readonly operations: readonly LoggedOperation[]
  readonly messages: MessageJournal
  /** What the nemesis did and undid, with what was seen of it. */
  readonly faults: readonly FaultRecord[]
}

export async function runTest(
  settings: TestSettings,
  machine: Machine,
  decisions: Decisions,
  hooks: TestHooks = {},
): Promise<TestRun> {
  const workload: Workload = WORKLOADS[settings.workload]
  workload.verify?.(settings)
  const cluster = new Cluster(settings, workload.rpcs, machine, decisions, hooks)
  let log = new OperationLog(() => machine.nowUs())
  let nemesis = new Nemesis(cluster, settings, machine, decisions, log)
  const run = (interrupted: boolean): TestRun => ({
    operations: log.operations,
    messages: cluster.network.journal,
    faults: nemesis.faults,
    results: resultsOf(settings, workload, log.history(), cluster, interrupted),
  })
  hooks.onStart?.({ stop: () => cluster.stop(), soFar: () => run(true) })
  try {
    hooks.onPhase?.('Starting nodes')
    if (await cluster.start()) {
      log = new OperationLog(() => machine.nowUs())
      nemesis = new Nemesis(cluster, settings, machine, decisions, log)
      await operate(settings, workload, machine, decisions, cluster, log, nemesis, hooks)
    } else verifyProgram(cluster)
  } finally {
    await cluster.stop()
  }
  return run(false)
}

/** A program that cannot be started was never tested: that is a mistake of the command. */
function verifyProgram({ faults }: Cluster): void {
  const fault = faults.kept.find(({ kind }) => kind === 'not-started')
  if (fault !== undefined)
    throw new UsageError('ERR_WAVETANK_ARGUMENTS', `wavetank maelstrom test: --bin: ${fault.text}`)
}

async function operate(
  settings: TestSettings,
  workload: Workload,
  machine: Machine,
  decisions: Decisions,
  cluster: Cluster,
  log: OperationLog,
  nemesis: Nemesis,
  { around, onPhase }: TestHooks,
): Promise<void> {
  const shared = new Map<string, unknown>()
  const context = { workload, settings, cluster, machine, log, shared, around }
  const threads = Array.from({ length: settings.concurrency }, (_, index) => new Thread(index, context))
  await Promise.all(threads.map((thread) => thread.open()))
  onPhase?.('Running operations')
  const untilUs = machine.nowUs() + settings.timeLimitSeconds * 1_000_000
  const storm = nemesis.run(untilUs)
  const next = workload.generator(settings, decisions, shared)
  await dispatch({ machine, decisions, threads, rate: settings.rate, untilUs }, next)
  await storm
  await nemesis.heal()
  if (workload.finals !== undefined) {
    onPhase?.('Waiting for recovery')
    await sleep(machine, RECOVERY_MS)
    const last = workload.finals(shared)
    await Promise.all(threads.map((thread) => untilNull(thread, last)))
  }
  if (settings.nemesis.length === 0) await cluster.verifyAnswers()
}

async function untilNull(thread: Thread, next: ReturnType<Workload['generator']>): Promise<void> {
  for (;;) {
    const request = next({ thread: thread.index, process: thread.process, state: thread.state })
    if (request === null) return
    await thread.run(request)
  }
}
