/**
 * One object out of many: a model of a single object, taken once per key. Linearizability can look at keys one by one;
 * models that ignore real time cannot, and need this.
 */
import type { History } from '../../history/history.ts'
import { valueKey, type ValueKey } from '../../history/value.ts'
import { describeState, ILLEGAL, type Model } from '../linearizable/model.ts'
import { sameState, stateKey } from '../linearizable/state-key.ts'
import { changed } from '../linearizable/transitions.ts'

type Product = ReadonlyMap<ValueKey, unknown>

export function productOf(model: Model, history: History): Model {
  if (model.partition !== 'key' || history.keys.length <= 1) return model
  const stateOf = (product: Product, key: ValueKey): unknown =>
    product.has(key) ? product.get(key) : model.init()
  const hash = (state: unknown): ValueKey => stateKey(model, state)
  const same = (a: unknown, b: unknown): boolean =>
    model.equal?.(a, b) ?? (hash(a) === hash(b) && sameState(model, a, b))
  return {
    name: model.name,
    init: (): Product => new Map(),
    step: (product: Product, operation) => {
      const key = valueKey(operation.key)
      const state = stateOf(product, key)
      const before = hash(state)
      const next = model.step(state, operation)
      if (!Object.is(hash(state), before)) throw changed(model, operation)
      if (next === ILLEGAL) return ILLEGAL
      return same(state, next) ? product : new Map(product).set(key, next)
    },
    equal: (a: Product, b: Product) =>
      [...new Set([...a.keys(), ...b.keys()])].every((key) => same(stateOf(a, key), stateOf(b, key))),
    // Keys that are back in their first state count as not there, in both.
    hash: (product: Product) =>
      [...product]
        .filter(([, state]) => !same(state, model.init()))
        .map(([key, state]) => `${typeof key}${String(key)}\0${String(hash(state))}`)
        .sort()
        .join('\0'),
    describeState: (product: Product) =>
      `{${[...product].map(([key, state]) => `${String(key)}: ${describeState(state, model)}`).join(', ')}}`,
    ...(model.anonymous === undefined ? {} : { anonymous: model.anonymous }),
    ...(model.readOnly === undefined ? {} : { readOnly: (operation) => model.readOnly!(operation) }),
    ...(model.describe === undefined ? {} : { describe: (operation) => model.describe!(operation) }),
  }
}
