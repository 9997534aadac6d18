/**
 * Positions of compiled program files in the files people wrote. A file may have been rewritten twice, first from
 * TypeScript and then by a transform of ours: the maps apply from the last to the first.
 *
 * Maps are decoded when a stack trace first needs them.
 */
import { originalPositionFor, TraceMap } from '@jridgewell/trace-mapping'
import { max } from '../../../kernel/arithmetic.ts'

export interface Position {
  /** From 1. */
  readonly line: number
  /** From 1. */
  readonly column: number
}

/** Which rewriting a map describes, in the order in which they happen. */
export type Rewriting = 'typescript' | 'transform'

type FileMaps = { readonly [rewriting in Rewriting]: string | undefined }

const NO_MAPS: FileMaps = { typescript: undefined, transform: undefined }

export class SourceMaps {
  readonly #files = new Map<string, FileMaps>()
  readonly #decoded = new Map<string, TraceMap>()

  /** Sets the map of one rewriting of this file; undefined when there was none. */
  set(filename: string, rewriting: Rewriting, map: string | undefined): void {
    const maps = this.#files.get(filename) ?? NO_MAPS
    if (maps[rewriting] !== map) this.#files.set(filename, { ...maps, [rewriting]: map })
  }

  has(filename: string): boolean {
    return this.#files.has(filename)
  }

  /** Where a position of the compiled file is in the written one; itself when the file was not rewritten. */
  original(filename: string, position: Position): Position {
    const maps = this.#files.get(filename)
    if (maps === undefined) return position
    return this.#through(maps.typescript, this.#through(maps.transform, position))
  }

  /** As {@link original}, for a position before the transform. */
  beforeTransform(filename: string, position: Position): Position {
    return this.#through(this.#files.get(filename)?.typescript, position)
  }

  #through(text: string | undefined, position: Position): Position {
    if (text === undefined) return position
    let map = this.#decoded.get(text)
    if (map === undefined) this.#decoded.set(text, (map = new TraceMap(text)))
    const found = originalPositionFor(map, { line: position.line, column: max(0, position.column - 1) })
    return found.line === null ? position : { line: found.line, column: found.column + 1 }
  }
}
