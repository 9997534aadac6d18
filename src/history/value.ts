/**
 * Identity of values: two values that would be written the same are the same, whatever their key order. A checker
 * counts elements in a `Map`, so an element needs a primitive that stands for it; primitives stand for themselves,
 * and structures for their canonical text. `1` and `"1"` stay different, as do `null` and a missing property.
 */

/** Something that a `Map` or `Set` compares by value. */
export type ValueKey = string | number | boolean | bigint | null | undefined

/** A primitive that is the same for equal values and different for different ones. */
export function valueKey(value: unknown): ValueKey {
  if (typeof value === 'string') return value.charCodeAt(0) === 0 ? `\0s${value}` : value
  if (typeof value === 'object' && value !== null) return `\0${canonical(value)}`
  if (typeof value === 'symbol' || typeof value === 'function') return `\0f${String(value)}`
  return value as ValueKey
}

export function sameValue(a: unknown, b: unknown): boolean {
  return a === b || Object.is(valueKey(a), valueKey(b))
}

/** JSON with sorted object keys: equal values have equal text. */
export function canonical(value: unknown): string {
  if (value === null || typeof value !== 'object') return primitive(value)
  if (Array.isArray(value)) {
    let text = '['
    for (let i = 0; i < value.length; i++) text += (i === 0 ? '' : ',') + canonical(value[i])
    return text + ']'
  }
  const special = specialText(value)
  if (special !== null) return special
  const record = value as Record<string, unknown>
  let text = '{'
  for (const key of Object.keys(record).sort()) {
    text += (text.length === 1 ? '' : ',') + JSON.stringify(key) + ':' + canonical(record[key])
  }
  return text + '}'
}

/**
 * Maps, sets, dates and typed arrays by their contents, which are not properties; null for other objects. No JSON begins
 * with these words, so that no plain value has the same text.
 */
function specialText(value: object): string | null {
  if (value instanceof Map) {
    const entries = [...value].map(([key, item]) => `${canonical(key)}:${canonical(item)}`)
    return `Map{${entries.sort().join(',')}}`
  }
  if (value instanceof Set) return `Set{${[...value].map(canonical).sort().join(',')}}`
  if (value instanceof Date) return `Date(${value.getTime()})`
  if (!ArrayBuffer.isView(value)) return null
  const { buffer, byteOffset, byteLength } = value
  return `${value.constructor.name}[${new Uint8Array(buffer, byteOffset, byteLength).join(',')}]`
}

function primitive(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value === 'number') return Object.is(value, -0) ? '0' : String(value)
  return JSON.stringify(value) ?? String(value)
}

function isNumeric(value: unknown): value is number | bigint {
  return typeof value === 'bigint' || (typeof value === 'number' && !Number.isNaN(value))
}

/** Numbers first, by size, then everything else by its text: a total order for showing values. */
export function compareValues(a: unknown, b: unknown): number {
  if (isNumeric(a)) return !isNumeric(b) || a < b ? -1 : a > b ? 1 : 0
  if (isNumeric(b)) return 1
  const left = canonical(a)
  const right = canonical(b)
  return left < right ? -1 : left > right ? 1 : 0
}

/** A value as a person reads it, cut where it gets long. */
export function show(value: unknown, limit = 80): string {
  const text = canonical(value)
  return text.length <= limit ? text : `${text.slice(0, limit - 1)}…`
}

/** A key as it is written in a JSON map: text as it is, everything else as its canonical text. Never throws. */
export function keyText(value: unknown): string {
  return typeof value === 'string' ? value : canonical(value)
}

/** Gives equal values the same small number, in order of first appearance. */
export class Interner<T = unknown> {
  readonly values: T[] = []
  readonly #numbers = new Map<ValueKey, number>()

  number(value: T): number {
    const key = valueKey(value)
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    this.#numbers.set(key, this.values.length)
    return this.values.push(value) - 1
  }

  /** The number of a value seen before, or -1. */
  find(value: unknown): number {
    return this.#numbers.get(valueKey(value)) ?? -1
  }
}
