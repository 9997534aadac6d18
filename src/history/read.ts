/**
 * Reading a history from a file, a stream or a text: unpacks gzip, detects the format by content, and feeds the
 * format's reader. Formats of lines and of values are streamed. Every mistake in the input is a `UsageError`, with line
 * and column where it has a place. What a crash of the recorder cut off, a last line or a gzip stream, is read as far as it
 * goes, and the cut is a problem of the history.
 */
import { isUtf8 } from 'node:buffer'
import { createReadStream } from 'node:fs'
import { constants, createGunzip, gunzipSync } from 'node:zlib'
import { UsageError } from '../kernel/errors.ts'
import { detectFormat, formatNamed, FORMATS } from './formats/index.ts'
import type { HistoryFormat, LineReader, StreamReader } from './formats/format.ts'
import { HistorySyntaxError, MAX_TEXT } from './formats/syntax-error.ts'
import type { History } from './history.ts'
import { HistoryBuilder } from './history-builder.ts'

export interface ReadOptions {
  /** Name of the format; detected by content when left out. */
  readonly format?: string
  /**
   * Called before values of about this many bytes are made, and with 0 every few thousand events. What it throws ends
   * the reading.
   */
  readonly reserve?: (bytes: number) => void
}

/** What a packed text may unpack to when it is read at once; streams have no such bound. */
const MAX_UNPACKED = 1 << 30

/** How much of a text is handed to a reader of pieces at once. */
const PIECE_BYTES = 1 << 20

/** Bytes that the values of a text take, for each byte of the text, when it is parsed at once. */
const VALUES_PER_BYTE = 8

/** Bytes of lines from which on room is asked for before they are parsed. */
const LONG_LINE = 4 << 20

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
    for await (const chunk of unpacked(bytes, () => input.cutOff())) input.push(chunk)
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
    const text = isGzip(bytes) ? gunzipWhole(bytes, () => input.cutOff()) : bytes
    for (let at = 0; at < text.length; at += PIECE_BYTES) input.push(text.subarray(at, at + PIECE_BYTES))
  } catch (error) {
    throw readable(error, null)
  }
  return input.end()
}

function isGzip(head: Uint8Array): boolean {
  return head.length >= 2 && head[0] === 0x1f && head[1] === 0x8b
}

/** Unpacks bytes at once; those of a stream that was cut off as far as they go. */
function gunzipWhole(bytes: Buffer, cutOff: () => void): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_UNPACKED })
  } catch (error) {
    if (!isCutOff(error)) throw error
    cutOff()
    return gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: MAX_UNPACKED })
  }
}

function isCutOff(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'Z_BUF_ERROR'
}

async function* unpacked(source: AsyncIterable<Uint8Array>, cutOff: () => void): AsyncGenerator<Buffer> {
  const iterator = source[Symbol.asyncIterator]()
  const first = await iterator.next()
  if (first.done === true) return
  async function* all(): AsyncGenerator<Uint8Array> {
    yield first.value as Uint8Array
    try {
      for (let next = await iterator.next(); next.done !== true; next = await iterator.next())
        yield next.value
    } finally {
      await iterator.return?.()
    }
  }
  if (!isGzip(first.value)) {
    for await (const chunk of all()) yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    return
  }
  yield* gunzipped(all(), cutOff)
}

/**
 * Feeds one chunk after the other and hands out what came of it, so that nothing waits inside the stream when it turns out
 * at the end that the input was cut off.
 */
async function* gunzipped(source: AsyncIterable<Uint8Array>, cutOff: () => void): AsyncGenerator<Buffer> {
  const gunzip = createGunzip()
  const chunks: Buffer[] = []
  let failure: Error | null = null
  gunzip.on('data', (chunk: Buffer) => chunks.push(chunk))
  gunzip.on('error', (error: Error) => (failure = error))
  const ended = new Promise<void>((resolve) => gunzip.once('close', resolve))
  for await (const packed of source) {
    const written = new Promise<void>((resolve) => gunzip.write(packed, () => resolve()))
    await Promise.race([written, ended])
    yield* chunks.splice(0)
    if (failure !== null) break
  }
  gunzip.end()
  await ended
  yield* chunks.splice(0)
  if (failure === null) return
  if (!isCutOff(failure)) throw failure as Error
  cutOff()
}

/** Errors of files and of zlib are the user's; everything else passes. */
function readable(error: unknown, source: unknown): unknown {
  const code = (error as { code?: unknown }).code
  const name = typeof source === 'string' ? source : 'the input'
  if (typeof code !== 'string' || error instanceof UsageError) return error
  if (code === 'ENOENT')
    return new UsageError('ERR_WAVETANK_HISTORY_NOT_FOUND', `${name} does not exist`, { cause: error })
  if (code.startsWith('Z_') || code === 'ERR_BUFFER_TOO_LARGE') {
    return new UsageError(
      'ERR_WAVETANK_HISTORY_GZIP',
      `${name} is not a good gzip stream: ${(error as Error).message}`,
      { cause: error },
    )
  }
  if (code === 'EISDIR') {
    const message = `${name} is a folder, and no history`
    return new UsageError('ERR_WAVETANK_HISTORY_UNREADABLE', message, { cause: error })
  }
  if (/^E[A-Z]+$/.test(code)) {
    return new UsageError(
      'ERR_WAVETANK_HISTORY_UNREADABLE',
      `${name} cannot be read: ${(error as Error).message}`,
      {
        cause: error,
      },
    )
  }
  return error
}

