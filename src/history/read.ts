/**
 * Reading a history from a file, a stream or a text: unpacks gzip, detects the format by content, and feeds the
 * format's reader. Line formats are streamed. Every mistake in the input is a `UsageError`, with line and column
 * where it has a place; a gzip stream that was cut off gives what it holds, as a crash of the recorder leaves it.
 */
import { isUtf8 } from 'node:buffer'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { constants, createGunzip, gunzipSync } from 'node:zlib'
import { UsageError } from '../kernel/errors.ts'
import { detectFormat, formatNamed, FORMATS } from './formats/index.ts'
import type { HistoryFormat, LineReader } from './formats/format.ts'
import { HistorySyntaxError, MAX_TEXT } from './formats/syntax-error.ts'
import type { History } from './history.ts'
import { HistoryBuilder } from './history-builder.ts'

export interface ReadOptions {
  /** Name of the format; detected by content when left out. */
  readonly format?: string
}

/** What a packed text may unpack to when it is read at once; streams have no such bound. */
const MAX_UNPACKED = 1 << 30

/** How much of a file is looked at to detect its format. */
const HEAD_BYTES = 64 * 1024

/** From a path, or from anything that gives bytes, such as `process.stdin`. The format is in `history.format`. */
export async function readHistory(
  source: string | AsyncIterable<Uint8Array>,
  options: ReadOptions = {},
): Promise<History> {
  const bytes = typeof source === 'string' ? createReadStream(source, { highWaterMark: 1 << 20 }) : source
  const input = new HistoryInput(options)
  try {
    for await (const chunk of unpacked(bytes)) input.push(chunk)
  } catch (error) {
    throw readable(error, source)
  }
  return input.end()
}

/** From a whole text or its bytes, packed or not. */
export function parseHistory(source: string | Uint8Array, options: ReadOptions = {}): History {
  const input = new HistoryInput(options)
  const bytes =
    typeof source === 'string'
      ? Buffer.from(source)
      : Buffer.from(source.buffer, source.byteOffset, source.byteLength)
  try {
    input.push(
      isGzip(bytes)
        ? gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: MAX_UNPACKED })
        : bytes,
    )
  } catch (error) {
    throw readable(error, null)
  }
  return input.end()
}

function isGzip(head: Uint8Array): boolean {
  return head.length >= 2 && head[0] === 0x1f && head[1] === 0x8b
}

async function* unpacked(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const iterator = source[Symbol.asyncIterator]()
  const first = await iterator.next()
  if (first.done === true) return
  async function* all(): AsyncGenerator<Uint8Array> {
    yield first.value as Uint8Array
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value
  }
  if (!isGzip(first.value)) {
    for await (const chunk of all()) yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    return
  }
  const gunzip = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH })
  const packed = Readable.from(all())
  packed.on('error', (error) => gunzip.destroy(error))
  yield* packed.pipe(gunzip) as AsyncIterable<Buffer>
}

/** Errors of files and of zlib are the user's; everything else passes. */
function readable(error: unknown, source: unknown): unknown {
  const code = (error as { code?: unknown }).code
  const name = typeof source === 'string' ? source : 'the input'
  if (typeof code !== 'string' || error instanceof UsageError) return error
  if (code === 'ENOENT')
    return new UsageError('ERR_HISTORY_NOT_FOUND', `${name} does not exist`, { cause: error })
  if (code.startsWith('Z_') || code === 'ERR_BUFFER_TOO_LARGE') {
    return new UsageError(
      'ERR_HISTORY_GZIP',
      `${name} is not a good gzip stream: ${(error as Error).message}`,
      { cause: error },
    )
  }
  if (/^E[A-Z]+$/.test(code)) {
    return new UsageError('ERR_HISTORY_UNREADABLE', `${name} cannot be read: ${(error as Error).message}`, {
      cause: error,
    })
  }
  return error
}

/** Takes bytes as they come, cuts them into lines where the format is one of lines, and builds the history. */
class HistoryInput {
  readonly #options: ReadOptions
  readonly #builder = new HistoryBuilder()
  #format: HistoryFormat | null = null
  #lines: LineReader | null = null
  #line = 0
  /** Bytes that wait: before the format is known, of an unfinished line, or of a format that is read whole. */
  #pending: Buffer[] = []
  #pendingBytes = 0

  constructor(options: ReadOptions) {
    this.#options = options
    if (options.format !== undefined && formatNamed(options.format) === null) {
      const names = FORMATS.map((format) => format.name).join(', ')
      throw new UsageError(
        'ERR_HISTORY_FORMAT',
        `unknown format ${options.format}; these are known: ${names}`,
      )
    }
  }

