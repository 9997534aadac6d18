/**
 * EDN, the notation of Clojure data, as Jepsen, Knossos and Elle write histories in it. Keywords, symbols and
 * characters become strings (`:ok` → `"ok"`), vectors, lists and sets become arrays, maps become plain objects whose
 * keys are strings (`{0 100}` → `{"0": 100}`; a composite key becomes its canonical text). Tags (`#inst`,
 * `#jepsen.history.Op`) are dropped and the tagged value kept. Integers that a double cannot hold become bigints.
 *
 * Values keep nothing of the text, so a file's memory can go once it is read. One pass, no regular expressions on
 * the way of good input.
 */
import { canonical } from '../value.ts'
import type { TextPosition } from '../problem.ts'
import { HistorySyntaxError, MAX_DEPTH, positionAt } from './syntax-error.ts'

export class EdnReader {
  /** Whether reading went on to the end of the text: what was read there, or failed there, may be cut off. */
  cut = false
  readonly #text: string
  readonly #origin: TextPosition
  #at = 0
  #depth = 0
  readonly #stack: unknown[] = []

  /** `origin`: where in a larger text this one begins. */
  constructor(text: string, origin: TextPosition = { line: 1, column: 1 }) {
    this.#text = text
    this.#origin = origin
  }

  /** Offset of the next value, or of the end. */
  get offset(): number {
    return this.#at
  }

  /** Steps over blanks, comments and discarded forms; says whether a value follows. */
  more(): boolean {
    this.#space()
    return this.#at < this.#text.length
  }

  /** The next character, when it opens a vector, list or set, is stepped over: its elements follow as values. */
  enter(): boolean {
    this.#space()
    const c = this.#text.charAt(this.#at)
    if (c !== '[' && c !== '(') return false
    this.#at++
    return true
  }

  /** The counterpart of `enter`. */
  leave(): boolean {
    this.#space()
    const c = this.#text.charAt(this.#at)
    if (c !== ']' && c !== ')') return false
    this.#at++
    return true
  }

  value(): unknown {
    this.#space()
    const first = this.#text.charCodeAt(this.#at)
    if (first >= 0x30 && first <= 0x39) return this.#digits()
    switch (first) {
      case 0x7b: // {
        this.#at++
        return this.#map()
      case 0x5b: // [
        this.#at++
        return this.#sequence(0x5d, ']')
      case 0x28: // (
        this.#at++
        return this.#sequence(0x29, ')')
      case 0x22: // "
        return this.#string()
      case 0x3a: // :
        this.#at++
        return this.#keyword()
      case 0x23: // #
        return this.#dispatch()
      case 0x5c: // \
        return this.#character()
      case 0x5e: // ^ metadata
        this.#at++
        this.#nested(() => this.value())
        return this.#nested(() => this.value())
      default:
        return this.#atom()
    }
  }

