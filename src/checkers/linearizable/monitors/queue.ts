/**
 * Linearizability of a FIFO queue whose values are all different, in linear time on event indexes. Besides the
 * violations that `container-values.ts` finds, there are two (Henzinger, Sezgin and Vafeiadis, CONCUR 2013): a value
 * overtakes one that was in before it, or an empty answer came while something was certainly inside.
 */
import { NEVER, type History } from '../../../history/history.ts'
import { show } from '../../../history/value.ts'
import type { Anomaly } from '../../result.ts'
import type { MonitorAnswer } from './answer.ts'
import { containerValues, impossibleEmpty, type ContainerValues } from './container-values.ts'

const METHOD = 'monitor of a queue with unique values, O(n)'

export function monitorQueue(history: History, positions: Int32Array): MonitorAnswer | null {
  const values = containerValues(history, positions, { insert: 'enqueue', remove: 'dequeue' })
  if (values === null) return null
  if (values.anomaly !== null) return { method: METHOD, anomaly: values.anomaly, witness: null }
  const anomaly = overtaking(values, history.eventCount) ?? impossibleEmpty(values, history.eventCount)
  if (anomaly !== null && values.unknownRemovals > 0) return null
  return { method: METHOD, anomaly, witness: null }
}

/** Values a and b such that a was in before b began to go in, but b was out before anybody began to take a out. */
function overtaking(values: ContainerValues, eventCount: number): Anomaly | null {
  const { insertInvoke, insertReturn, removeInvoke, removeReturn } = values
  const returned = new Int32Array(eventCount).fill(-1)
  const invoked = new Int32Array(eventCount).fill(-1)
  for (let i = 0; i < values.count; i++) {
    if (insertReturn[i] !== NEVER) returned[insertReturn[i]] = i
    if (insertInvoke[i] >= 0) invoked[insertInvoke[i]] = i
  }
  let latest = -1
  for (let event = 0; event < eventCount; event++) {
    const a = returned[event]
    if (a >= 0 && (latest < 0 || removeInvoke[a] > removeInvoke[latest])) latest = a
    const b = invoked[event]
    if (b >= 0 && latest >= 0 && removeReturn[b] < removeInvoke[latest]) return overtaken(values, latest, b)
  }
  return null
}

function overtaken({ value, insertId, removeId }: ContainerValues, a: number, b: number): Anomaly {
  const fate =
    removeId[a] < 0 ? 'never came out' : `came out only with operation ${removeId[a]}, which began later`
  return {
    type: 'out-of-order',
    message: `${show(value[a])} was in (operation ${insertId[a]}) before ${show(value[b])} (operation ${insertId[b]}) began to go in, but ${show(value[b])} was out with operation ${removeId[b]}, while ${show(value[a])} ${fate}`,
    operations: [insertId[a], insertId[b], removeId[b], removeId[a]].filter((id) => id >= 0),
    details: { values: [value[a], value[b]] },
  }
}
