/**
 * The file of a race that was found: the kernel's trace, and in its configuration which race of which file it is and how
 * it was explored. `wavetank replay` works from it alone, without a test runner.
 */
import type { Choice } from '../kernel/choices.ts'
import { UsageError } from '../kernel/errors.ts'
import { keyOf } from '../kernel/prng.ts'
import { writeTrace, type TraceFile } from '../kernel/trace-file.ts'
import type { RaceFinding } from './finding.ts'
import type { RunOptions } from './options.ts'

export interface RaceTraceConfig extends RunOptions {
  /** The file, relative to the project's root, and the race's title. */
  readonly race: { readonly file: string; readonly title: string }
  /** The finding, so that it can be shown without being run. */
  readonly finding: RaceFinding
}

export interface RaceTrace {
  readonly config: RaceTraceConfig
  readonly seed: number
  readonly choices: readonly Choice[]
  readonly digest: string
  readonly nodeVersion: string
  readonly codeHash: string
}

export function printRaceTrace(config: RaceTraceConfig, source: string, nodeVersion: string): string {
  const { finding } = config
  return writeTrace({
    config,
    seed: finding.seed,
    base: 'zero',
    overrides: finding.choices,
    failure: finding.failure,
    codeHash: codeHashOf(source),
    nodeVersion,
    steps: finding.shrunk.toSteps,
    digest: finding.digest,
    hashes: new Uint32Array(0),
  })
}

/** Whether a trace is one of a race. */
export function isRaceTrace(trace: TraceFile): boolean {
  return typeof (trace.config as Partial<RaceTraceConfig> | null)?.race?.title === 'string'
}

export function raceTraceOf(trace: TraceFile, path: string): RaceTrace {
  const config = trace.config as RaceTraceConfig
  if (!isRaceTrace(trace) || typeof config.race.file !== 'string' || typeof config.finding !== 'object') {
    throw new UsageError('ERR_WAVETANK_TRACE_FILE', `${path}: this is not the trace of a race`)
  }
  const { seed, overrides: choices, digest, nodeVersion, codeHash } = trace
  return { config, seed, choices, digest, nodeVersion, codeHash }
}

/** Of the race's own file: a change of it is worth a warning. */
export function codeHashOf(source: string): string {
  const { lo, hi } = keyOf(source)
  return hi.toString(16).padStart(8, '0') + lo.toString(16).padStart(8, '0')
}
