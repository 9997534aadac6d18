/**
 * Writing histories: a whole history in any format, or event by event as things happen. The event writer hands every
 * line to the operating system before it returns, so that a crash of the recording process loses nothing that was
 * recorded; a compressed one is flushed every {@link GZIP_FLUSH_EVENTS} events, which is what a crash may cost.
 */
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { UsageError } from '../kernel/errors.ts'
import { FORMATS, formatNamed } from './formats/index.ts'
import { HEADER, printEvent, printFault } from './formats/wavetank.ts'
import type { History } from './history.ts'
import type { HistoryEvent } from './operation.ts'

const GZIP_FLUSH_EVENTS = 100
const BLOCK_CHARACTERS = 1 << 20

/** The history as text in one of the known formats. */
export function* printHistory(history: History, format = 'wavetank'): Generator<string> {
  const known = formatNamed(format)
  if (known === null) {
    const names = FORMATS.map(({ name }) => name).join(', ')
    throw new UsageError('ERR_WAVETANK_HISTORY_FORMAT', `unknown format ${format}; these are known: ${names}`)
  }
  yield* known.write(history)
}

/** Writes a whole history to a file; a name that ends in `.gz` is compressed. */
export function writeHistory(path: string, history: History, format = 'wavetank'): void {
  const file = new BlockFile(path, BLOCK_CHARACTERS)
  try {
    for (const piece of printHistory(history, format)) file.write(piece)
    file.flush()
  } finally {
    file.close()
  }
}

/** Appends events to a file as they happen. Survives a crash of its process; `sync` makes it survive the machine's. */
export class HistoryWriter {
  readonly #file: BlockFile
  readonly #flushEvery: number
  #unflushed = 0

  constructor(path: string) {
    this.#file = new BlockFile(path, BLOCK_CHARACTERS)
    this.#flushEvery = path.endsWith('.gz') ? GZIP_FLUSH_EVENTS : 1
    this.#write(`${HEADER}\n`)
  }

  event(event: HistoryEvent): void {
    this.#write(printEvent(event))
  }

  fault(fault: { f: string; value: unknown; time: number | null }): void {
    this.#write(printFault(fault))
  }

  /** Brings everything written so far to the disk itself. */
  sync(): void {
    this.#file.flush()
    this.#file.sync()
  }

  close(): void {
    this.#file.flush()
    this.#file.close()
  }

  #write(line: string): void {
    this.#file.write(line)
    if (++this.#unflushed < this.#flushEvery) return
    this.#unflushed = 0
    this.#file.flush()
  }
}

/** A file written in blocks. A compressed block is a gzip member of its own, so that each one can be read alone. */
class BlockFile {
  readonly #file: number
  readonly #packed: boolean
  readonly #size: number
  #block = ''

  constructor(path: string, size: number) {
    this.#file = openSync(path, 'w')
    this.#packed = path.endsWith('.gz')
    this.#size = size
  }

  write(text: string): void {
    this.#block += text
    if (this.#block.length > this.#size) this.flush()
  }

  flush(): void {
    if (this.#block === '') return
    const bytes = Buffer.from(this.#block)
    this.#block = ''
    const rest = this.#packed ? gzipSync(bytes) : bytes
    for (let at = 0; at < rest.length;) at += writeSync(this.#file, rest, at)
  }

  sync(): void {
    fsyncSync(this.#file)
  }

  close(): void {
    closeSync(this.#file)
  }
}
