/** A recorded failure of a race: a schedule, run again in this thread and without a test runner. */
import { investigate } from '../explore/finding/investigation.ts'
import type { RaceFinding } from '../explore/finding/finding.ts'
import { macrotask } from '../explore/running/macrotask.ts'
import { rerun, type RaceProgram } from '../explore/running/program.ts'
import type { RaceRunResult } from '../explore/running/race-run.ts'
import { runOptionsOf, type RunOptions } from '../explore/search/options.ts'
import { Divergence } from '../kernel/choices.ts'
import { UsageError } from '../kernel/errors.ts'
import { decodeHashes } from '../kernel/hash-log.ts'
import { changedFiles, differenceFrom } from './recorded-failure.ts'
import type {
  FailureSteps,
  RaceReplay,
  RecordedFailure,
  ReplayOptions,
  ShrinkLimits,
  ShrunkFailure,
} from './recorded-failure.ts'
import { contentHash, type RaceTrace } from './trace-file.ts'
import { VERSION } from './version.ts'

/** The file of a race as it is now, and the race in it as something to run. */
export interface OpenRace {
  readonly source: string
  readonly program: RaceProgram
  /** What the program has printed so far. */
  output(): string
}

export class RecordedRace implements RecordedFailure {
  readonly trace: RaceTrace
  private readonly open: () => Promise<OpenRace>

  /** `open` loads the race's file; a command that only shows the recorded steps does not call it. */
  constructor(trace: RaceTrace, open: () => Promise<OpenRace>) {
    this.trace = trace
    this.open = open
  }

  async replay({ until, beforeStep }: ReplayOptions = {}): Promise<RaceReplay> {
    const { trace } = this
    if (until !== undefined && until > trace.steps) {
      throw new UsageError(
        'ERR_WAVETANK_STEP',
        `replay: --until ${until}: the recorded run has ${trace.steps} steps`,
      )
    }
    const { source, program, output } = await this.open()
    const view = beforeStep === undefined ? { record: true, until } : { beforeStep }
    const facts = {
      kind: 'race',
      trace,
      changed: changedFiles(trace.program, programOf(trace.config.race.file, source)),
      until: view.until ?? null,
    } as const
    try {
      const run = await macrotask(() => rerun(program, trace.seed, trace.choices, 'diverge', view))
      return {
        ...facts,
        outcome: this.outcomeOf(run, facts.until),
        differsFrom: facts.until === null ? this.differenceOf(run) : null,
        failure: run.failure,
        divergence: null,
        schedule: facts.until === null ? [] : run.schedule,
        output: output(),
      }
    } catch (error) {
      if (!(error instanceof Divergence)) throw error
      const { step, message } = error
      const divergence = { step, message }
      const nothing = { failure: null, schedule: [], output: output() }
      return { ...facts, ...nothing, outcome: 'diverged', differsFrom: step, divergence }
    }
  }

  async shrink({ maxRuns }: ShrinkLimits): Promise<ShrunkFailure> {
    const { trace } = this
    const { config, seed, choices } = trace
    const { source, program } = await this.open()
    const finding = await macrotask(() => {
      const { failure } = stillFails(() => rerun(program, seed, choices, 'diverge'))
      if (failure?.key !== trace.failure.key)
        throw new UsageError('ERR_WAVETANK_NOT_FAILING', 'shrink: it does not fail as recorded any more')
      return investigate(program, { ...config.finding, seed }, choices, { shrink: true, maxRuns })
    })
    return { kind: 'race', trace: raceTrace(config.race, source, finding, config) }
  }

  /** The finding is in the trace: nothing is run. */
  steps(): Promise<FailureSteps> {
    return Promise.resolve({ kind: 'race', trace: this.trace })
  }

  close(): Promise<void> {
    return Promise.resolve()
  }

  private outcomeOf({ failure }: RaceRunResult, until: number | null): RaceReplay['outcome'] {
    if (failure === null) return until === null ? 'holds' : 'stopped'
    return failure.key === this.trace.failure.key ? 'as-recorded' : 'otherwise'
  }

  private differenceOf({ hash: digest, hashes }: RaceRunResult): number | null {
    return differenceFrom(this.trace, { digest, hashes })
  }
}

/** The trace of a finding. */
export function raceTrace(
  race: RaceTrace['config']['race'],
  source: string,
  { hashes, ...finding }: RaceFinding,
  options: RunOptions,
): RaceTrace {
  const recorded = decodeHashes(hashes)
  return {
    kind: 'race',
    seed: finding.seed,
    choices: finding.choices,
    failure: finding.failure,
    program: programOf(race.file, source),
    nodeVersion: process.version,
    wavetank: VERSION,
    steps: recorded.length,
    digest: finding.digest,
    hashes: recorded,
    config: {
      ...runOptionsOf(options),
      race,
      finding: { ...finding, hashes: '' },
    },
  }
}

/** Of the race's own file: a change of it is worth a warning. */
function programOf(file: string, source: string): Record<string, string> {
  return { [file]: contentHash(source) }
}

function stillFails<T>(run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof Divergence)) throw error
    throw new UsageError(
      'ERR_WAVETANK_NOT_FAILING',
      `shrink: it diverges at step ${error.step}: ${error.message}. The program changed; explore it again.`,
      { cause: error },
    )
  }
}
