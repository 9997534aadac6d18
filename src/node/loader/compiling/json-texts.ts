/**
 * JSON modules. Every process gets objects of its own, but their text need not be parsed again: written as JavaScript it
 * is a literal, of which the engine makes copies about nine times as fast as it parses.
 *
 * Where the two languages differ the text is parsed: `__proto__` as a key, also in disguise, sets a prototype in a literal.
 */
import { Script } from 'node:vm'

type Make = () => unknown

/** Shorter texts are parsed as fast as they are looked up, longer ones take the engine too long to compile. */
const MIN_LENGTH = 256
const MAX_LENGTH = 4_000_000
/** Texts that programs write are not worth keeping, but cannot be distinguished from those they only read. */
const MAX_TEXTS = 1_000

const DIFFERS = /__proto__|\\u00|^\s*[^\s{[]/

export class JsonTexts {
  /** False where the text was seen once, null where it is always parsed. */
  readonly #makers = new Map<string, Make | null | false>()

  /** As `JSON.parse`. */
  readonly parse = (text: string): unknown => {
    if (typeof text !== 'string' || text.length < MIN_LENGTH || text.length > MAX_LENGTH)
      return JSON.parse(text)
    const maker = this.#makers.get(text)
    if (maker) return maker()
    const value = JSON.parse(text)
    if (maker === undefined) {
      if (this.#makers.size >= MAX_TEXTS) this.#makers.clear()
      this.#makers.set(text, false)
    } else if (maker === false) this.#makers.set(text, DIFFERS.test(text) ? null : compile(text))
    return value
  }
}

function compile(text: string): Make {
  return new Script(`()=>(${text}\n)`, { filename: 'wavetank:json' }).runInThisContext() as Make
}
