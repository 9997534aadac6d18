/**
 * EDN operation maps: Jepsen's `history.edn`, Knossos's and Elle's data, elle-cli's input, Porcupine's key-value
 * logs. Either one map a line or one vector or list around all of them.
 */
import type { History } from '../history.ts'
import type { HistoryBuilder } from '../history-builder.ts'
import { EdnReader, printEdn } from './edn.ts'
import type { HistoryFormat, TextReader } from './format.ts'
import { addOpMap, opMaps } from './op-map.ts'

export const jepsenEdn: HistoryFormat = {
  name: 'jepsen-edn',
  title: 'EDN operation maps (Jepsen, Knossos, Elle, Porcupine kv)',

  detect(head) {
    return /^[[(]?\s*(#[\w.]+\s*)?\{\s*:/.test(withoutComments(head))
  },

  reader(builder): TextReader {
    return { by: 'text', text: (text) => readForms(text, builder) }
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

function readForms(text: string, builder: HistoryBuilder): void {
  const reader = new EdnReader(text)
  const lines = new LineCounter(text)
  const inside = reader.more() && reader.enter()
  let closed = !inside
  while (reader.more()) {
    if (inside && reader.leave()) {
      closed = true
      break
    }
    const at = lines.at(reader.offset)
    addOpMap(builder, reader.value(), at)
  }
  if (!closed) reader.fail('expected ] before the end')
  if (reader.more()) reader.fail('nothing may follow the closing bracket')
}

/** Line and column of growing offsets, counted once over the whole text. */
class LineCounter {
  readonly #text: string
  #line = 1
  #start = 0
  constructor(text: string) {
    this.#text = text
  }

  at(offset: number): { line: number; column: number } {
    for (let next = this.#text.indexOf('\n', this.#start); next >= 0 && next < offset;) {
      this.#line++
      this.#start = next + 1
      next = this.#text.indexOf('\n', this.#start)
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
