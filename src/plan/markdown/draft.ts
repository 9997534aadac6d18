/** A plan while it is read: values by path, where each stands, and problems so far. */
import type { Piece, Span } from './document.ts'
import type { Problem } from './problem.ts'

export type Path = readonly PropertyKey[]

export interface Place {
  readonly span: Span
  readonly section: string
  /** How a new value is written in its place; null if the value cannot be changed by itself. */
  readonly print: ((value: unknown) => string) | null
}

export class Draft {
  readonly values: Record<string, unknown> = {}
  readonly places = new Map<string, Place>()
  readonly problems: Problem[] = []

  problem(rule: string, section: string, line: number, message: string): void {
    this.problems.push({ rule, section, line, message })
  }

  /** Where a composed value stands: its heading or its row. */
  home(path: Path, section: string, line: number): void {
    this.places.set(keyOf(path), { span: { start: -1, end: -1, line }, section, print: null })
  }

  /** A text that is its own value. */
  text(path: Path, piece: Piece): void {
    this.value(path, piece, plainText(piece), String)
  }

  /** Ids with commas between. */
  list(path: Path, piece: Piece, values: readonly string[]): void {
    this.value(path, piece, values, (value) => (value as readonly string[]).join(', ') || '–')
  }

  value(path: Path, piece: Piece, value: unknown, print: (value: unknown) => string): void {
    this.set(path, value)
    const printed = (next: unknown): string =>
      piece.inCell ? print(next).replaceAll('|', '\\|').replaceAll('\n', ' ') : print(next)
    this.places.set(keyOf(path), { span: piece.span, section: this.sectionOf(path), print: printed })
  }

  /** A value that is computed from a text and cannot be changed by itself. */
  derived(path: Path, piece: Piece, value: unknown): void {
    this.set(path, value)
    this.places.set(keyOf(path), { span: piece.span, section: this.sectionOf(path), print: null })
  }

  set(path: Path, value: unknown): void {
    let at = this.values as Record<PropertyKey, unknown>
    path.slice(0, -1).forEach((key, index) => {
      at = (at[key] ??= typeof path[index + 1] === 'number' ? [] : {}) as Record<PropertyKey, unknown>
    })
    at[path.at(-1)!] = value
  }

  /** A finding of the schema, at the nearest place that is known. */
  issue(path: Path, message: string): void {
    const place = this.near(path)
    const section = place?.section ?? 'header'
    const line = place?.span.line ?? 1
    // A section that is missing, or a table that cannot be read, is reported already; its contents need not be.
    const isReported = this.problems.some(
      (known) => known.section === section && (path.length < 2 || known.line === line),
    )
    if (place === null && this.problems.length > 0) return
    if (isReported && path.length < 2) return
    this.problem('schema', section, line, `${path.map(String).join('.')}: ${message}`)
  }

  near(path: Path): Place | null {
    for (let length = path.length; length > 0; length--) {
      const place = this.places.get(keyOf(path.slice(0, length)))
      if (place !== undefined) return place
    }
    return null
  }

  private sectionOf(path: Path): string {
    return this.near(path)?.section ?? 'header'
  }
}

export function keyOf(path: Path): string {
  return path.map(String).join('.')
}

/** A value over several lines is one text. */
function plainText({ text, inCell }: Piece): string {
  return inCell ? text.replaceAll('\\|', '|') : text
}
