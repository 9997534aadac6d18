/**
 * Which operations a checker looks at, and whether they carry enough to answer its question. A history that lacks
 * something is not an error: the answer is unknown, "too weak for this checker because …".
 */
import { FAIL, type History } from '../history/history.ts'
import type { CheckResult } from './result.ts'

/** Positions of the operations of one function, in order of appearance. */
export function positionsOf(history: History, f: string): number[] {
  const wanted = history.functionIndex(f)
  const positions: number[] = []
  if (wanted < 0) return positions
  for (let i = 0; i < history.length; i++) if (history.f[i] === wanted) positions.push(i)
  return positions
}

/** The same by the number of their key, in order of appearance. */
export function positionsByKey(history: History, positions: readonly number[]): Map<number, number[]> {
  const groups = new Map<number, number[]>()
  for (const i of positions) {
    const ofKey = groups.get(history.key[i])
    if (ofKey === undefined) groups.set(history.key[i], [i])
    else ofKey.push(i)
  }
  return groups
}

export function scopeOf(history: History, functions: readonly string[]): CheckResult['scope'] {
  const wanted = new Set(functions.map((name) => history.functionIndex(name)))
  let operations = 0
  for (let i = 0; i < history.length; i++) if (wanted.has(history.f[i])) operations++
  return {
    operations,
    ignored: history.length - operations,
    functions: functions.filter((name) => history.functions.includes(name)),
  }
}

/** What a checker may need of a history beyond operations and outcomes. */
export type Need = 'real-time' | 'times' | 'fault-epochs' | 'time-out-markers' | 'processes'

const MISSING: Readonly<Record<Need, string>> = {
  'real-time': 'its source recorded sessions only, not what happened before what',
  times: 'an operation has no time of invocation or completion',
  'fault-epochs': 'an operation does not say which faults came before it',
  'time-out-markers': 'a completed operation does not say whether it timed out',
  processes: 'an operation does not say which client ran it',
}

/** Why a history is too weak, or null. Looks only at operations of the given functions; failed ones need nothing. */
export function weakness(
  history: History,
  needs: readonly Need[],
  functions?: readonly string[],
): string | null {
  const wanted = functions && new Set(functions.map((name) => history.functionIndex(name)))
  for (const need of needs) {
    if (need === 'real-time') {
      if (!history.realTime) return because(need)
      continue
    }
    for (let i = 0; i < history.length; i++) {
      if (history.type[i] === FAIL || (wanted && !wanted.has(history.f[i]))) continue
      if (lacks(history, i, need)) return because(need)
    }
  }
  return null
}

function because(need: Need): string {
  return `the history is too weak for this checker because ${MISSING[need]}`
}

/** Functions that take something out of an object, or put something else in its place. */
export const REMOVALS: readonly string[] = ['remove', 'delete', 'clear']

/**
 * Why a history is too weak for a checker that knows only some of the functions that change an object: another one was
 * called of the same key, and did not fail. Null if there is none.
 */
export function otherChanges(
  history: History,
  changes: readonly string[],
  known: readonly string[],
): string | null {
  const isOther = history.functions.map((f) => changes.includes(f) && !known.includes(f))
  if (!isOther.includes(true)) return null
  const keys = new Set<number>()
  for (let i = 0; i < history.length; i++)
    if (known.includes(history.functions[history.f[i]])) keys.add(history.key[i])
  for (let i = 0; i < history.length; i++) {
    if (!isOther[history.f[i]] || history.type[i] === FAIL || !keys.has(history.key[i])) continue
    return `the history is too weak for this checker because it has ${history.functions[history.f[i]]} operations, which this checker does not know`
  }
  return null
}

function lacks(history: History, i: number, need: Exclude<Need, 'real-time'>): boolean {
  switch (need) {
    case 'times':
      return (
        Number.isNaN(history.invokeTime[i]) ||
        (history.completeIndex[i] >= 0 && Number.isNaN(history.completeTime[i]))
      )
    case 'fault-epochs':
      return history.faultEpoch[i] < 0
    case 'time-out-markers':
      return history.completeIndex[i] >= 0 && history.timedOut[i] === 2
    case 'processes':
      return history.processes[history.process[i]] === null
  }
}
