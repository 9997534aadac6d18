/**
 * What an option must be, as data. A table of {@link Expectation}s by name checks a whole object: a value that is not as
 * expected is refused with its place, and a name that does not exist is refused with the nearest one that does. Options
 * that are `undefined` count as not given.
 */
import { inspect } from 'node:util'
import { max, min } from './arithmetic.ts'
import { UsageError } from './errors.ts'

/** Makes the error for one sentence about what is wrong. */
export type Complaint = (what: string) => UsageError

export interface Expectation {
  /** Continues the sentence "expected …". */
  readonly expected: string
  readonly isMet: (value: unknown) => boolean
  /** Checks what is inside the value, once the value itself is as expected. */
  readonly inside?: (value: never, place: string, complain: Complaint) => void
}

export type Fields<T = Record<string, unknown>> = Readonly<Record<keyof T & string, Expectation>>

/** Refuses a value that is not as expected. `place` is how the user would write the way to it. */
export function check(value: unknown, expectation: Expectation, place: string, complain: Complaint): void {
  const { expected, isMet, inside } = expectation
  if (!isMet(value)) throw complain(`${place}: expected ${expected}, and got ${shown(value)}`)
  inside?.(value as never, place, complain)
}

/** Refuses an object with unknown names, without required ones, or with values that are not as expected. */
export function checkFields(
  given: object,
  fields: Fields,
  place: string,
  complain: Complaint,
  { required = [], renamed = {} }: FieldRules = {},
): void {
  const at = (name: string): string => (place === '' ? name : `${place}.${name}`)
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue
    if (!Object.hasOwn(fields, name)) {
      const now = Object.hasOwn(renamed, name) ? renamed[name] : name
      const hint = Object.hasOwn(fields, now) ? `; it is "${now}"` : didYouMean(name, Object.keys(fields))
      throw complain(`there is no option "${at(name)}"${hint}`)
    }
    check(value, fields[name], at(name), complain)
  }
  for (const name of required) {
    if ((given as Record<string, unknown>)[name] === undefined)
      throw complain(`${at(name)} is missing: expected ${fields[name].expected}`)
  }
}

export interface FieldRules {
  readonly required?: readonly string[]
  /** Names that are gone, with the names that took their place. */
  readonly renamed?: Readonly<Record<string, string>>
}

/** `; did you mean "x"?`, or the list of all names when none is near. */
export function didYouMean(name: string, known: readonly string[]): string {
  const near = nearest(name, known)
  return near === null ? `; there are ${known.join(', ')}` : `; did you mean "${near}"?`
}

/** The known name that was probably meant: one begins with the other, or few letters differ. */
export function nearest(name: string, known: readonly string[]): string | null {
  const given = name.toLowerCase()
  const prefix = known.find((each) => {
    const other = each.toLowerCase()
    return given !== '' && (other.startsWith(given) || given.startsWith(other))
  })
  if (prefix !== undefined) return prefix
  let best: string | null = null
  let bestDistance = max(2, given.length / 3) + 0.5
  for (const each of known) {
    const distance = editDistance(given, each.toLowerCase())
    if (distance < bestDistance) [best, bestDistance] = [each, distance]
  }
  return best
}

/** Levenshtein's distance: insertions, deletions and replacements. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1]
    for (let j = 0; j < b.length; j++)
      next.push(min(next[j] + 1, row[j + 1] + 1, row[j] + (a[i] === b[j] ? 0 : 1)))
    row = next
  }
  return row[b.length]
}

function shown(value: unknown): string {
  return inspect(value, { depth: 1, breakLength: Infinity, maxStringLength: 80, maxArrayLength: 5 })
}

// The expectations that many options share.

export const text: Expectation = {
  expected: 'a text that is not empty',
  isMet: (value) => typeof value === 'string' && value !== '',
}

export const flag: Expectation = { expected: 'true or false', isMet: (value) => typeof value === 'boolean' }

export const aFunction: Expectation = {
  expected: 'a function',
  isMet: (value) => typeof value === 'function',
}

export const anything: Expectation = { expected: 'anything', isMet: () => true }

export const fraction: Expectation = {
  expected: 'a fraction from 0 to 1',
  isMet: (value) => typeof value === 'number' && value >= 0 && value <= 1,
}

/** A number of at least `least`, not necessarily whole, and finite. */
export function number(least: number): Expectation {
  return {
    expected: `a number from ${least}`,
    isMet: (value) => Number.isFinite(value) && (value as number) >= least,
  }
}

/** A whole number of at least `least`. */
export function atLeast(least: number): Expectation {
  return {
    expected: `a whole number from ${least}`,
    isMet: (value) => Number.isSafeInteger(value) && (value as number) >= least,
  }
}

/** Two ends, the first not above the second, each as `end` expects. */
export function range(end: Expectation): Expectation {
  return {
    expected: `[least, most], each ${end.expected}`,
    isMet: (value) => {
      if (!Array.isArray(value) || value.length !== 2 || !value.every(end.isMet)) return false
      return (value[0] as number) <= (value[1] as number)
    },
  }
}

export function oneOf(...values: readonly (string | number | boolean | null)[]): Expectation {
  const names = values.map((value) => (typeof value === 'string' ? `'${value}'` : String(value)))
  return {
    expected: names.length === 1 ? names[0] : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`,
    isMet: (value) => (values as readonly unknown[]).includes(value),
  }
}

/** As the first of these that is met. */
export function either(...choices: readonly Expectation[]): Expectation {
  return {
    expected: choices.map(({ expected }) => expected).join(', or '),
    isMet: (value) => choices.some((choice) => choice.isMet(value)),
    inside: (value: never, place, complain) =>
      choices.find((choice) => choice.isMet(value))?.inside?.(value, place, complain),
  }
}

export function listOf(each: Expectation): Expectation {
  return {
    expected: `a list, each ${each.expected}`,
    isMet: Array.isArray,
    inside: (value: readonly unknown[], place, complain) => {
      for (const [index, item] of value.entries()) check(item, each, `${place}[${index}]`, complain)
    },
  }
}

/** An object whose names are the user's own. */
export function recordOf(each: Expectation): Expectation {
  return {
    expected: 'an object',
    isMet: isObject,
    inside: (value: object, place, complain) => {
      for (const [name, item] of Object.entries(value)) check(item, each, `${place}.${name}`, complain)
    },
  }
}

/** An object whose names are ours. */
export function object(fields: Fields, rules?: FieldRules): Expectation {
  return {
    expected: `an object of ${Object.keys(fields).join(', ')}`,
    isMet: isObject,
    inside: (value: object, place, complain) => checkFields(value, fields, place, complain, rules),
  }
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A probability that a user gave to a function. */
export function checkedChance(by: string, chance: number): number {
  if (fraction.isMet(chance)) return chance
  const inParts =
    chance > 1 && chance <= 1_000_000 ? `; ${chance} parts per million are ${chance / 1_000_000}` : ''
  throw new UsageError(
    'ERR_WAVETANK_OPTIONS',
    `${by}: expected ${fraction.expected}, and got ${shown(chance)}${inParts}`,
  )
}
