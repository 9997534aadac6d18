/**
 * g-counter and pn-counter: after the system has settled every node has the sum of all adds. Reads before that may lag,
 * but must be sums of adds that had begun; Maelstrom does not look at those.
 */
import { pnCounter as checkCounter } from '../../checkers/objects/pn-counter.ts'
import { FAIL, INFO, type History } from '../../history/history.ts'
import { COUNTER } from '../protocol/rpcs.ts'
import { findings, strictly, validity } from './judgement.ts'
import { finalReads, NOTHING_IDEMPOTENT, type Workload } from './workload.ts'

/** Deltas are −5 to 4, or 0 to 4 for a counter that only grows. */
const LEAST = -5
const DELTAS = 10

function counter(least: number): Workload {
  const deltas = DELTAS + LEAST - least
  return {
    rpcs: COUNTER,
    idempotent: NOTHING_IDEMPOTENT,
    generator: (_, decisions) => () =>
      decisions.below(2, 'generator') === 0
        ? { f: 'add', value: least + decisions.below(deltas, 'generator') }
        : { f: 'read', value: null },
    finals: finalReads,
    async invoke({ rpc }, { f, value }) {
      if (f === 'read') return (await rpc({ type: 'read' })).value
      await rpc({ type: 'add', delta: value })
      return value
    },
    check(history, { strict }) {
      const result = checkCounter(history)
      const upstream = validity(checkCounter(finalReadsOnly(history)))
      return {
        ...strictly(
          strict,
          validity(result),
          upstream,
          'Maelstrom does not check reads before the final ones',
        ),
        errors: result.anomalies.length === 0 ? null : result.anomalies.map(({ message }) => message),
        'final-reads': result.details.finalReads ?? [],
        acceptable: acceptable(history),
        ...findings(result),
      }
    },
  }
}

export const gCounter = counter(0)
export const pnCounter = counter(LEAST)

function finalReadsOnly(history: History): History {
  const read = history.functionIndex('read')
  return history.filter((i) => history.f[i] !== read || history.input[i] === 'final')
}

/** Above this many sums the ranges are merged into one. */
const MOST_SUMS = 100_000

/** Sums of all acknowledged adds and any of the unknown ones, as ranges. */
function acceptable(history: History): [number, number][] {
  const add = history.functionIndex('add')
  let sums = new Set([0])
  let base = 0
  let [lowest, highest] = [0, 0]
  for (let i = 0; i < history.length; i++) {
    const delta = history.input[i]
    if (history.f[i] !== add || history.type[i] === FAIL || typeof delta !== 'number') continue
    if (history.type[i] !== INFO) {
      base += delta
      continue
    }
    lowest += Math.min(0, delta)
    highest += Math.max(0, delta)
    if (sums.size <= MOST_SUMS) sums = new Set([...sums].flatMap((sum) => [sum, sum + delta]))
  }
  if (sums.size > MOST_SUMS) return [[base + lowest, base + highest]]
  const ranges: [number, number][] = []
  for (const sum of [...sums].sort((a, b) => a - b)) {
    const last = ranges.at(-1)
    if (last !== undefined && last[1] + 1 === base + sum) last[1] = base + sum
    else ranges.push([base + sum, base + sum])
  }
  return ranges
}