/** Takes bytes as they come, cuts them into lines where the format is one of lines, and builds the history. */
class HistoryInput {
  readonly #options: ReadOptions
  readonly #builder: HistoryBuilder
  #format: HistoryFormat | null = null
  #lines: LineReader | null = null
  #stream: StreamReader | null = null
  #line = 0
  /** Bytes that wait: before the format is known, of an unfinished line, or of a format that is read whole. */
  #pending: Buffer[] = []
  #pendingBytes = 0
  #isCutOff = false

  constructor(options: ReadOptions) {
    this.#options = options
    this.#builder = new HistoryBuilder(options.reserve)
    if (options.format !== undefined && formatNamed(options.format) === null) {
      const names = FORMATS.map((format) => format.name).join(', ')
      throw new UsageError(
        'ERR_WAVETANK_HISTORY_FORMAT',
        `unknown format ${options.format}; these are known: ${names}`,
      )
    }
  }

  push(chunk: Buffer): void {
    this.#options.reserve?.(chunk.length)
    if (this.#lines !== null) {
      this.#pushLines(chunk)
      return
    }
    if (this.#stream !== null) {
      this.#pushText(chunk)
      return
    }
    this.#wait(chunk)
    if (this.#format === null && this.#pendingBytes >= HEAD_BYTES) this.#begin()
  }

  /** The packed source ended before it was complete. */
  cutOff(): void {
    this.#isCutOff = true
    const message = 'the gzip stream is cut off; what it holds up to there was read'
    this.#builder.problem('cut-off-gzip', message, null)
  }

  end(): History {
    try {
      this.#readRest()
    } catch (error) {
      if (!this.#isCutOff || !(error instanceof HistorySyntaxError)) throw error
      throw new HistorySyntaxError(error, `${error.what}; the gzip stream is cut off`)
    }
    const history = this.#builder.finish(this.#format?.name ?? null)
    if (!history.realTime) refuseCut(history, Math.max(1, this.#line))
    return history
  }

  #readRest(): void {
    if (this.#format === null) this.#begin()
    if (this.#format === null) return
    const rest = this.#take()
    if (this.#stream !== null) {
      checkUtf8(rest, this.#stream.line)
      this.#stream.push(rest.toString('utf8'))
      this.#stream.end()
    } else if (this.#lines === null) {
      checkUtf8(rest, 1)
      const reader = this.#format.reader(this.#builder)
      this.#options.reserve?.(rest.length * VALUES_PER_BYTE)
      if (reader.by === 'text') reader.text(withoutMark(rest.toString('utf8')))
    } else {
      if (rest.length > 0) {
        // A cut in the middle of a character is part of the tear, so only finished lines must be good UTF-8.
        this.#lastLine(rest.toString('utf8'), this.#lines)
      }
      this.#lines.end?.()
    }
  }

  /**
   * A last line without its end may have been cut off by a crash. Then it is skipped and reported, unless it is the only
   * one, or is whole JSON and means nothing: that is a mistake. In a stream that is known to be cut off, a line that
   * looks whole may have been longer: `read 12` of `read 123`.
   */
  #lastLine(text: string, lines: LineReader): void {
    const line = ++this.#line
    if (this.#isCutOff) {
      this.#builder.problem('torn-last-line', 'the last line is cut off; it was skipped', { line, column: 1 })
      return
    }
    try {
      lines.line(text, line, false)
    } catch (error) {
      if (!(error instanceof HistorySyntaxError) || line === 1 || isJson(text)) throw error
      const message = `the last line is cut off at column ${error.column}; it was skipped`
      this.#builder.problem('torn-last-line', message, { line, column: 1 })
    }
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
    } else if (reader.by === 'stream') {
      this.#stream = reader
      const marked = bytes.length >= 3 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
      this.#pushText(marked ? bytes.subarray(3) : bytes)
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
    // A line that came in pieces is parsed at once.
    if (this.#pendingBytes > LONG_LINE) this.#options.reserve?.(this.#pendingBytes * VALUES_PER_BYTE)
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

  /** Hands on all whole characters; the bytes of one that is cut wait for the next chunk. */
  #pushText(chunk: Buffer): void {
    this.#wait(chunk)
    const bytes = this.#take()
    let end = bytes.length
    // At most three bytes of a character can wait for its last one.
    for (let back = 1; back <= 3 && back <= bytes.length; back++) {
      const byte = bytes[bytes.length - back]
      if ((byte & 0xc0) === 0x80) continue
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
      if (length > back) end = bytes.length - back
      break
    }
    if (end < bytes.length) this.#wait(bytes.subarray(end))
    for (let start = 0; start < end;) {
      const stop = characterEnd(bytes, Math.min(end, start + PIECE_BYTES), end)
      const piece = bytes.subarray(start, stop)
      checkUtf8(piece, this.#stream!.line)
      this.#stream!.push(piece.toString('utf8'))
      start = stop
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

/** Files of sessions are not in the order of time: what a read saw may be in the part that is missing. */
function refuseCut({ problems, format }: History, lastLine: number): void {
  const cut = problems.find(({ code }) => code === 'cut-off-gzip' || code === 'torn-last-line')
  if (cut === undefined) return
  throw new HistorySyntaxError(
    { line: cut.line ?? lastLine, column: 1 },
    `the file is cut off; a history in the format ${format} must be whole, because its reads may have seen writes of the part that is missing`,
  )
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The first end of a character from an offset on. */
function characterEnd(bytes: Buffer, from: number, end: number): number {
  let at = from
  while (at < end && (bytes[at] & 0xc0) === 0x80) at++
  return at
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
