/**
 * What nodes print, line by line. Nodes write to files, not to pipes: a write returns when the bytes are there, so whatever
 * a node printed before it sent a message can be read before that message is passed on. Reading all files before every
 * event of the run, and before every message between nodes, keeps causes before effects, without clocks. Lines of different
 * nodes that are read at once have no order in reality either; lines of one file always keep theirs.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { LineSplitter } from '../../sim/authoring/line-splitter.ts'

const BLOCK = Buffer.allocUnsafe(64 << 10)

/** A file whose lines can be asked for before its turn. */
export interface Followed {
  /** Reads what is new in the first `size` bytes. */
  drain(size: number): void
}

export class Outputs {
  readonly #tails: Tail[] = []
  #draining = false
  #again = false

  /** Follows a file of a node, which must exist. Files are read in the order in which they are followed. */
  follow(node: string, path: string, line: (text: string) => void): Followed {
    const tail = new Tail(node, path, line)
    this.#tails.push(tail)
    return tail
  }

  /** Reads what is new. A line may cause another call: that one leaves it to the first, so that lines stay in order. */
  drain(): void {
    this.#again = true
    if (this.#draining) return
    this.#draining = true
    try {
      while (this.#again) {
        this.#again = false
        // A node goes on writing: what it writes into a first file and then into a second must not be seen in the
        // second alone. So the second is read only as far as it was written before a look at the first.
        const sizes = this.#tails.toReversed().map((tail) => tail.size())
        for (const tail of this.#tails) tail.drain(sizes.pop())
      }
    } finally {
      this.#draining = false
    }
  }

  /**
   * The process of a node is gone, and a later one may append to the same files: what it left without a newline never
   * becomes part of another line. A process that ended by itself has printed it, so it is a line. A signal may have torn
   * the last write: it never returned, so nothing can have followed from that line, and it is none.
   */
  end(node: string, byItself: boolean): void {
    this.drain()
    for (const tail of this.#tails) if (tail.node === node) tail.end(byItself)
  }

  close(): void {
    this.drain()
    for (const tail of this.#tails.splice(0)) tail.close()
  }
}

class Tail implements Followed {
  readonly node: string
  #read = 0
  readonly #file: number
  readonly #line: (text: string) => void
  #lines: LineSplitter

  constructor(node: string, path: string, line: (text: string) => void) {
    this.node = node
    this.#file = openSync(path, 'r')
    this.#line = line
    this.#lines = new LineSplitter(line)
  }

  size(): number {
    return fstatSync(this.#file).size
  }

  drain(size = 0): void {
    while (this.#read < size) {
      const bytes = readSync(this.#file, BLOCK, 0, Math.min(BLOCK.length, size - this.#read), null)
      if (bytes === 0) return
      this.#read += bytes
      this.#lines.write(BLOCK.subarray(0, bytes))
    }
  }

  end(byItself: boolean): void {
    if (byItself) this.#lines.end()
    this.#lines = new LineSplitter(this.#line)
  }

  close(): void {
    closeSync(this.#file)
  }
}
