/** A recorded failure of a simulation: a seed with its choices, run again in the tank. */
import { min } from '../kernel/arithmetic.ts'
import { UsageError } from '../kernel/errors.ts'
import { isLossCategory } from '../sim/campaign/lost-seed.ts'
import type { SeedJob } from '../sim/campaign/executor.ts'
import type { RecordedStep } from '../sim/running/step-recorder.ts'
import { changedFiles, differenceFrom } from './recorded-failure.ts'
import type {
  FailureSteps,
  RecordedFailure,
  ReplayOptions,
  ShrinkLimits,
  ShrunkFailure,
  SimulationReplay,
} from './recorded-failure.ts'
import type { RecordedRun, RunRecorder } from './recorded-run.ts'
import { shrinkReport } from './shrink-simulation.ts'
import { programOf, simulationTrace } from './simulation-trace.ts'
import { storyOf } from './story.ts'
import type { SimulationTrace } from './trace-file.ts'

/** Rows of a replay's trace that are kept at most: a changed program may take any number of steps. */
const MOST_ROWS = 4_000_000

export class RecordedSimulation implements RecordedFailure {
  readonly trace: SimulationTrace
  private readonly recorder: RunRecorder
  private readonly root: string
  private readonly job: SeedJob

  /** `file` is where the simulation's file is now; empty for an inline simulation. */
  constructor(trace: SimulationTrace, recorder: RunRecorder, root: string, file: string) {
    this.trace = trace
    this.recorder = recorder
    this.root = root
    this.job = replayJob(trace, file)
  }

  async replay({ until }: ReplayOptions = {}): Promise<SimulationReplay> {
    const { trace } = this
    if (until !== undefined && until > trace.steps) {
      throw new UsageError(
        'ERR_WAVETANK_STEP',
        `replay: --until ${until}: the recorded run has ${trace.steps} steps`,
      )
    }
    const job = until === undefined ? this.job : { ...this.job, untilStep: until }
    const { report, story, log } = await this.run(job)
    const { failure, digest } = report.result
    const stopped = until !== undefined && (failure === null || report.nextActor !== null)
    return {
      kind: 'simulation',
      trace,
      outcome: stopped ? 'stopped' : this.outcomeOf(report.result.failure),
      differsFrom: stopped ? null : differenceFrom(trace, { digest, hashes: report.hashes }),
      changed: changedFiles(trace.program, programOf(this.root, report.program)),
      until: until ?? null,
      failure: stopped ? null : failure,
      story,
      log,
      nextActor: report.nextActor,
    }
  }

  /** A run whose thread is lost has no record, only a report. */
  private async run(job: SeedJob): Promise<Pick<RecordedRun, 'report' | 'story' | 'log'>> {
    if (!isLossCategory(this.trace.failure.category)) return this.recorder.record(job)
    const report = await this.recorder.run(job)
    return { report, story: storyOf([], report.result.failure), log: [] }
  }

  async shrink(limits: ShrinkLimits): Promise<ShrunkFailure> {
    const { trace, recorder, root } = this
    const first = await recorder.run(this.job)
    const { result } = first
    if (this.outcomeOf(result.failure) !== 'as-recorded') {
      const now = result.failure === null ? 'it holds' : result.failure.message
      throw new UsageError(
        'ERR_WAVETANK_NOT_FAILING',
        `shrink: it does not fail as recorded any more: ${now}`,
      )
    }
    const { job, summary } = await shrinkReport(recorder, this.job, first, limits)
    const { report, story } = await recorder.record({ ...job, keepHashes: true })
    const { simulation, inline } = trace.config
    const small = simulationTrace({ ...job, simulation }, report, { root, shrunk: summary, inline })
    return { kind: 'simulation', trace: small, story }
  }

  async steps(): Promise<FailureSteps> {
    const traceCapacity = min(this.trace.steps * 2 + 1, MOST_ROWS)
    const run: RecordedRun = await this.recorder.record({ ...this.job, traceCapacity })
    return { kind: 'simulation', run: { ...run, steps: run.steps.map((step) => this.relative(step)) } }
  }

  /** Places in the project are shown from its root. */
  private relative(step: RecordedStep): RecordedStep {
    const short = (position: string): string => position.replace(`${this.root}/`, '')
    const { position, via } = step
    return {
      ...step,
      position: position === null ? null : short(position),
      via: via === null ? null : { ...via, position: short(via.position) },
    }
  }

  close(): Promise<void> {
    return this.recorder.close()
  }

  private outcomeOf(
    failure: { readonly category: string; readonly signature: string } | null,
  ): SimulationReplay['outcome'] {
    if (failure === null) return 'holds'
    if (failure.category === 'divergence') return 'diverged'
    return failure.signature === this.trace.failure.signature ? 'as-recorded' : 'otherwise'
  }
}

/** The job that replays a trace. */
export function replayJob({ config, seed, choices }: SimulationTrace, file: string): SeedJob {
  const { simulation, level } = config
  return {
    simulation: { file, name: simulation.name },
    level,
    seed,
    base: 'zero',
    overrides: choices,
    misfit: 'diverge',
    keepChoices: true,
    keepHashes: true,
  }
}
