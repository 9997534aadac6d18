/**
 * Seeded transactional histories with Elle's workload: a few active keys, each twice as likely as the one before it; a
 * key retires after a number of writes drawn from Zipf's law; one to four micro-operations a transaction. The database
 * is simulated and strictly serializable: each transaction takes effect at one random moment between its invocation
 * and its completion.
 */
import type { HistoryEvent } from '../../src/history/index.ts'
import { generator } from './register-histories.ts'

export interface TransactionHistoryOptions {
  readonly seed: number
  readonly transactions: number
  readonly writes: 'append' | 'w'
  readonly processes?: number
  readonly activeKeys?: number
  readonly maxLength?: number
  readonly maxWritesPerKey?: number
}

type MicroOperation = [string, number, unknown]

/** Calls `emit` with every event in order. */
export function transactionHistory(
  options: TransactionHistoryOptions,
  emit: (event: HistoryEvent) => void,
): void {
  const {
    seed,
    transactions,
    writes,
    processes = 10,
    activeKeys = 10,
    maxLength = 4,
    maxWritesPerKey = 256,
  } = options
  const random = generator(seed)
  const zipf = zipfian(maxWritesPerKey, random)
  const keys = Array.from({ length: activeKeys }, (_, i) => i)
  const limit = keys.map(() => 1 + zipf())
  const used = keys.map(() => 0)
  let nextKey = activeKeys
  const state = new Map<number, number[]>()
  const scale = 2 ** activeKeys * 2 - 2

  const generate = (): MicroOperation[] => {
    const length = 1 + Math.floor(random() * maxLength)
    const body: MicroOperation[] = []
    while (body.length < length) {
      const i = Math.floor(Math.log2(random() * scale + 2) - 1)
      if (random() < 0.5) body.push(['r', keys[i], null])
      else if (used[i] >= limit[i]) {
        keys[i] = nextKey++
        limit[i] = 1 + zipf()
        used[i] = 0
      } else body.push([writes, keys[i], ++used[i]])
    }
    return body
  }
  /** Runs a transaction against the state: what its client will see. */
  const execute = (body: readonly MicroOperation[]): MicroOperation[] =>
    body.map(([f, key, value]): MicroOperation => {
      let list = state.get(key)
      if (f !== 'r') {
        if (list === undefined) state.set(key, (list = []))
        list.push(value as number)
        return [f, key, value]
      }
      if (list === undefined) return [f, key, null]
      return [f, key, writes === 'append' ? list.slice() : list.at(-1)]
    })

  interface Running {
    body: MicroOperation[]
    effectAt: number
    endAt: number
    output: MicroOperation[] | null
  }
  const running: (Running | null)[] = Array.from({ length: processes }, () => null)
  const wakeAt = running.map(() => random())
  let begun = 0
  for (;;) {
    let process = -1
    let now = Infinity
    for (let p = 0; p < processes; p++) {
      const txn = running[p]
      const at =
        txn === null
          ? begun < transactions
            ? wakeAt[p]
            : Infinity
          : txn.output === null
            ? txn.effectAt
            : txn.endAt
      if (at < now) {
        now = at
        process = p
      }
    }
    if (process < 0) return
    const txn = running[process]
    if (txn === null) {
      const body = generate()
      begun++
      const effectAt = now + random()
      running[process] = { body, effectAt, endAt: effectAt + random(), output: null }
      emit({ type: 'invoke', process, f: 'txn', value: body })
    } else if (txn.output === null) txn.output = execute(txn.body)
    else {
      emit({ type: 'ok', process, f: 'txn', value: txn.output })
      running[process] = null
      wakeAt[process] = now + random() * 0.2
    }
  }
}

/** 0 to n - 1, the i-th with a probability proportional to 1 / (i + 1). */
function zipfian(n: number, random: () => number): () => number {
  const cumulative: number[] = []
  let sum = 0
  for (let i = 1; i <= n; i++) cumulative.push((sum += 1 / i))
  return () => {
    const at = random() * sum
    return cumulative.findIndex((edge) => at < edge)
  }
}
