/**
 * What stands for a state of a model where states are compared: the model's own hash, or else the canonical text of its
 * contents. Plain data, maps, sets, dates and typed arrays can be compared by their contents.
 *
 * An instance of a class cannot: it may keep what makes it different in private fields, and two different states would
 * silently count as one. Such a state is refused unless the model says with `equal` when two states are the same.
 */
import { canonical, valueKey, type ValueKey } from '../../history/value.ts'
import { UsageError } from '../../kernel/errors.ts'

/** The parts of a model that compare states. */
interface Comparing<State> {
  readonly name: string
  equal?(a: State, b: State): boolean
  hash?(state: State): ValueKey
}

/** Equal states have equal keys. Different states may share one where the model has a hash or an equality. */
export function stateKey<State>(model: Comparing<State>, state: State): ValueKey {
  if (model.hash !== undefined) return model.hash(state)
  if (model.equal === undefined) refuseIncomparable(model.name, state)
  return valueKey(state)
}

/** Whether two states with the same key are the same state. */
export function sameState<State>(model: Comparing<State>, a: State, b: State): boolean {
  if (model.equal !== undefined) return model.equal(a, b)
  if (model.hash === undefined || a === b) return true
  refuseIncomparable(model.name, a)
  return canonical(a) === canonical(b)
}

function refuseIncomparable(model: string, state: unknown): void {
  const found = incomparableIn(state)
  if (found === null) return
  throw new UsageError(
    'ERR_WAVETANK_MODEL_STATE',
    `the model ${model} has a state with ${found}, which cannot be compared by its contents: use plain data, Map, Set or Date, or give the model "equal" and "hash"`,
  )
}

/** In words, the first part of a value that has no contents to compare; null when all have. */
function incomparableIn(value: unknown): string | null {
  if (typeof value === 'function') return `the function ${value.name || 'without a name'}`
  if (typeof value === 'symbol') return `the symbol ${String(value)}`
  if (typeof value !== 'object' || value === null) return null
  if (Array.isArray(value)) return firstIn(value)
  if (value instanceof Map) return firstIn([...value.keys(), ...value.values()])
  if (value instanceof Set) return firstIn([...value])
  if (value instanceof Date || ArrayBuffer.isView(value)) return null
  const prototype: unknown = Object.getPrototypeOf(value)
  const plain = prototype === null || Object.getPrototypeOf(prototype) === null
  return plain ? firstIn(Object.values(value)) : `an instance of ${value.constructor?.name ?? 'a class'}`
}

function firstIn(values: readonly unknown[]): string | null {
  for (const value of values) {
    const found = incomparableIn(value)
    if (found !== null) return found
  }
  return null
}