  fail(message: string, offset = this.#at): never {
    if (this.#at >= this.#text.length) this.cut = true
    const { line, column } = positionAt(this.#text, offset)
    const first = line === 1 ? this.#origin.column - 1 : 0
    throw new HistorySyntaxError({ line: line + this.#origin.line - 1, column: column + first }, message)
  }

  #nested<T>(read: () => T): T {
    if (++this.#depth > MAX_DEPTH) this.fail(`values nest deeper than ${MAX_DEPTH} levels`)
    const value = read()
    this.#depth--
    return value
  }

  #sequence(closer: number, name: string): unknown[] {
    const start = this.#at - 1
    if (++this.#depth > MAX_DEPTH) this.fail(`values nest deeper than ${MAX_DEPTH} levels`)
    // Elements wait on one common stack, so that the array has no room to spare: pushing one by one leaves half of it empty.
    const text = this.#text
    const stack = this.#stack
    const base = stack.length
    for (;;) {
      this.#at = this.#integers(closer)
      let c = text.charCodeAt(this.#at)
      if (c === closer) break
      if (c < 0x28 || c === 0x3b || c > 0xff || Number.isNaN(c)) {
        this.#space()
        c = text.charCodeAt(this.#at)
        if (c === closer) break
      }
      if (Number.isNaN(c)) this.fail(`expected ${name} before the end`, start)
      if (c >= 0x30 && c <= 0x39) stack.push(this.#digits())
      else if (c === 0x3a) {
        this.#at++
        stack.push(this.#keyword())
      } else if (c === 0x5b) {
        this.#at++
        stack.push(this.#sequence(0x5d, ']'))
      } else stack.push(this.value())
    }
    this.#at++
    this.#depth--
    const values = stack.slice(base)
    stack.length = base
    return values
  }

  /** Puts small integers with blanks between them onto the stack, and answers where something else follows. */
  #integers(closer: number): number {
    const text = this.#text
    const stack = this.#stack
    let at = this.#at
    for (;;) {
      let c = text.charCodeAt(at)
      while (c === 0x20 || c === 0x2c) c = text.charCodeAt(++at)
      if (!(c >= 0x30 && c <= 0x39)) return at
      let value = c - 0x30
      let i = at + 1
      for (c = text.charCodeAt(i); c >= 0x30 && c <= 0x39; c = text.charCodeAt(++i))
        value = value * 10 + c - 0x30
      if (i - at > 15 || (c !== 0x20 && c !== 0x2c && c !== closer)) return at
      stack.push(value)
      at = i
    }
  }

  #map(): Record<string, unknown> {
    const start = this.#at - 1
    if (++this.#depth > MAX_DEPTH) this.fail(`values nest deeper than ${MAX_DEPTH} levels`)
    const map: Record<string, unknown> = {}
    for (;;) {
      this.#space()
      const c = this.#text.charCodeAt(this.#at)
      if (c === 0x7d) break
      if (Number.isNaN(c)) this.fail('expected } before the end', start)
      const key = c === 0x3a ? (this.#at++, this.#keyword()) : this.value()
      this.#space()
      if (this.#text.charCodeAt(this.#at) === 0x7d) this.fail('a map needs a value for every key')
      const name = typeof key === 'string' ? key : canonical(key)
      const value = this.value()
      if (name === '__proto__') {
        Object.defineProperty(map, name, { value, enumerable: true, writable: true, configurable: true })
      } else map[name] = value
    }
    this.#at++
    this.#depth--
    return map
  }

  #string(): string {
    const text = this.#text
    const start = this.#at
    let from = start + 1
    let value = ''
    for (let i = from; i < text.length; i++) {
      const c = text.charCodeAt(i)
      if (c === 0x22) {
        this.#at = i + 1
        return value + text.slice(from, i)
      }
      if (c === 0x5c) {
        value += text.slice(from, i)
        const escape = text.charAt(++i)
        if (escape === 'u') {
          const code = text.slice(i + 1, i + 5)
          if (i + 5 > text.length) this.cut = true
          if (!/^[0-9a-fA-F]{4}$/.test(code)) this.fail('\\u needs four hexadecimal digits', i)
          value += String.fromCharCode(Number.parseInt(code, 16))
          i += 4
        } else {
          if (escape === '') this.cut = true
          const plain = ESCAPES[escape]
          if (plain === undefined) this.fail(`unknown escape \\${escape}`, i)
          value += plain
        }
        from = i + 1
      }
    }
    this.cut = true
    return this.fail('this string has no end', start)
  }

  #dispatch(): unknown {
    const c = this.#text.charAt(this.#at + 1)
    if (c === '{') {
      this.#at += 2
      return this.#sequence(0x7d, '}')
    }
    if (c === '#') {
      this.#at += 2
      const name = this.#token('NaN, Inf or -Inf')
      if (name === 'NaN') return Number.NaN
      if (name === 'Inf') return Number.POSITIVE_INFINITY
      if (name === '-Inf') return Number.NEGATIVE_INFINITY
      return this.fail(`unknown number ##${name}`)
    }
    this.#at++
    this.#token('a tag')
    return this.#nested(() => {
      if (!this.more()) this.fail('a tag needs a value')
      return this.value()
    })
  }

  #character(): string {
    this.#at++
    const first = this.#text.charAt(this.#at)
    if (first === '') this.fail('a character is missing after \\')
    const name = isTokenPart(first.charCodeAt(0)) ? this.#token('a character') : (this.#at++, first)
    if (name.length === 1) return name
    if (/^u[0-9a-fA-F]{4}$/.test(name)) return String.fromCharCode(Number.parseInt(name.slice(1), 16))
    return CHARACTERS[name] ?? this.fail(`unknown character \\${name}`)
  }

  #atom(): unknown {
    const start = this.#at
    const token = this.#token('a value')
    const first = token.charCodeAt(0)
    const digit = first === 0x2d || first === 0x2b ? token.charCodeAt(1) : first
    if (digit >= 0x30 && digit <= 0x39) return this.#number(token, start)
    if (token === 'nil') return null
    if (token === 'true') return true
    if (token === 'false') return false
    return token
  }

  #number(token: string, start: number): unknown {
    // The common case by far, without a regular expression.
    if (token.length <= 15) {
      let value = 0
      let i = 0
      for (; i < token.length; i++) {
        const digit = token.charCodeAt(i) - 0x30
        if (digit < 0 || digit > 9) break
        value = value * 10 + digit
      }
      if (i === token.length) return value
    }
    if (token.length > MAX_DIGITS) this.fail(`a number may not have more than ${MAX_DIGITS} digits`, start)
    const integer = /^([+-]?\d+)N?$/.exec(token)
    if (integer !== null) {
      const value = Number(integer[1])
      return Number.isSafeInteger(value) ? value : BigInt(integer[1])
    }
    if (/^[+-]?\d+(\.\d*)?([eE][+-]?\d+)?M?$/.test(token)) return Number(token.replace('M', ''))
    const hexadecimal = /^([+-]?)(0[xX][0-9a-fA-F]+)N?$/.exec(token)
    if (hexadecimal !== null) {
      const value = BigInt(hexadecimal[2]) * (hexadecimal[1] === '-' ? -1n : 1n)
      return Number.isSafeInteger(Number(value)) ? Number(value) : value
    }
    const ratio = /^([+-]?\d+)\/(\d+)$/.exec(token)
    if (ratio !== null) return Number(ratio[1]) / Number(ratio[2])
    return this.fail(`${token.slice(0, 40)} is not a number`, start)
  }

  /** A number that begins with a digit; nearly always a small integer, which needs no text of its own. */
  #digits(): unknown {
    const text = this.#text
    let value = 0
    let i = this.#at
    for (const limit = i + 15; i < limit; i++) {
      const digit = text.charCodeAt(i) - 0x30
      if (!(digit >= 0 && digit <= 9)) break
      value = value * 10 + digit
    }
    if (i >= text.length || isTokenPart(text.charCodeAt(i))) return this.#atom()
    this.#at = i
    return value
  }

  /** A keyword's name. The same few come again and again: they are kept, so that each is one string in memory. */
  #keyword(): string {
    const text = this.#text
    const start = this.#at
    let hash = 0
    let i = start
    for (let c = text.charCodeAt(i); isTokenPart(c); c = text.charCodeAt(++i)) hash = (hash * 31 + c) | 0
    if (i === start || i >= text.length) return this.#token('a keyword')
    this.#at = i
    const slot = hash & (KEPT_KEYWORDS - 1)
    const kept = KEYWORDS[slot]
    if (kept !== undefined && kept.length === i - start && text.startsWith(kept, start)) return kept
    const name = text.slice(start, i)
    if (name.length <= 32) KEYWORDS[slot] = name
    return name
  }

  /** Everything up to the next delimiter. Empty is a mistake: something that cannot begin a value. */
  #token(what: string): string {
    const start = this.#at
    let i = start
    while (isTokenPart(this.#text.charCodeAt(i))) i++
    if (i >= this.#text.length) this.cut = true
    if (i === start) {
      const found = i < this.#text.length ? JSON.stringify(this.#text.charAt(i)) : 'the end'
      this.fail(`expected ${what}, found ${found}`)
    }
    this.#at = i
    return this.#text.slice(start, i)
  }

  #space(): void {
    for (;;) {
      const c = this.#text.charCodeAt(this.#at)
      if (c === 0x20 || c === 0x2c || (c >= 0x09 && c <= 0x0d) || c === 0xfeff) this.#at++
      else if (c === 0x3b) {
        const end = this.#text.indexOf('\n', this.#at)
        if (end < 0) this.cut = true
        this.#at = end < 0 ? this.#text.length : end + 1
      } else if (c === 0x23 && this.#text.charCodeAt(this.#at + 1) === 0x5f) {
        this.#at += 2
        this.#nested(() => {
          this.#space()
          if (this.#at >= this.#text.length) this.fail('#_ needs a value to discard')
          return this.value()
        })
      } else return
    }
  }
}

/** Keywords met lately, by hash. */
const KEPT_KEYWORDS = 256
const KEYWORDS: (string | undefined)[] = Array.from({ length: KEPT_KEYWORDS }, () => undefined)

/** Longer numbers do not occur in practice, and take long to convert. */
const MAX_DIGITS = 1000

const ESCAPES: Readonly<Record<string, string>> = Object.assign(
  Object.create(null) as Record<string, string>,
  {
    n: '\n',
    t: '\t',
    r: '\r',
    b: '\b',
    f: '\f',
    '"': '"',
    '\\': '\\',
    '/': '/',
  },
)

const CHARACTERS: Readonly<Record<string, string>> = Object.assign(
  Object.create(null) as Record<string, string>,
  { newline: '\n', space: ' ', tab: '\t', return: '\r', backspace: '\b', formfeed: '\f' },
)

/** Anything but blanks, commas, brackets, quotes, semicolons, backslashes and the end. */
function isTokenPart(c: number): boolean {
  if (c <= 0x20 || Number.isNaN(c)) return false
  return (
    c !== 0x2c &&
    c !== 0x22 &&
    c !== 0x28 &&
    c !== 0x29 &&
    c !== 0x5b &&
    c !== 0x5d &&
    c !== 0x7b &&
    c !== 0x7d &&
    c !== 0x3b &&
    c !== 0x5c
  )
}

/** Whether a text is written as a keyword, by itself and by the key of the entry in which it stands; '' at the top. */
export type KeywordRule = (text: string, key: string) => boolean

/** Numbers below this are exact, and written without an exponent. */
const LARGEST_KEY = 1e15

/** Writes a value so that {@link EdnReader} gives it back. Strings that `keyword` accepts are written as keywords. */
export function printEdn(value: unknown, keyword: KeywordRule = () => false, key = ''): string {
  if (value === null || value === undefined) return 'nil'
  if (typeof value === 'string') return keyword(value, key) ? `:${value}` : JSON.stringify(value)
  if (typeof value === 'number') return printNumber(value)
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value)
  if (typeof value !== 'object') return 'nil'
  if (Array.isArray(value)) return `[${value.map((item) => printEdn(item, keyword, key)).join(' ')}]`
  const entries = Object.entries(value).map(
    ([name, item]) => `${printKey(name)} ${printEdn(item, keyword, name)}`,
  )
  return `{${entries.join(', ')}}`
}

function printNumber(value: number): string {
  if (Number.isFinite(value)) return String(value).replace('e+', 'e')
  return Number.isNaN(value) ? '##NaN' : value > 0 ? '##Inf' : '##-Inf'
}

function printKey(key: string): string {
  if (/^-?\d/.test(key) && String(Number(key)) === key && Math.abs(Number(key)) < LARGEST_KEY) return key
  return /^[a-zA-Z_][\w.*+!?<>=/-]*$/.test(key) ? `:${key}` : JSON.stringify(key)
}
