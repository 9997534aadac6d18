/**
 * A Markdown file as a tree of parts with positions. A part is a heading with everything up to the next heading of its
 * depth; it has tables, and fields, which are list items that begin with a bold label. Texts are slices of the source,
 * not rendered: what is read can be written back byte by byte.
 */
import type { Heading, List, ListItem, Root, RootContent, Table as TableNode } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmTableFromMarkdown } from 'mdast-util-gfm-table'
import { gfmTable } from 'micromark-extension-gfm-table'

/** Offsets into the source, and the line of the start, counted from 1. */
export interface Span {
  readonly start: number
  readonly end: number
  readonly line: number
}

/** A text as it stands in the source, without white space around it. */
export interface Piece {
  readonly text: string
  readonly span: Span
  /** Inside a table, where `|` and line ends must be escaped. */
  readonly inCell: boolean
}

export interface Row {
  readonly cells: readonly Piece[]
  readonly line: number
}

export interface Table {
  readonly header: readonly Piece[]
  readonly rows: readonly Row[]
  readonly line: number
}

/** `- **Label**: value`, with what is nested below it. */
export interface Field {
  readonly label: string
  readonly value: Piece
  readonly items: readonly Piece[]
  readonly code: { readonly language: string | null; readonly content: Piece } | null
  readonly line: number
}

export interface Part {
  readonly depth: number
  readonly title: Piece
  readonly line: number
  /** The text between the heading and the first part below it. */
  readonly body: Piece
  readonly tables: readonly Table[]
  readonly fields: readonly Field[]
  readonly parts: readonly Part[]
}

/** Parses a text. The root is a part of depth 0 without a title. */
export function parseDocument(source: string): Part {
  const root: Root = fromMarkdown(source, {
    extensions: [gfmTable()],
    mdastExtensions: [gfmTableFromMarkdown()],
  })
  return new PartReader(source, root.children).part(null, 0)
}

class PartReader {
  private next = 0
  private readonly source: string
  private readonly nodes: readonly RootContent[]
  private readonly lineStarts: readonly number[]

  constructor(source: string, nodes: readonly RootContent[]) {
    this.source = source
    this.nodes = nodes
    this.lineStarts = [0, ...[...source.matchAll(/\n/g)].map(({ index }) => index + 1)]
  }

  part(heading: Heading | null, depth: number): Part {
    const begin = heading === null ? 0 : offsets(heading).end
    const own: RootContent[] = []
    while (this.next < this.nodes.length && this.nodes[this.next].type !== 'heading')
      own.push(this.nodes[this.next++])
    const end = this.next < this.nodes.length ? offsets(this.nodes[this.next]).start : this.source.length
    const parts: Part[] = []
    while (this.next < this.nodes.length) {
      const node = this.nodes[this.next] as Heading
      if (node.depth <= depth) break
      this.next++
      parts.push(this.part(node, node.depth))
    }
    return {
      depth,
      title: heading === null ? this.piece(0, 0) : this.inside(heading),
      line: heading === null ? 1 : lineOf(heading),
      body: this.piece(begin, end),
      tables: own.filter((node) => node.type === 'table').map((node) => this.table(node)),
      fields: own.filter((node) => node.type === 'list').flatMap((node) => this.fields(node)),
      parts,
    }
  }

  private table(node: TableNode): Table {
    const rows = node.children.map((row) => ({
      cells: row.children.map((cell) => ({ ...this.inside(cell), inCell: true })),
      line: lineOf(row),
    }))
    const [header, ...rest] = rows
    return { header: header.cells, rows: rest, line: lineOf(node) }
  }

  private fields(list: List): Field[] {
    return list.children.flatMap((item) => this.field(item) ?? [])
  }

  private field(item: ListItem): Field | null {
    const [first, ...rest] = item.children
    if (first?.type !== 'paragraph' || first.children[0]?.type !== 'strong') return null
    const strong = first.children[0]
    const label = this.inside(strong).text.replace(/:$/, '').trim()
    const after = this.source.slice(offsets(strong).end, offsets(first).end)
    const colon = /^\s*:/.exec(after)?.[0].length ?? 0
    const nested = rest.filter((node) => node.type === 'list').flatMap((node) => node.children)
    const code = rest.find((node) => node.type === 'code')
    return {
      label,
      value: this.piece(offsets(strong).end + colon, offsets(first).end),
      items: nested.map((each) => this.inside(each)),
      code: code === undefined ? null : { language: code.lang ?? null, content: this.codeContent(code) },
      line: lineOf(item),
    }
  }

  /** What stands between the fences, with the indentation of the list item still in it. */
  private codeContent(code: RootContent): Piece {
    const { start, end } = offsets(code)
    const first = this.source.indexOf('\n', start) + 1
    const last = this.source.lastIndexOf('\n', end - 1)
    return this.piece(first, Math.max(first, last), false)
  }

  /** The text of a node's children. */
  private inside(node: { position?: unknown; children: readonly { position?: unknown }[] }): Piece {
    if (node.children.length === 0) {
      const { start, end } = offsets(node)
      const empty = this.source.slice(start, end).search(/\|?\s*$/)
      return this.piece(start + Math.max(0, empty), start + Math.max(0, empty))
    }
    return this.piece(offsets(node.children[0]).start, offsets(node.children.at(-1)!).end)
  }

  /** A slice without the white space around it; an empty one stands at its beginning. */
  private piece(begin: number, end: number, trimmed = true): Piece {
    const raw = this.source.slice(begin, end)
    const lead = trimmed ? /^\s*/.exec(raw)![0].length : 0
    const text = trimmed ? raw.trim() : raw
    const start = text === '' ? begin : begin + lead
    const span = { start, end: start + text.length, line: this.lineAt(start) }
    return { text, span, inCell: false }
  }

  /** By bisection over the beginnings of lines. */
  private lineAt(offset: number): number {
    let [low, high] = [0, this.lineStarts.length - 1]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.lineStarts[middle] <= offset) low = middle
      else high = middle - 1
    }
    return low + 1
  }
}

interface Positioned {
  readonly start: { readonly offset?: number; readonly line: number }
  readonly end: { readonly offset?: number }
}

function offsets(node: { position?: unknown }): { start: number; end: number } {
  const { start, end } = node.position as Positioned
  return { start: start.offset!, end: end.offset! }
}

function lineOf(node: { position?: unknown }): number {
  return (node.position as Positioned).start.line
}
