/**
 * Positions of compiled program files in the files people wrote. A file may have been rewritten more than once
 * (TypeScript, then a scheduling transform): its maps apply from the last to the first.
 *
 * Maps are decoded when a stack trace first needs them.
 */
import { originalPositionFor, TraceMap } from '@jridgewell/trace-mapping'

export interface Position {
  /** From 1. */
  readonly line: number
  /** From 1. */
  readonly column: number
}

export class SourceMaps {
  readonly #texts = new Map<string, string[]>()
  readonly #decoded = new Map<string, TraceMap[]>()

  /** Adds the map of a further rewriting of this file. */
  add(filename: string, map: string): void {
    const texts = this.#texts.get(filename)
    if (texts === undefined) this.#texts.set(filename, [map])
    else texts.push(map)
    this.#decoded.delete(filename)
  }

  has(filename: string): boolean {
    return this.#texts.has(filename)
  }

  /** Forgets what is known of a file, before it is compiled again from other text. */
  clear(filename: string): void {
    this.#texts.delete(filename)
    this.#decoded.delete(filename)
  }

  /** Where a position of the compiled file is in the written one; itself when the file was not rewritten. */
  original(filename: string, position: Position): Position {
    const texts = this.#texts.get(filename)
    if (texts === undefined) return position
    let maps = this.#decoded.get(filename)
    if (maps === undefined) {
      maps = texts.toReversed().map((text) => new TraceMap(text))
      this.#decoded.set(filename, maps)
    }
    let { line, column } = position
    for (const map of maps) {
      const found = originalPositionFor(map, { line, column: Math.max(0, column - 1) })
      if (found.line === null) return position
      ;[line, column] = [found.line, found.column + 1]
    }
    return { line, column }
  }
}
