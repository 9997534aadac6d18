/**
 * The answer about one key of lin-kv under Knossos's keys: in which states the key can be in the end, or at which
 * operation no state is left. `final-paths` is empty: the proof of an invalid key stands in `findings`.
 */
import type { CheckResult } from '../../checkers/result.ts'
import type { LinearizabilityDetails } from '../../checkers/linearizable/index.ts'
import type { History } from '../../history/history.ts'
import type { Operation } from '../../history/operation.ts'
import { completion, invocation } from './events.ts'
import { validity } from './judgement.ts'

export function linearizableKey(result: CheckResult, history: History): Record<string, unknown> {
  const { witness, proof } = result.details as Partial<LinearizabilityDetails>
  const operation = operationsOf(history)
  const verdict = { 'valid?': validity(result) }
  if (witness !== undefined && witness !== null)
    return { ...verdict, configs: [finalConfiguration(witness.map(operation), history)], 'final-paths': [] }
  if (proof === undefined) return { ...verdict, configs: [], 'final-paths': [] }
  const configs = proof.configurations.map(({ state, last, next }) => ({
    model: { value: state },
    'last-op': last === null ? null : completion(operation(last)),
    pending: next.map((step) => invocation(operation(step.operation))),
  }))
  const previous = proof.prefix.at(-1)
  return {
    ...verdict,
    op: completion(operation(proof.stuck)),
    'previous-ok': previous === undefined ? null : completion(operation(previous)),
    configs,
    'final-paths': [],
  }
}

function operationsOf(history: History): (id: number) => Operation {
  const positions = new Map(Array.from(history.id, (id, position) => [id, position]))
  return (id) => history.operation(positions.get(id)!)
}

/** The state after an order that explains all answers. What is not in it has no effect, or none yet. */
function finalConfiguration(order: readonly Operation[], history: History): Record<string, unknown> {
  const last = order.at(-1)
  const key = last?.key
  const placed = new Set(order.map(({ id }) => id))
  const pending = [...history.operations()].filter(
    (each) => each.type === 'info' && each.key === key && !placed.has(each.id),
  )
  return {
    model: { value: stateAfter(order) },
    'last-op': last === undefined ? null : completion(last),
    pending: pending.map(invocation),
  }
}

function stateAfter(order: readonly Operation[]): unknown {
  const change = order.findLast(({ f }) => f !== 'read')
  if (change === undefined) return null
  return change.f === 'cas' ? (change.input as [unknown, unknown])[1] : change.input
}
