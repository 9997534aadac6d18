/**
 * Removals of unknown outcome may have taken values that never came out. A value that stays inside may block others
 * (in a queue, those behind it); it then *needs* to leave before the first of them has come out. An unknown removal
 * may happen at any time after its invocation, so only its beginning matters: the value with the most urgent need
 * gets the removal that began first, and so on.
 *
 * With this guess the history is looked at again. If it is linearizable then, it is linearizable; if not, the guess
 * may have been wrong, and the search has to decide.
 */
import type { MonitorAnswer } from './answer.ts'
import { projected, type ContainerValues } from './container-values.ts'

/** Pairs of values that are compared at most; beyond, the search decides. */
const MAX_PAIRS = 50_000_000

/** What a monitor says; null leaves the history to the search. */
export function decideWithUnknown(
  values: ContainerValues,
  decide: (values: ContainerValues) => MonitorAnswer,
  blocks: (stays: number, leaves: number) => boolean,
): MonitorAnswer | null {
  const answer = decide(values)
  if (answer.anomaly === null || values.unknownRemovals.length === 0) return answer
  // What came out with a known removal was taken by no other, so those values alone prove a violation.
  const known = decide(projected(values, (i) => values.removeId[i] >= 0))
  if (known.anomaly !== null) return known
  const guessed = withGuesses(values, blocks)
  const second = guessed === null ? answer : decide(guessed)
  return second.anomaly === null ? second : null
}

function withGuesses(
  values: ContainerValues,
  blocks: (stays: number, leaves: number) => boolean,
): ContainerValues | null {
  const needs: { value: number; before: number }[] = []
  const staying: number[] = []
  for (let i = 0; i < values.count; i++) if (values.removeId[i] < 0) staying.push(i)
  if (staying.length * (values.count + values.empties.length) > MAX_PAIRS) return null
  for (const value of staying) {
    let before = Number.POSITIVE_INFINITY
    for (let other = 0; other < values.count; other++) {
      if (values.removeId[other] >= 0 && blocks(value, other))
        before = Math.min(before, values.removeReturn[other])
    }
    for (const { invoke, end } of values.empties)
      if (invoke > values.insertReturn[value]) before = Math.min(before, end)
    if (before !== Number.POSITIVE_INFINITY) needs.push({ value, before })
  }
  needs.sort((a, b) => a.before - b.before || a.value - b.value)
  const removeId = values.removeId.slice()
  const removeInvoke = values.removeInvoke.slice()
  needs.slice(0, values.unknownRemovals.length).forEach(({ value }, i) => {
    removeId[value] = values.unknownRemovals[i].id
    removeInvoke[value] = values.unknownRemovals[i].invoke
  })
  return { ...values, removeId, removeInvoke }
}
