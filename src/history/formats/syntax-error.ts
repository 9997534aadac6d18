/**
 * A file that is not what it should be: the reader's mistake report, always with line and column, counted from 1.
 */
import { UsageError } from '../../kernel/errors.ts'
import type { TextPosition } from '../problem.ts'

export class HistorySyntaxError extends UsageError {
  readonly line: number
  readonly column: number
  /** The message without the place. */
  readonly what: string
  constructor(at: TextPosition, message: string) {
    super('ERR_WAVETANK_HISTORY_SYNTAX', `line ${at.line}, column ${at.column}: ${message}`)
    this.line = at.line
    this.column = at.column
    this.what = message
  }
}

/** Line and column of an offset in a text. */
export function positionAt(text: string, offset: number): TextPosition {
  let line = 1
  let start = 0
  for (let next = text.indexOf('\n'); next >= 0 && next < offset; next = text.indexOf('\n', start)) {
    line++
    start = next + 1
  }
  return { line, column: offset - start + 1 }
}

/** How deep values may nest. Deeper is an attack or an accident, and would end in a stack overflow somewhere. */
export const MAX_DEPTH = 512

/** How many characters one line, or one file of a format that is read whole, may have. */
export const MAX_TEXT = 256 * 1024 * 1024
