/**
 * Small random histories of register transactions for differential tests. Part of them come from a store that reads
 * any of the last few snapshots, so that every level is satisfied by some and violated by others; part read at random.
 */
import { History, type HistoryEvent } from '../../../history/index.ts'

export interface RandomHistoryOptions {
  readonly writes: 'w' | 'append'
  readonly maxTransactions: number
  /** What is written to a key the nth time; n by default, so that no value is written twice. */
  readonly nthValue?: (n: number) => unknown
}

/** A whole number below the limit. */
export type Choose = (limit: number) => number

/** A history of a few processes and keys, with unknown and failed transactions in it. */
export function randomHistory(choose: Choose, options: RandomHistoryOptions): History {
  return History.from(events(choose, options))
}

function events(choose: Choose, options: RandomHistoryOptions): HistoryEvent[] {
  const { writes, maxTransactions, nthValue = (n: number): unknown => n } = options
  const processes = 1 + choose(3)
  const keys = 1 + choose(3)
  const count = 1 + choose(maxTransactions)
  const lag = choose(4)
  const wild = choose(4) === 0
  const counters = new Map<number, number>()
  /** States of the store, newest last; lists of the values that a key has had. */
  const states: ReadonlyMap<number, readonly unknown[]>[] = [new Map()]
  const written = new Map<number, unknown[]>()
  const running = new Map<number, HistoryEvent>()
  const result: HistoryEvent[] = []

  const see = (list: readonly unknown[]): unknown => {
    if (writes === 'append') return list.length === 0 && choose(2) === 0 ? null : list
    return list.at(-1) ?? null
  }
  /** Something else than what should be read: any value of a register, a list without its last element. */
  const stray = (key: number, list: readonly unknown[]): readonly unknown[] => {
    if (writes === 'append') return list.slice(0, -1)
    const values = [[], ...(written.get(key) ?? []).map((value) => [value])]
    return values[choose(values.length)]
  }
  const finish = (process: number, event: HistoryEvent): void => {
    running.delete(process)
    const fate = choose(8)
    const snapshot = states[Math.max(0, states.length - 1 - choose(lag + 1))]
    const local = new Map<number, readonly unknown[]>()
    const after = new Map(states.at(-1))
    const seen: unknown[] = []
    for (const [f, key, value] of event.value as (readonly [string, number, unknown])[]) {
      if (f === 'r') {
        const list = local.get(key) ?? snapshot.get(key) ?? []
        seen.push(['r', key, see(wild && choose(3) === 0 ? stray(key, list) : list)])
        continue
      }
      local.set(key, [...(local.get(key) ?? snapshot.get(key) ?? []), value])
      after.set(key, [...(after.get(key) ?? []), value])
      seen.push([f, key, value])
    }
    const happens = fate > 1 || (fate === 1 && choose(2) === 0)
    if (happens) states.push(after)
    const type = fate === 0 ? 'fail' : fate === 1 ? 'info' : 'ok'
    result.push({
      type,
      process,
      f: 'txn',
      value: type === 'ok' ? seen : type === 'fail' ? event.value : null,
    })
  }

  for (let begun = 0; begun < count || running.size > 0;) {
    const process = choose(processes)
    const open = running.get(process)
    if (open !== undefined) finish(process, open)
    else if (begun < count) {
      begun++
      const body = Array.from({ length: 1 + choose(3) }, () => {
        const key = choose(keys)
        if (choose(2) === 0) return ['r', key, null]
        const n = (counters.get(key) ?? 0) + 1
        const value = nthValue(n)
        counters.set(key, n)
        written.set(key, [...(written.get(key) ?? []), value])
        return [writes, key, value]
      })
      const event: HistoryEvent = { type: 'invoke', process, f: 'txn', value: body }
      running.set(process, event)
      result.push(event)
    } else running.forEach((event, other) => finish(other, event))
  }
  return result
}
