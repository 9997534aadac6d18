/**
 * JSON as histories have it: `JSON.parse` does the work, and this file adds what it lacks: the place of a mistake, a
 * bound on nesting, and integers that a double cannot hold, which become bigints, as in EDN. All cost nothing on good,
 * short input: the scanners run only after a failure, on a long line, or where 16 digits stand in a row.
 */
import { HistorySyntaxError, MAX_DEPTH } from './syntax-error.ts'
import type { TextPosition } from '../problem.ts'

/** Parses one JSON value; `at` is where the text begins in its file. */
export function parseJson(text: string, at: TextPosition): unknown {
  checkDepth(text, at)
  try {
    return hasLongNumber(text) ? parseExact(text) : (JSON.parse(text) as unknown)
  } catch (cause) {
    const { offset, message } = new JsonScanner(text).findError() ?? { offset: 0, message: String(cause) }
    throw new HistorySyntaxError(within(text, offset, at), message)
  }
}

/** Digits in a row from which on a double may not hold them. */
const LONG = 16

/** Whether sixteen digits stand in a row. Such a row covers one of every sixteen places, so only those are looked at. */
function hasLongNumber(text: string): boolean {
  for (let at = LONG - 1; at < text.length; at += LONG) {
    if (!isDigit(text, at)) continue
    let first = at
    while (isDigit(text, first - 1)) first--
    let end = at + 1
    while (isDigit(text, end)) end++
    if (end - first >= LONG) return true
  }
  return false
}

function isDigit(text: string, at: number): boolean {
  const c = text.charCodeAt(at)
  return c >= ZERO && c <= NINE
}

/** Integers outside of strings that need a bigint are marked, parsed as strings, and replaced. */
function parseExact(text: string): unknown {
  const mark = unusedMark(text)
  let marked = ''
  let copied = 0
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (c === QUOTE) i = endOfString(text, i)
    else if (c === MINUS || (c >= ZERO && c <= NINE)) {
      NUMBER.lastIndex = i
      const token = NUMBER.exec(text)?.[0] ?? text.charAt(i)
      if (/^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token))) {
        marked += `${text.slice(copied, i)}"${mark}${token}"`
        copied = i + token.length
      }
      i += token.length - 1
    }
  }
  if (copied === 0) return JSON.parse(text)
  const parsed: unknown = JSON.parse(marked + text.slice(copied))
  return withBigints(parsed, mark)
}

/** A text that does not occur in another one. */
function unusedMark(text: string): string {
  let mark = 'bigint:'
  while (text.includes(mark)) mark = `bigint${mark.length}:`
  return mark
}

function withBigints(value: unknown, mark: string): unknown {
  if (typeof value === 'string') return value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value
  if (typeof value !== 'object' || value === null) return value
  const container = value as Record<string, unknown>
  for (const key of Object.keys(container)) {
    // A property that is called __proto__ would be set as the prototype.
    if (key === '__proto__') continue
    container[key] = withBigints(container[key], mark)
  }
  return value
}

/** An integer as text: a number where a double holds it, else a bigint. */
export function integerOf(text: string): number | bigint {
  const value = Number(text)
  return Number.isSafeInteger(value) ? value : BigInt(text)
}

/**
 * JSON of any value for a history. Integers of any size are written digit by digit, and {@link parseJson} keeps them; a
 * double beyond the safe integers is written with an exponent, so that it stays a double.
 */
export function printExactJson(value: unknown): string {
  const text = plainJson(value)
  if (text !== null && !hasLongNumber(text)) return text
  const mark = unusedMark(text ?? printJson(value))
  const replace = (_: string, item: unknown): unknown => {
    if (typeof item === 'bigint') return `${mark}${item}`
    if (typeof item !== 'number' || !Number.isInteger(item) || Number.isSafeInteger(item)) return item
    return `${mark}${item.toExponential()}`
  }
  return JSON.stringify(value, replace).replace(new RegExp(`"${mark}([-+.e\\d]+)"`, 'g'), '$1')
}

/** Null if the value holds a bigint, of which JSON knows nothing. */
function plainJson(value: unknown): string | null {
  try {
    return JSON.stringify(value)
  } catch {
    return null
  }
}

/** JSON of any value for a report; integers that its readers would round are written as text. */
export function printJson(value: unknown, indent = 0): string {
  try {
    return JSON.stringify(value, null, indent)
  } catch {
    const replace = (_: string, item: unknown) => (typeof item === 'bigint' ? item.toString() : item)
    return JSON.stringify(value, replace, indent)
  }
}

/** The first line of a text, which shows its format. */
export function firstLine(head: string): string {
  const end = head.indexOf('\n')
  return end < 0 ? head : head.slice(0, end)
}

