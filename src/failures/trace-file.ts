/**
 * A trace as a file: everything that is needed to run a failure of a simulation or a race again, and to notice if it is no
 * longer the same run. One JSON document, made to be read by people too: one line per stream of choices. Text in, data
 * out, and back; `keep.ts` knows the files.
 *
 * A run is its seed and its choices over zeros. `program` has the content hashes of the program's files; a change of them
 * is no error, since people add a log line and replay. The checksum tells a damaged file from an old one. A file may be
 * sealed by a right checksum and hold anything: `trace-shape.ts` checks every field that is used.
 */
import type { LevelName } from '../faults/levels.ts'
import type { RaceFailure } from '../explore/finding/failure.ts'
import type { RaceFinding } from '../explore/finding/finding.ts'
import type { RunOptions } from '../explore/search/options.ts'
import type { Choice } from '../kernel/choices.ts'
import { UsageError } from '../kernel/errors.ts'
import { decodeHashes, encodeHashes } from '../kernel/hash-log.ts'
import { keyOf } from '../kernel/prng.ts'
import type { ShrinkSummary } from '../sim/campaign/result.ts'
import type { Failure } from '../sim/running/failure.ts'
import { isCount, Misshapen } from './json-shape.ts'
import { TRACE_SHAPE } from './trace-shape.ts'

export const TRACE_VERSION = 2
const FORMAT = 'wavetank-trace'

interface RecordedRunFile {
  readonly seed: number
  /** Every choice that is not the simplest. */
  readonly choices: readonly Choice[]
  /** Path, relative to the project's root → hash of its content. */
  readonly program: Readonly<Record<string, string>>
  readonly nodeVersion: string
  /** The wavetank that wrote it. */
  readonly wavetank: string
  readonly steps: number
  /** The running hash at the end. */
  readonly digest: string
  /** The running hash after every step (its low eighteen bits); empty for a run that got stuck. */
  readonly hashes: Uint32Array
}

export interface SimulationTrace extends RecordedRunFile {
  readonly kind: 'simulation'
  readonly failure: Failure
  readonly config: {
    /** The file that declares it, relative to the project's root, and its name. */
    readonly simulation: { readonly file: string; readonly name: string }
    readonly level: LevelName
    readonly shrunk: ShrinkSummary | null
    /** How to reach an inline simulation again; null for one in a simulation file. */
    readonly inline: InlineCommand | null
  }
}

/** The program that makes an inline simulation: a test file under its runner, or a script. */
export interface InlineCommand {
  readonly runner: 'vitest' | 'node'
  /** Relative to the project's root. */
  readonly file: string
  /** The test's titles, from the outside in; null if they are not known. */
  readonly titles: readonly string[] | null
  /** The folder in which it ran, relative to the project's root. */
  readonly folder: string
  /** Flags of Node itself. */
  readonly nodeFlags: readonly string[]
}

export interface RaceTrace extends RecordedRunFile {
  readonly kind: 'race'
  readonly failure: RaceFailure
  readonly config: RunOptions & {
    /** The file, relative to the project's root, and the race's title. */
    readonly race: { readonly file: string; readonly title: string }
    /** The finding, so that it can be shown without a run. */
    readonly finding: RaceFinding
  }
}

export type TraceFile = SimulationTrace | RaceTrace

/** A stream of choices on one line: entity, label, then [index, range, value] for each. */
type StreamLine = readonly [string, string, readonly (readonly [number, number, number])[]]

