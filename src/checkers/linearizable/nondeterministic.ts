/**
 * A nondeterministic model as a deterministic one: the state is the set of states in which the object may be (the
 * power-set construction). An operation is legal when it is in at least one of them.
 *
 * A read then may narrow the set, so nothing is `readOnly` here, and no monitor applies.
 */
import { canonical } from '../../history/value.ts'
import { describeState, ILLEGAL, type Model, type NondeterministicModel } from './model.ts'
import { sameState, stateKey } from './state-key.ts'

export function determinize<State>(model: NondeterministicModel<State>): Model<readonly State[]> {
  const key = (state: State): string => {
    const own = stateKey(model, state)
    return model.hash === undefined ? canonical(state) : String(own)
  }
  const same = (a: State, b: State): boolean =>
    model.equal?.(a, b) ?? (key(a) === key(b) && sameState(model, a, b))
  const set = (states: readonly State[]): readonly State[] => {
    const kept: { state: State; key: string }[] = []
    for (const state of states) {
      if (!kept.some((other) => same(other.state, state))) kept.push({ state, key: key(state) })
    }
    return kept.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).map(({ state }) => state)
  }
  return {
    name: model.name,
    ...(model.functions === undefined ? {} : { functions: model.functions }),
    ...(model.inputs === undefined ? {} : { inputs: model.inputs }),
    ...(model.partition === undefined ? {} : { partition: model.partition }),
    ...(model.anonymous === undefined ? {} : { anonymous: model.anonymous }),
    ...(model.describe === undefined ? {} : { describe: (operation) => model.describe!(operation) }),
    init: () => set(model.init()),
    step(states, operation) {
      const next = set(states.flatMap((state) => model.step(state, operation)))
      return next.length === 0 ? ILLEGAL : next
    },
    equal: (a, b) => a.length === b.length && a.every((state) => b.some((other) => same(state, other))),
    hash: (states) => states.map(key).join('\0'),
    describeState: (states) => `{${states.map((state) => describeState(state, model)).join(' | ')}}`,
  }
}