/** Where an offset of a text lies in its file, when the text begins at `at`. */
function within(text: string, offset: number, at: TextPosition): TextPosition {
  let line = at.line
  let start = 0
  for (let next = text.indexOf('\n'); next >= 0 && next < offset; next = text.indexOf('\n', start)) {
    line++
    start = next + 1
  }
  return { line, column: start === 0 ? at.column + offset : offset - start + 1 }
}

/** Throws when values nest too deep, whether they are good JSON or not. */
export function checkDepth(text: string, at: TextPosition): void {
  // A value nested deeper than MAX_DEPTH has at least two brackets for each level.
  if (text.length <= 2 * MAX_DEPTH) return
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (c === QUOTE) i = endOfString(text, i)
    else if (c === OPEN_BRACKET || c === OPEN_BRACE) {
      if (++depth > MAX_DEPTH) {
        throw new HistorySyntaxError(within(text, i, at), `values nest deeper than ${MAX_DEPTH} levels`)
      }
    } else if (c === CLOSE_BRACKET || c === CLOSE_BRACE) depth--
  }
}

/** Offset of the closing quote of the string that opens at `start`, or the end of the text. */
export function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end >= 0) {
    let backslashes = 0
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++
    if (backslashes % 2 === 0) return end
    end = text.indexOf('"', end + 1)
  }
  return text.length
}

const QUOTE = 0x22
const MINUS = 0x2d
const ZERO = 0x30
const NINE = 0x39
const BACKSLASH = 0x5c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const COMMA = 0x2c

interface JsonError {
  readonly offset: number
  readonly message: string
}

/** Finds the first mistake in a text that `JSON.parse` refused, with an explicit stack instead of recursion. */
class JsonScanner {
  readonly #text: string
  #at = 0
  constructor(text: string) {
    this.#text = text
  }

  findError(): JsonError | null {
    const closers: number[] = []
    let expectValue = true
    for (;;) {
      this.#space()
      const c = this.#text.charCodeAt(this.#at)
      if (expectValue) {
        if (c === OPEN_BRACKET || c === OPEN_BRACE) {
          closers.push(c === OPEN_BRACKET ? CLOSE_BRACKET : CLOSE_BRACE)
          this.#at++
          this.#space()
          if (this.#text.charCodeAt(this.#at) === closers.at(-1)) {
            closers.pop()
            this.#at++
            expectValue = false
          } else if (c === OPEN_BRACE) {
            const bad = this.#property()
            if (bad !== null) return bad
          }
          continue
        }
        const bad = this.#scalar(c)
        if (bad !== null) return bad
        expectValue = false
        continue
      }
      const closer = closers.at(-1)
      if (closer === undefined) {
        return this.#at < this.#text.length ? this.#error('nothing may follow the value') : null
      }
      if (c === closer) {
        closers.pop()
        this.#at++
      } else if (c === COMMA) {
        this.#at++
        if (closer === CLOSE_BRACE) {
          const bad = this.#property()
          if (bad !== null) return bad
        }
        expectValue = true
      } else return this.#error(`expected , or ${String.fromCharCode(closer)}`)
    }
  }

  #space(): void {
    while (/[ \t\r\n]/.test(this.#text.charAt(this.#at))) this.#at++
  }

  #property(): JsonError | null {
    this.#space()
    if (this.#text.charCodeAt(this.#at) !== QUOTE) return this.#error('expected a property name in quotes')
    const bad = this.#string()
    if (bad !== null) return bad
    this.#space()
    if (this.#text.charAt(this.#at) !== ':') return this.#error('expected :')
    this.#at++
    return null
  }

  #scalar(c: number): JsonError | null {
    if (c === QUOTE) return this.#string()
    SCALAR.lastIndex = this.#at
    const match = SCALAR.exec(this.#text)
    if (match === null) return this.#error('expected a value')
    this.#at += match[0].length
    return null
  }

  #string(): JsonError | null {
    const end = endOfString(this.#text, this.#at)
    if (end >= this.#text.length) return this.#error('this string has no end')
    const bad = BAD_IN_STRING.exec(this.#text.slice(this.#at + 1, end))
    if (bad !== null) {
      this.#at += 1 + bad.index
      return this.#error('a control character or escape that JSON does not know')
    }
    this.#at = end + 1
    return null
  }

  #error(expected: string): JsonError {
    const found = this.#at < this.#text.length ? JSON.stringify(this.#text.charAt(this.#at)) : 'the end'
    return { offset: this.#at, message: `not JSON: ${expected}, found ${found}` }
  }
}

const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const SCALAR = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
// eslint-disable-next-line no-control-regex -- JSON forbids exactly these inside strings
const BAD_IN_STRING = /[\u0000-\u001f]|\\(?:[^"\\/bfnrtu]|u(?![0-9a-fA-F]{4}))/
