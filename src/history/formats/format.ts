/**
 * What a format is: a name, a way to recognise it, a reader that feeds a builder, and a writer. A format is read
 * line by line where its lines stand alone and piece by piece where its values do, so that a file may be larger than
 * memory, and whole where neither is so.
 */
import type { History } from '../history.ts'
import type { HistoryBuilder } from '../history-builder.ts'

export interface LineReader {
  readonly by: 'line'
  /** One line without its end; `complete` is false for a last line that no newline ends. */
  line(text: string, line: number, complete: boolean): void
  end?(): void
}

export interface TextReader {
  readonly by: 'text'
  text(text: string): void
}

/** For formats whose values stand one after the other, on lines or not. */
export interface StreamReader {
  readonly by: 'stream'
  /** The next piece of the text, cut anywhere between two characters. */
  push(text: string): void
  end(): void
  /** The line that the next piece begins on. */
  readonly line: number
}

export interface HistoryFormat {
  readonly name: string
  /** What a person calls it. */
  readonly title: string
  /**
   * Whether a text that begins like this, blanks before it left out, is in this format. Must take time linear in the
   * head, whatever it is: no two repetitions in a row that match the same.
   */
  detect(head: string): boolean
  reader(builder: HistoryBuilder): LineReader | StreamReader | TextReader
  /** The history in this format, in pieces. */
  write(history: History): Iterable<string>
}