export function printTrace(trace: TraceFile): string {
  const { kind, seed, config, failure, program, nodeVersion, wavetank, steps, digest } = trace
  const hashes = encodeHashes(trace.hashes)
  const fields = { kind, seed, config, failure, program, nodeVersion, wavetank, steps, digest, hashes }
  const lines = groupByStream(trace.choices).map((line) => `    ${JSON.stringify(line)}`)
  const body = [
    ...Object.entries(fields).map(
      ([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value ?? null)}`,
    ),
    `  "choices": [${lines.length === 0 ? '' : `\n${lines.join(',\n')}\n  `}]`,
  ].join(',\n')
  return sealed(body)
}

/** A body with its head: format, version and checksum. */
export function sealed(body: string): string {
  return `{\n  "format": "${FORMAT}",\n  "version": ${TRACE_VERSION},\n  "checksum": "${contentHash(body)}",\n${body}\n}\n`
}

/** Reads a trace. `source` names it in errors. */
export function parseTrace(file: string, source: string = 'trace'): TraceFile {
  const text = file.replaceAll('\r\n', '\n') // a checkout may have changed line ends
  const fields = fieldsOf(text, source)
  const start = text.indexOf('\n', text.indexOf('"checksum"')) + 1
  const body = text.slice(start).replace(/\n\}\s*$/, '')
  if (fields['checksum'] !== contentHash(body))
    throw corrupt(source, 'its checksum does not match: it was cut off or changed after it was written')
  try {
    TRACE_SHAPE(fields, '')
  } catch (error) {
    if (!(error instanceof Misshapen)) throw error
    throw corrupt(source, error.message, error)
  }
  const choices = choicesOf(fields['choices'], source)
  const hashes = decodeHashes(fields['hashes'] as string)
  if (hashes.length > 0 && hashes.length !== fields['steps'])
    throw corrupt(source, `it has ${fields['steps'] as number} steps and ${hashes.length} hashes`)
  const { format: _, version: __, checksum: ___, ...rest } = fields
  return { ...rest, choices, hashes } as unknown as TraceFile
}

function fieldsOf(text: string, source: string): Record<string, unknown> {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (cause) {
    throw corrupt(source, 'it is not JSON', cause)
  }
  const fields = (typeof parsed === 'object' ? parsed : null) as Record<string, unknown> | null
  if (fields?.['format'] !== FORMAT)
    throw corrupt(source, `it is not a trace: "format" should be "${FORMAT}"`)
  const { version } = fields
  if (version === TRACE_VERSION) return fields
  const is = typeof version === 'number' ? `of version ${version}` : 'without a version'
  const way =
    typeof version === 'number' && version > TRACE_VERSION
      ? 'replay it with the newer wavetank that wrote it'
      : 'run the simulation or the test again to record the failure anew, or replay it with the wavetank that wrote it'
  throw new UsageError(
    'ERR_WAVETANK_TRACE_VERSION',
    `${source}: this is a trace ${is}, and this wavetank reads version ${TRACE_VERSION}; ${way}`,
  )
}

function choicesOf(value: unknown, source: string): Choice[] {
  if (!Array.isArray(value)) throw corrupt(source, '"choices" should be a list')
  const choices: Choice[] = []
  for (const line of value as unknown[]) {
    const [entity, label, entries] = Array.isArray(line) ? (line as unknown[]) : []
    if (typeof entity !== 'string' || typeof label !== 'string' || !Array.isArray(entries)) {
      const shown = JSON.stringify(line)
      throw corrupt(source, `"choices" has the line ${shown}, which should be [entity, label, choices]`)
    }
    for (const entry of entries as unknown[]) {
      const [index, n, chosen] = Array.isArray(entry) ? (entry as unknown[]) : []
      if (!isCount(index) || !isCount(n) || !isCount(chosen) || chosen >= n) {
        throw corrupt(
          source,
          `choice ${JSON.stringify(entry)} of ${entity} ${label} should be [index, range, value] with the value below the range`,
        )
      }
      choices.push({ entity, label, index, n, value: chosen })
    }
  }
  return choices
}

function groupByStream(choices: readonly Choice[]): StreamLine[] {
  const streams = new Map<string, [string, string, [number, number, number][]]>()
  for (const { entity, label, index, n, value } of choices) {
    const key = JSON.stringify([entity, label])
    let line = streams.get(key)
    if (line === undefined) streams.set(key, (line = [entity, label, []]))
    line[2].push([index, n, value])
  }
  return [...streams.values()]
}

/** A short hash of a text, for traces. */
export function contentHash(text: string): string {
  const { lo, hi } = keyOf(text)
  return (hi >>> 0).toString(16).padStart(8, '0') + (lo >>> 0).toString(16).padStart(8, '0')
}

function corrupt(source: string, reason: string, cause?: unknown): UsageError {
  return new UsageError('ERR_WAVETANK_TRACE_CORRUPT', `${source}: cannot be read as a trace: ${reason}`, {
    cause,
  })
}
