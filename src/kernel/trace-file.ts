/**
 * A trace as a file: everything that is needed to run a failure again, and to notice when it is no longer the same run.
 * One JSON document, made to be read by people too: one line per stream of choices. Text in, data out, and back; where
 * the text comes from is somebody else's business.
 *
 * `config` is whatever describes the run to the layer above (which simulation, at what level); it is kept as it is. The
 * checksum tells a damaged file from an old one; a changed `codeHash` is no error, since people add a log line and replay.
 */
import type { Choice } from './choices.ts'
import { UsageError } from './errors.ts'
import { decodeHashes, encodeHashes } from './hash-log.ts'
import { keyOf } from './prng.ts'

export const TRACE_VERSION = 1
const FORMAT = 'wavetank-trace'

export interface TraceFile {
  readonly config: unknown
  readonly seed: number
  readonly base: 'seed' | 'zero'
  readonly overrides: readonly Choice[]
  /** What went wrong, in the terms of the layer above; null for a run without failure. */
  readonly failure: unknown
  /** Of the program's code, so that a replay can say that it changed. */
  readonly codeHash: string
  readonly nodeVersion: string
  readonly steps: number
  /** The running hash at the end. */
  readonly digest: string
  /** The running hash after every step (its low eighteen bits); empty where it was not kept. */
  readonly hashes: Uint32Array
}

/** A stream of choices on one line: entity, label, then [index, range, value] for each. */
type StreamLine = readonly [string, string, readonly (readonly [number, number, number])[]]

export function writeTrace(trace: TraceFile): string {
  const lines = groupByStream(trace.overrides).map((line) => `    ${JSON.stringify(line)}`)
  const fields = [
    ['seed', trace.seed],
    ['base', trace.base],
    ['config', trace.config],
    ['failure', trace.failure],
    ['codeHash', trace.codeHash],
    ['nodeVersion', trace.nodeVersion],
    ['steps', trace.steps],
    ['digest', trace.digest],
    ['hashes', encodeHashes(trace.hashes)],
  ] as const
  const body = [
    ...fields.map(([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value ?? null)}`),
    `  "choices": [${lines.length === 0 ? '' : `\n${lines.join(',\n')}\n  `}]`,
  ].join(',\n')
  return `{\n  "format": "${FORMAT}",\n  "version": ${TRACE_VERSION},\n  "checksum": "${checksum(body)}",\n${body}\n}\n`
}

/** Reads a trace. `source` names it in errors. */
export function readTrace(file: string, source: string = 'trace'): TraceFile {
  const text = file.replaceAll('\r\n', '\n') // a checkout may have changed line ends
  const fields = parseFields(text, source)
  const start = text.indexOf('\n', text.indexOf('"checksum"')) + 1
  const body = text.slice(start).replace(/\n\}\s*$/, '')
  if (fields['checksum'] !== checksum(body)) {
    throw corrupt(source, 'its checksum does not match: it was cut off or changed after it was written')
  }
  const reader = new FieldReader(fields, source)
  return {
    config: fields['config'],
    seed: reader.integer('seed'),
    base: reader.oneOf('base', ['seed', 'zero']),
    overrides: readChoices(fields['choices'], source),
    failure: fields['failure'],
    codeHash: reader.string('codeHash'),
    nodeVersion: reader.string('nodeVersion'),
    steps: reader.integer('steps'),
    digest: reader.string('digest'),
    hashes: decodeHashes(reader.string('hashes')),
  }
}

function parseFields(text: string, source: string): Record<string, unknown> {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (cause) {
    throw corrupt(source, 'it is not JSON', cause)
  }
  if (
    typeof parsed !== 'object' ||
    parsed === null ||
    (parsed as Record<string, unknown>)['format'] !== FORMAT
  ) {
    throw corrupt(source, `it is not a trace: "format" should be "${FORMAT}"`)
  }
  const fields = parsed as Record<string, unknown>
  if (fields['version'] !== TRACE_VERSION) {
    throw new UsageError(
      'ERR_WAVETANK_TRACE_VERSION',
      `${source}: this is a trace of version ${JSON.stringify(fields['version'])}, and this wavetank reads version ${TRACE_VERSION}; replay it with the wavetank that wrote it`,
    )
  }
  return fields
}

class FieldReader {
  private readonly fields: Record<string, unknown>
  private readonly source: string

  constructor(fields: Record<string, unknown>, source: string) {
    this.fields = fields
    this.source = source
  }

  string(name: string): string {
    const value = this.fields[name]
    if (typeof value !== 'string') throw this.wrong(name, 'a string')
    return value
  }

  integer(name: string): number {
    const value = this.fields[name]
    if (!isCount(value)) throw this.wrong(name, 'a non-negative integer')
    return value
  }

  oneOf<T extends string>(name: string, values: readonly T[]): T {
    const value = this.fields[name]
    if (!values.includes(value as T)) throw this.wrong(name, `one of ${values.join(', ')}`)
    return value as T
  }

  private wrong(name: string, expected: string): UsageError {
    return corrupt(this.source, `"${name}" should be ${expected}, not ${JSON.stringify(this.fields[name])}`)
  }
}

function readChoices(value: unknown, source: string): Choice[] {
  if (!Array.isArray(value)) throw corrupt(source, '"choices" should be a list')
  const choices: Choice[] = []
  for (const line of value as unknown[]) {
    const [entity, label, entries] = Array.isArray(line) ? (line as unknown[]) : []
    if (typeof entity !== 'string' || typeof label !== 'string' || !Array.isArray(entries)) {
      throw corrupt(
        source,
        `"choices" has the line ${JSON.stringify(line)}, which should be [entity, label, choices]`,
      )
    }
    for (const entry of entries as unknown[]) {
      const [index, n, value] = Array.isArray(entry) ? (entry as unknown[]) : []
      if (!isCount(index) || !isCount(n) || !isCount(value) || value >= n) {
        throw corrupt(
          source,
          `choice ${JSON.stringify(entry)} of ${entity} ${label} should be [index, range, value] with the value below the range`,
        )
      }
      choices.push({ entity, label, index, n, value })
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

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

function checksum(body: string): string {
  const { lo, hi } = keyOf(body)
  return (hi >>> 0).toString(16).padStart(8, '0') + (lo >>> 0).toString(16).padStart(8, '0')
}

function corrupt(source: string, reason: string, cause?: unknown): UsageError {
  return new UsageError('ERR_WAVETANK_TRACE_CORRUPT', `${source}: cannot be read as a trace: ${reason}`, {
    cause,
  })
}
