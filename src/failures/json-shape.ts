/**
 * Shapes of JSON values: what a file must hold where. A shape looks at a value and throws a {@link Misshapen} that says
 * where the value stands, what was expected and what came. A trace file may come from anywhere, and may be sealed by a
 * right checksum and wrong all the same; after its shape was checked, the rest of the program can rely on its types.
 */

/** Throws if a value is not of the shape; `at` says where it stands. */
export type Shape = (value: unknown, at: string) => void

export class Misshapen extends Error {
  override readonly name = 'Misshapen'
}

const SHOWN = 60

function refuse(at: string, expected: string, value: unknown): never {
  const text = JSON.stringify(value) ?? String(value)
  const shown = text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text
  throw new Misshapen(`"${at}" should be ${expected}, not ${shown}`)
}

function simple(expected: string, isMet: (value: unknown) => boolean): Shape {
  return (value, at) => {
    if (!isMet(value)) refuse(at, expected, value)
  }
}

export const anything: Shape = () => {}
export const text: Shape = simple('a string', (value) => typeof value === 'string')
export const flag: Shape = simple('true or false', (value) => typeof value === 'boolean')
export const count: Shape = simple('a non-negative integer', isCount)
export const amount: Shape = simple(
  'a non-negative number',
  (value) => typeof value === 'number' && Number.isFinite(value) && value >= 0,
)

export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

export function oneOf(...values: readonly unknown[]): Shape {
  return simple(`one of ${values.join(', ')}`, (value) => values.includes(value))
}

export function nullOr(shape: Shape): Shape {
  return (value, at) => {
    if (value !== null) shape(value, at)
  }
}

/** Absent, or of a shape. */
export function maybe(shape: Shape): Shape {
  return (value, at) => {
    if (value !== undefined) shape(value, at)
  }
}

export function either(...shapes: readonly Shape[]): Shape {
  return (value, at) => {
    let last: unknown
    for (const shape of shapes) {
      try {
        return shape(value, at)
      } catch (error) {
        last = error
      }
    }
    throw last
  }
}

export function listOf(shape: Shape): Shape {
  return (value, at) => {
    if (!Array.isArray(value)) refuse(at, 'a list', value)
    for (const [i, each] of value.entries()) shape(each, `${at}[${i}]`)
  }
}

export function recordOf(shape: Shape): Shape {
  return (value, at) => {
    for (const [name, each] of Object.entries(objectAt(value, at))) shape(each, `${at}.${name}`)
  }
}

/** An object with these members; it may have others. */
export function object(members: Readonly<Record<string, Shape>>): Shape {
  return (value, at) => {
    const given = objectAt(value, at)
    for (const [name, shape] of Object.entries(members))
      shape(given[name], at === '' ? name : `${at}.${name}`)
  }
}

function objectAt(value: unknown, at: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) refuse(at, 'an object', value)
  return value as Record<string, unknown>
}
