/**
 * A map of keys to values, the key in the operation's `key`: `get`/`read`, `put`/`write`, `append`, `cas [from, to]`,
 * `delete`. Keys are independent, so the checker looks at each alone.
 *
 * `append` concatenates strings, and adds to the end of a list otherwise. A missing key reads as `absent`. A `cas` or
 * `delete` that answered `false` saw that the value differed or that there was none. Whether a key is there whose value is
 * `absent` is the store's to say: a `delete` of it may answer either.
 */
import type { Operation } from '../../../history/operation.ts'
import { canonical, sameValue, valueKey } from '../../../history/value.ts'
import { ILLEGAL, PAIR, type Illegal, type Model } from '../model.ts'
import { monitorMap } from '../monitors/map.ts'
import { unobservableWrites } from './unobservable-writes.ts'
import { anything, checkOptions, type OptionSchema } from '../../options.ts'

export interface MapOptions {
  /** What a missing key reads as; null by default, `''` in Porcupine's logs. */
  readonly absent?: unknown
}

export const MAP_OPTIONS: OptionSchema<MapOptions> = {
  absent: anything("what a missing key reads as; null by default, `''` in Porcupine's logs"),
}

type State = ReadonlyMap<string, unknown>

export function map(options: MapOptions = {}): Model<State> {
  checkOptions('models.map', MAP_OPTIONS, options)
  const { absent = null } = options
  const without = (state: State, key: string): State => {
    const next = new Map(state)
    next.delete(key)
    return next
  }
  const write = (state: State, key: string, value: unknown): State => {
    if (state.size === 0 || (state.size === 1 && state.has(key))) return new Map([[key, value]])
    return new Map(state).set(key, value)
  }
  const step = (state: State, operation: Operation): State | Illegal => {
    const { f, input, output, type } = operation
    const key = canonical(operation.key)
    const value = state.get(key) ?? absent
    switch (f) {
      case 'get':
      case 'read':
        return type === 'info' || sameValue(value, output ?? null) ? state : ILLEGAL
      case 'put':
      case 'write':
        return write(state, key, input)
      case 'append':
        return write(state, key, appended(value, input))
      case 'cas': {
        const [from, to] = input as readonly [unknown, unknown]
        const matches = sameValue(value, from ?? null)
        if (type === 'ok' && matches === (output === false)) return ILLEGAL
        return matches ? write(state, key, to) : state
      }
      default: {
        const known = typeof output === 'boolean' && type === 'ok'
        const isOpen = state.has(key) && sameValue(value, absent)
        if (known && !isOpen && output !== state.has(key)) return ILLEGAL
        return without(state, key)
      }
    }
  }
  const model: Model<State> = {
    name: 'map',
    functions: ['get', 'read', 'put', 'write', 'append', 'cas', 'delete'],
    inputs: { cas: PAIR },
    partition: 'key',
    anonymous: true,
    init: () => new Map(),
    step,
    readOnly: ({ f, type, output }) =>
      f === 'get' || f === 'read' || (f === 'cas' && type === 'ok' && output === false),
    overwrites: ({ f }) => f !== 'append' && f !== 'get' && f !== 'read',
    leadsTo: (state, { f, key, output }) =>
      f === 'cas' || isPrefix(state.get(canonical(key)) ?? absent, output ?? null, absent),
    unobservable: (operations) => unobservableOf(operations, absent),
    equal: (a, b) => {
      if (a.size !== b.size) return false
      for (const [key, value] of a) if (!b.has(key) || !sameValue(value, b.get(key))) return false
      return true
    },
    hash: (state) => {
      // Most often one key is looked at alone: the value is hash enough, and `equal` looks at the key.
      if (state.size === 1) for (const value of state.values()) return valueKey(value)
      let text = ''
      for (const key of [...state.keys()].sort()) text += `${key}\0${String(valueKey(state.get(key)))}\0`
      return text
    },
    describeState: (state) =>
      `{${[...state].map(([key, value]) => `${key}: ${canonical(value)}`).join(', ')}}`,
    monitor: (history, positions, budget) => monitorMap(history, positions, model, absent, budget),
  }
  return model
}

function appended(value: unknown, input: unknown): unknown {
  if (Array.isArray(value)) return [...(value as unknown[]), input]
  if (typeof input === 'string' && (typeof value === 'string' || value === null)) return (value ?? '') + input
  return [input]
}

/**
 * Whether appending could turn a value into another. A list stays a list; a text becomes a list with the first append
 * of anything else.
 */
function isPrefix(value: unknown, later: unknown, absent: unknown): boolean {
  if (typeof value === 'string' && typeof later === 'string') return later.startsWith(value)
  if (typeof value === 'string' && Array.isArray(later)) return true
  if (Array.isArray(value) && Array.isArray(later)) {
    return value.length <= later.length && value.every((element, i) => sameValue(element, later[i]))
  }
  return (
    sameValue(value, absent) ||
    !(typeof value === 'string' || Array.isArray(value)) ||
    sameValue(value, later)
  )
}

/** Only where all that changes a key are writes: an append or a delete is seen in other ways. */
function unobservableOf(operations: readonly Operation[], absent: unknown): ReadonlySet<number> {
  if (absent !== null) return new Set()
  const names: Readonly<Record<string, string>> = { get: 'read', put: 'write' }
  for (const { f } of operations) if (f === 'append' || f === 'delete') return new Set()
  const keys = new Set(operations.map(({ key }) => valueKey(key)))
  if (keys.size > 1) return new Set()
  return unobservableWrites(
    operations.map((operation) => ({ ...operation, f: names[operation.f] ?? operation.f })),
  )
}
