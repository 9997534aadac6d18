/**
 * The file of a failing simulation: the kernel's trace, and in its configuration what is needed to run it again: which
 * simulation, at which level, and the content hash of every file of the program that the run read. `wavetank replay`,
 * `shrink` and `trace` work from it alone.
 */
import type { LevelName } from '../faults/levels.ts'
import { parseLevel } from '../faults/levels.ts'
import { UsageError } from '../kernel/errors.ts'
import { keyOf } from '../kernel/prng.ts'
import { readTrace, writeTrace, type TraceFile } from '../kernel/trace-file.ts'
import type { SeedJob, SeedReport } from './campaign/executor.ts'
import type { Failure } from './failure.ts'

export interface SimulationTrace extends Omit<TraceFile, 'config' | 'failure'> {
  readonly config: TraceConfig
  readonly failure: Failure
}

export interface TraceConfig {
  /** The simulation's file, relative to the project's root, and its name. */
  readonly simulation: { readonly file: string; readonly name: string }
  readonly level: LevelName
  /** Path, relative to the project's root → hash of its content. */
  readonly program: Readonly<Record<string, string>>
  readonly shrunk: ShrinkSummary | null
  /** The wavetank that wrote it. */
  readonly wavetank: string
}

export interface ShrinkSummary {
  readonly before: number
  readonly after: number
  readonly faults: number
  readonly runs: number
  readonly minimal: boolean
}

/** `report` must have its choices and hashes. */
export function printTrace(
  config: TraceConfig,
  { seed }: SeedJob,
  { result, choices, hashes }: Omit<SeedReport, 'lane'>,
  nodeVersion: string,
): string {
  return writeTrace({
    config,
    seed,
    base: 'zero',
    overrides: choices,
    failure: result.failure,
    codeHash: codeHash(config.program),
    nodeVersion,
    steps: result.steps,
    digest: result.digest,
    hashes: hashes ?? new Uint32Array(0),
  })
}

/** Reads a trace of a simulation; says what is wrong with it where something is. */
export function parseTrace(text: string, path: string): SimulationTrace {
  const trace = readTrace(text, path)
  const config = trace.config as Partial<TraceConfig> | null
  if (
    typeof config?.simulation?.name !== 'string' ||
    typeof config.program !== 'object' ||
    trace.failure === null
  ) {
    throw new UsageError('ERR_WAVETANK_TRACE_FILE', `${path} is a trace, but not of a failing simulation`)
  }
  parseLevel(config.level ?? '')
  return { ...trace, config: config as TraceConfig, failure: trace.failure as Failure }
}

/** The job that replays a trace, given where the simulation's file is now. */
export function replayJob({ config, seed, base, overrides }: SimulationTrace, file: string): SeedJob {
  const { simulation, level } = config
  return {
    simulation: { file, name: simulation.name },
    level,
    seed,
    base,
    overrides,
    misfit: 'diverge',
    keepChoices: true,
    keepHashes: true,
  }
}

/** Files whose content is no longer what it was. */
export function changedFiles({ config }: SimulationTrace, now: Readonly<Record<string, string>>): string[] {
  const names = new Set([...Object.keys(config.program), ...Object.keys(now)])
  return [...names].filter((name) => config.program[name] !== now[name]).sort()
}

function codeHash(program: Readonly<Record<string, string>>): string {
  const { lo, hi } = keyOf(JSON.stringify(program))
  return hi.toString(16).padStart(8, '0') + lo.toString(16).padStart(8, '0')
}
