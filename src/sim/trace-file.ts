/**
 * The file of a failing run: self-contained plain JSON from which `wavetank replay`, `shrink` and `trace` work. It names
 * the simulation, the level, the seed and the choices that were made, the failure, the running hash at the end, and a
 * hash of every file of the program that the run read. A program that changed is not refused: people add a log line and
 * replay; choices that no longer fit are a divergence.
 */
import { UsageError } from '../kernel/errors.ts'
import type { Choice } from '../kernel/choices.ts'
import { parseLevel, type LevelName } from '../faults/levels.ts'
import type { SeedJob } from './campaign/executor.ts'
import type { Failure } from './failure.ts'

const FORMAT = 'wavetank trace'
const VERSION = 1

export interface TraceFile {
  readonly format: typeof FORMAT
  readonly version: typeof VERSION
  /** The simulation's file, relative to the trace's project root, and its name. */
  readonly simulation: { readonly file: string; readonly name: string }
  readonly level: LevelName
  readonly seed: number
  readonly base: 'seed' | 'zero'
  readonly choices: readonly PackedStream[]
  readonly failure: Failure
  /** The running hash and the number of steps at the end. */
  readonly digest: string
  readonly steps: number
  /** Path, relative to the project root → hash of its content. */
  readonly program: Readonly<Record<string, string>>
  readonly shrunk: ShrinkSummary | null
  readonly runtime: { readonly node: string; readonly wavetank: string }
}

export interface ShrinkSummary {
  readonly before: number
  readonly after: number
  readonly faults: number
  readonly runs: number
  readonly minimal: boolean
}

/** All choices of one (entity, label): `[index, n, value, step]` each. */
export type PackedStream = readonly [
  entity: string,
  label: string,
  ...choices: (readonly [number, number, number, number])[],
]

export function packChoices(choices: readonly (Choice & { readonly step?: number })[]): PackedStream[] {
  const streams = new Map<string, [string, string, ...(readonly [number, number, number, number])[]]>()
  for (const { entity, label, index, n, value, step = 0 } of choices) {
    const key = `${entity}\u0000${label}`
    let stream = streams.get(key)
    if (stream === undefined) streams.set(key, (stream = [entity, label]))
    stream.push([index, n, value, step])
  }
  return [...streams.values()]
}

export function unpackChoices(streams: readonly PackedStream[]): (Choice & { readonly step: number })[] {
  return streams.flatMap(([entity, label, ...choices]) => {
    return choices.map(([index, n, value, step]) => ({ entity, label, index, n, value, step }))
  })
}

export function printTraceFile(trace: Omit<TraceFile, 'format' | 'version'>): string {
  return `${JSON.stringify({ format: FORMAT, version: VERSION, ...trace }, null, 1)}\n`
}

/** Reads a trace file; says what is wrong with it where something is. */
export function parseTraceFile(text: string, path: string): TraceFile {
  const wrong = (what: string, cause?: unknown): UsageError => {
    return new UsageError('ERR_WAVETANK_TRACE_FILE', `${path} is not a trace of wavetank: ${what}`, { cause })
  }
  let trace: TraceFile
  try {
    trace = JSON.parse(text) as TraceFile
  } catch (error) {
    throw wrong(`it is not JSON (${(error as Error).message})`, error)
  }
  if (typeof trace !== 'object' || trace === null || trace.format !== FORMAT)
    throw wrong(`"format" is not "${FORMAT}"`)
  if (trace.version !== VERSION)
    throw wrong(`version ${String(trace.version)} is not ${VERSION}; use the wavetank that wrote it`)
  const missing = REQUIRED.filter((key) => trace[key] === undefined)
  if (missing.length > 0) throw wrong(`it lacks ${missing.join(', ')}`)
  if (!Array.isArray(trace.choices) || !trace.choices.every(isPackedStream))
    throw wrong('"choices" is damaged')
  parseLevel(trace.level)
  return trace
}

const REQUIRED = ['simulation', 'level', 'seed', 'base', 'choices', 'failure', 'digest', 'program'] as const

function isPackedStream(stream: unknown): boolean {
  if (!Array.isArray(stream) || typeof stream[0] !== 'string' || typeof stream[1] !== 'string') return false
  return stream
    .slice(2)
    .every((choice) => Array.isArray(choice) && choice.length === 4 && choice.every(Number.isInteger))
}

/** The job that replays a trace; `root` is where its relative paths begin. */
export function replayJob(trace: TraceFile, simulationFile: string): SeedJob {
  return {
    simulation: { file: simulationFile, name: trace.simulation.name },
    level: trace.level,
    seed: trace.seed,
    base: trace.base,
    overrides: unpackChoices(trace.choices),
    misfit: 'diverge',
    keepChoices: true,
  }
}

/** Files whose content is no longer what it was. */
export function changedFiles(trace: TraceFile, now: Readonly<Record<string, string>>): string[] {
  const names = new Set([...Object.keys(trace.program), ...Object.keys(now)])
  return [...names].filter((name) => trace.program[name] !== now[name]).sort()
}
