/**
 * Splits what a node writes into lines. A line above the limit is reported once and dropped up to its end, so that a
 * node that never writes a newline costs bounded memory.
 */
import { StringDecoder } from 'node:string_decoder'

export class LineReader {
  readonly #decoder = new StringDecoder('utf8')
  readonly #limit: number
  readonly #line: (text: string) => void
  readonly #tooLong: (beginning: string) => void
  #pieces: string[] = []
  #length = 0
  #skipping = false

  constructor(limit: number, line: (text: string) => void, tooLong: (beginning: string) => void) {
    this.#limit = limit
    this.#line = line
    this.#tooLong = tooLong
  }

  write(bytes: Uint8Array): void {
    const text = this.#decoder.write(bytes)
    let from = 0
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      this.#add(text.slice(from, end))
      from = end + 1
      this.end()
    }
    if (from < text.length) this.#add(text.slice(from))
  }

  /** The line is over, by a newline or because the node is gone. */
  end(): void {
    const line = this.#pieces.join('')
    const skipped = this.#skipping
    this.#pieces = []
    this.#length = 0
    this.#skipping = false
    if (!skipped && line !== '') this.#line(line)
  }

  #add(piece: string): void {
    if (this.#skipping) return
    this.#pieces.push(piece)
    this.#length += piece.length
    if (this.#length <= this.#limit) return
    this.#skipping = true
    this.#tooLong(this.#pieces.join('').slice(0, SHOWN))
    this.#pieces = []
  }
}

/** Characters of a line that is too long which a report shows. */
const SHOWN = 200
