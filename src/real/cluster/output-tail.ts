/**
 * Follows a file that a node appends to, such as its standard output. Nodes write to files, not to pipes: a write
 * returns when the bytes are there, so whatever a node printed before it sent a message can be read before that message
 * is passed on. Reading all tails before every event of the run keeps causes before effects, without clocks.
 */
import { closeSync, openSync, readSync } from 'node:fs'
import { LineSplitter } from '../../sim/authoring/line-splitter.ts'

const BLOCK = Buffer.allocUnsafe(64 << 10)

export class OutputTail {
  readonly #file: number
  readonly #lines: LineSplitter
  #draining = false

  /** The file must exist. */
  constructor(path: string, line: (text: string) => void) {
    this.#file = openSync(path, 'r')
    this.#lines = new LineSplitter(line)
  }

  /** Reads what is new. A line may cause another call; the first call then reads on, so that lines stay in order. */
  drain(): void {
    if (this.#draining) return
    this.#draining = true
    try {
      for (;;) {
        const bytes = readSync(this.#file, BLOCK, 0, BLOCK.length, null)
        if (bytes === 0) return
        this.#lines.write(BLOCK.subarray(0, bytes))
      }
    } finally {
      this.#draining = false
    }
  }

  close(): void {
    this.drain()
    this.#lines.end()
    closeSync(this.#file)
  }
}
