/**
 * The same operation maps in JSON: one array around all of them, as elle-cli takes them, or one map a line.
 */
import type { History } from '../history.ts'
import type { HistoryBuilder } from '../history-builder.ts'
import type { HistoryFormat, LineReader, TextReader } from './format.ts'
import { endOfString, firstLine, parseJson, printExactJson } from './json.ts'
import { addOpMap, opMaps } from './op-map.ts'
import { HistorySyntaxError, MAX_DEPTH, positionAt } from './syntax-error.ts'

export const jepsenJson: HistoryFormat = {
  name: 'jepsen-json',
  title: 'a JSON array of operation maps (elle-cli)',

  detect(head) {
    return /^\[\s*(\{\s*"|\]\s*$)/.test(head) && !/^\[\s*\{[^{}]*"sessions"\s*:/.test(head)
  },

  reader(builder): TextReader {
    return { by: 'text', text: (text) => readArray(text, builder) }
  },

  *write(history: History) {
    let separator = '['
    for (const map of opMaps(history)) {
      yield separator + printExactJson(map)
      separator = ',\n'
    }
    yield separator === '[' ? '[]\n' : ']\n'
  },
}

export const jepsenJsonLines: HistoryFormat = {
  name: 'jepsen-jsonl',
  title: 'JSON operation maps, one a line',

  detect(head) {
    const first = firstLine(head)
    return (
      first.startsWith('{') && /"type"\s*:\s*"(invoke|ok|fail|info)"/.test(first) && !/"id"\s*:/.test(first)
    )
  },

  reader(builder): LineReader {
    return {
      by: 'line',
      line(text, line) {
        if (text.trim() !== '') addOpMap(builder, parseJson(text, { line, column: 1 }), { line, column: 1 })
      },
    }
  },

  *write(history: History) {
    for (const map of opMaps(history)) yield `${printExactJson(map)}\n`
  },
}

/** Cuts the array into its elements, so that a history of any size is parsed one small value at a time. */
function readArray(text: string, builder: HistoryBuilder): void {
  const fail = (offset: number, message: string): never => {
    throw new HistorySyntaxError(positionAt(text, offset), message)
  }
  let at = skipSpace(text, 0)
  if (text.charAt(at) !== '[') fail(at, 'expected [')
  at = skipSpace(text, at + 1)
  let line = 1
  let lineStart = 0
  let first = true
  while (text.charAt(at) !== ']') {
    if (at >= text.length) fail(text.length, 'expected ] before the end')
    if (!first) {
      if (text.charAt(at) !== ',') fail(at, 'expected , or ]')
      at = skipSpace(text, at + 1)
    }
    first = false
    const end = endOfElement(text, at)
    if (end < 0)
      fail(at, end === TOO_DEEP ? `values nest deeper than ${MAX_DEPTH} levels` : 'this map has no end')
    for (let next = text.indexOf('\n', lineStart); next >= 0 && next < at;) {
      line++
      lineStart = next + 1
      next = text.indexOf('\n', lineStart)
    }
    const position = { line, column: at - lineStart + 1 }
    addOpMap(builder, parseJson(text.slice(at, end), position), position)
    at = skipSpace(text, end)
  }
  at = skipSpace(text, at + 1)
  if (at < text.length) fail(at, 'nothing may follow the closing bracket')
}

const NO_END = -1
const TOO_DEEP = -2

/** Offset after the element that begins at `start`; anything but a map ends at the next comma or bracket. */
function endOfElement(text: string, start: number): number {
  let depth = 0
  for (let i = start; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (c === 0x22) i = endOfString(text, i)
    else if (c === 0x7b || c === 0x5b) {
      if (++depth > MAX_DEPTH) return TOO_DEEP
    } else if (c === 0x7d || c === 0x5d) {
      if (depth === 0) return i
      if (--depth === 0) return i + 1
    } else if (c === 0x2c && depth === 0) return i
  }
  return NO_END
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (at < text.length && text.charCodeAt(at) <= 0x20) at++
  return at
}
