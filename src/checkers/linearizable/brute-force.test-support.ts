/**
 * Linearizability by trying every order, for tests: nothing is pruned, remembered or clever, so that it is plainly
 * right. Only for a handful of operations.
 */
import { NEVER, type History } from '../../history/history.ts'
import type { Operation } from '../../history/operation.ts'
import { ILLEGAL, type Model } from './model.ts'

export function bruteForce<State>(history: History, model: Model<State>): boolean {
  const operations = [...history.operations()].filter(({ type }) => type !== 'fail')
  return extend(operations, model.init(), model)
}

/** Whether what is left can be ordered from a state on. */
function extend<State>(left: readonly Operation[], state: State, model: Model<State>): boolean {
  if (left.every(({ type }) => type === 'info')) return true
  const firstEnd = Math.min(...left.map(endOf))
  for (const operation of left) {
    if (operation.invokeIndex > firstEnd) continue
    const next = model.step(state, operation)
    if (next === ILLEGAL) continue
    const rest = left.filter((other) => other !== operation)
    if (extend(rest, next, model)) return true
  }
  return false
}

/** What is wrong with an order that is said to be a linearization; null when nothing is. */
export function flawOf<State>(
  history: History,
  order: ArrayLike<number>,
  model: Model<State>,
): string | null {
  const byId = new Map([...history.operations()].map((operation) => [operation.id, operation]))
  const seen = new Set<number>()
  let state = model.init()
  let latestInvoke = -1
  for (let i = 0; i < order.length; i++) {
    const operation = byId.get(order[i])
    if (operation === undefined || operation.type === 'fail') return `${order[i]} did not happen`
    if (seen.has(operation.id)) return `${operation.id} occurs twice`
    seen.add(operation.id)
    if (endOf(operation) < latestInvoke) return `${operation.id} ended before one that stands before it began`
    latestInvoke = Math.max(latestInvoke, operation.invokeIndex)
    const next = model.step(state, operation)
    if (next === ILLEGAL) return `${operation.id} is not legal at its place`
    state = next
  }
  for (const { id, type } of byId.values()) if (type === 'ok' && !seen.has(id)) return `${id} is missing`
  return null
}

function endOf(operation: Operation): number {
  return operation.type === 'info' ? NEVER : (operation.completeIndex ?? NEVER)
}