  push(chunk: Buffer): void {
    if (this.#lines !== null) {
      this.#pushLines(chunk)
      return
    }
    this.#wait(chunk)
    if (this.#format === null && this.#pendingBytes >= HEAD_BYTES) this.#begin()
  }

  end(): History {
    if (this.#format === null) this.#begin()
    if (this.#format === null) return this.#builder.finish(null)
    const rest = this.#take()
    if (this.#lines === null) {
      checkUtf8(rest, 1)
      const reader = this.#format.reader(this.#builder)
      if (reader.by === 'text') reader.text(withoutMark(rest.toString('utf8')))
    } else {
      if (rest.length > 0) {
        // A cut in the middle of a character is part of the tear, so only finished lines must be good UTF-8.
        const torn = !isUtf8(rest)
        if (torn && this.#format.name !== 'wavetank') checkUtf8(rest, this.#line + 1)
        this.#lines.line(rest.toString('utf8'), ++this.#line, false)
      }
      this.#lines.end?.()
    }
    return this.#builder.finish(this.#format.name)
  }

  #begin(): void {
    const bytes = this.#take()
    const head = withoutMark(bytes.subarray(0, HEAD_BYTES).toString('utf8'))
    const blank = head.trim() === ''
    this.#format = this.#options.format === undefined ? detectFormat(head) : formatNamed(this.#options.format)
    if (this.#format === null) {
      if (blank && bytes.length < HEAD_BYTES) return
      const start = head.trimStart().slice(0, 40)
      throw new HistorySyntaxError(
        { line: 1, column: 1 },
        `the format cannot be told from ${JSON.stringify(start)}; name it with --format (${FORMATS.map((f) => f.name).join(', ')})`,
      )
    }
    const reader = this.#format.reader(this.#builder)
    if (reader.by === 'line') {
      this.#lines = reader
      this.#pushLines(bytes)
    } else this.#wait(bytes)
  }

  #pushLines(chunk: Buffer): void {
    const last = chunk.lastIndexOf(0x0a)
    if (last < 0) {
      this.#wait(chunk)
      return
    }
    const tail = chunk.subarray(last + 1)
    this.#wait(chunk.subarray(0, last + 1))
    const block = this.#take()
    if (tail.length > 0) this.#wait(tail)
    checkUtf8(block, this.#line + 1)
    const text = this.#line === 0 ? withoutMark(block.toString('utf8')) : block.toString('utf8')
    let start = 0
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      const stop = end > start && text.charCodeAt(end - 1) === 0x0d ? end - 1 : end
      this.#lines!.line(text.slice(start, stop), ++this.#line, true)
      start = end + 1
    }
  }

  #wait(chunk: Buffer): void {
    if (chunk.length === 0) return
    this.#pending.push(chunk)
    this.#pendingBytes += chunk.length
    if (this.#pendingBytes > MAX_TEXT) {
      const what = this.#lines === null ? 'a file of this format' : 'a line'
      throw new HistorySyntaxError(
        { line: this.#line + 1, column: 1 },
        `${what} may not be longer than ${MAX_TEXT} bytes`,
      )
    }
  }

  #take(): Buffer {
    const bytes = this.#pending.length === 1 ? this.#pending[0] : Buffer.concat(this.#pending)
    this.#pending = []
    this.#pendingBytes = 0
    return bytes
  }
}

function withoutMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}

/** Throws at the first byte that is no UTF-8. */
function checkUtf8(bytes: Buffer, firstLine: number): void {
  if (isUtf8(bytes)) return
  let line = firstLine
  let start = 0
  for (
    let end = bytes.indexOf(0x0a);
    end >= 0 && isUtf8(bytes.subarray(start, end));
    end = bytes.indexOf(0x0a, start)
  ) {
    line++
    start = end + 1
  }
  const end = bytes.indexOf(0x0a, start)
  const bad = bytes.subarray(start, end < 0 ? bytes.length : end)
  // The longest good beginning, by halving; its length in characters is the column.
  let good = 0
  for (let step = bad.length; step >= 1; step = Math.floor(step / 2)) {
    while (good + step <= bad.length && goodPrefix(bad, good + step)) good += step
  }
  const column = bad.subarray(0, good).toString('utf8').length + 1
  throw new HistorySyntaxError({ line, column }, `byte 0x${bad[good]?.toString(16) ?? '0a'} is not UTF-8`)
}

/** Whether the first bytes are good UTF-8, where a last character may be cut. */
function goodPrefix(bytes: Buffer, length: number): boolean {
  for (let cut = 0; cut < 4; cut++)
    if (length - cut >= 0 && isUtf8(bytes.subarray(0, length - cut))) return cut === 0
  return false
}
