/**
 * EDN operation maps: Jepsen's `history.edn`, Knossos's and Elle's data, elle-cli's input, Porcupine's key-value
 * logs. Either one map a line or one vector or list around all of them.
 */
import type { History } from '../history.ts'
import type { HistoryBuilder } from '../history-builder.ts'
import { EdnReader, printEdn } from './edn.ts'
import type { HistoryFormat, StreamReader } from './format.ts'
import { HistorySyntaxError, MAX_TEXT } from './syntax-error.ts'
import type { TextPosition } from '../problem.ts'
import { addOpMap, opMaps } from './op-map.ts'

export const jepsenEdn: HistoryFormat = {
  name: 'jepsen-edn',
  title: 'EDN operation maps (Jepsen, Knossos, Elle, Porcupine kv)',

  detect(head) {
    return /^[[(]?\s*(#[\w.]+\s*)?\{\s*:/.test(withoutComments(head))
  },

  reader(builder): StreamReader {
    return new FormStream(builder)
  },

  *write(history: History) {
    for (const map of opMaps(history)) {
      const fields = Object.entries(map).map(([key, value]) => `:${key} ${printField(key, value)}`)
      yield `{${fields.join(', ')}}\n`
    }
  },
}

/** From the first thing that is no comment. */
function withoutComments(head: string): string {
  let text = head
  while (text.startsWith(';')) {
    const end = text.indexOf('\n')
    text = end < 0 ? '' : text.slice(end).trimStart()
  }
  return text
}

/**
 * Operation maps from pieces of text. What the end of a piece cuts in two is read again with the next piece, from the
 * beginning of the form.
 */
class FormStream implements StreamReader {
  readonly by = 'stream'
  readonly #builder: HistoryBuilder
  /** What is left of earlier pieces, and where in the whole text it begins. */
  #rest = ''
  #origin: TextPosition = { line: 1, column: 1 }
  #wanted = 0
  #place: 'before' | 'inside' | 'after' | 'bare' = 'before'

  constructor(builder: HistoryBuilder) {
    this.#builder = builder
  }

  get line(): number {
    let { line } = this.#origin
    for (let at = this.#rest.indexOf('\n'); at >= 0; at = this.#rest.indexOf('\n', at + 1)) line++
    return line
  }

  push(text: string): void {
    const all = this.#rest + text
    if (all.length < this.#wanted) {
      this.#rest = all
      return
    }
    const read = this.#read(all, false)
    // A form larger than many pieces is tried again each time that the text has doubled, not with each piece.
    this.#wanted = read === 0 ? all.length * 2 : 0
    this.#origin = new LineCounter(all, this.#origin).at(read)
    this.#rest = all.slice(read)
    if (this.#rest.length > MAX_TEXT)
      throw new HistorySyntaxError(this.#origin, `a value may not be longer than ${MAX_TEXT} characters`)
  }

  end(): void {
    this.#read(this.#rest, true)
  }

  /**
   * Reports a text that ends inside a form of its last line, or inside its list, as a crash leaves it. Where nothing stands
   * before, or the form began on an earlier line, the error stays: a bracket is missing somewhere.
   */
  #reportCut(text: string, start: number, lines: LineCounter): boolean {
    const form = text.slice(start).trimStart()
    const at = lines.at(text.length - form.length)
    if (at.line === 1 || form.includes('\n')) return false
    this.#builder.problem('torn-last-line', 'the file is cut off here; what comes before was read', at)
    return true
  }

  /** Reads whole forms; answers where the first begins that is not whole. `last`: nothing follows. */
  #read(text: string, last: boolean): number {
    const reader = new EdnReader(text, this.#origin)
    const lines = new LineCounter(text, this.#origin)
    for (;;) {
      const start = reader.offset
      try {
        if (!this.#readForm(reader, lines, last)) return start
      } catch (error) {
        if (!reader.cut) throw error
        if (last && !this.#reportCut(text, start, lines)) throw error
        return start
      }
    }
  }

  /** Reads one form; false when there is none, or its end is not certain. */
  #readForm(reader: EdnReader, lines: LineCounter, last: boolean): boolean {
    if (!reader.more()) {
      if (last && this.#place === 'inside') reader.fail('expected ] before the end')
      return false
    }
    if (this.#place === 'before') {
      this.#place = reader.enter() ? 'inside' : 'bare'
      if (this.#place === 'inside') return true
    }
    if (this.#place === 'after') reader.fail('nothing may follow the closing bracket')
    if (this.#place === 'inside' && reader.leave()) {
      this.#place = 'after'
      return true
    }
    const at = lines.at(reader.offset)
    const value = reader.value()
    // A token at the end of a piece may go on in the next one.
    if (!last && reader.cut) return false
    addOpMap(this.#builder, value, at)
    return true
  }
}

/** Line and column of growing offsets, counted once over a text that begins at `origin`. */
class LineCounter {
  readonly #text: string
  #line: number
  /** Offset at which the line begins: before the text for the first one, where that begins in the middle of a line. */
  #start: number
  #next: number

  constructor(text: string, origin: TextPosition) {
    this.#text = text
    this.#line = origin.line
    this.#start = 1 - origin.column
    this.#next = text.indexOf('\n')
  }

  at(offset: number): TextPosition {
    while (this.#next >= 0 && this.#next < offset) {
      this.#line++
      this.#start = this.#next + 1
      this.#next = this.#text.indexOf('\n', this.#start)
    }
    return { line: this.#line, column: offset - this.#start + 1 }
  }
}

const KEYWORDS: ReadonlySet<string> = new Set(['r', 'w', 'append', 'send', 'poll'])

function printField(key: string, value: unknown): string {
  if (key === 'type' || value === 'nemesis') return `:${String(value)}`
  if (key === 'f') return printEdn(value, (text) => /^[a-zA-Z][\w.*+!?-]*$/.test(text))
  return printEdn(value, (text) => key === 'value' && KEYWORDS.has(text))
}
