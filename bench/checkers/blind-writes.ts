/**
 * Seeded transactions over few registers, of which most write without looking: little of the order is to be seen. The
 * registers are simulated, each transaction at a random moment between its invocation and its return, so the history is
 * strictly serializable.
 */
import type { HistoryEvent } from '../../src/history/index.ts'
import { generator } from './register-histories.ts'

export interface BlindWritesOptions {
  readonly seed: number
  readonly transactions: number
  readonly keys: number
  readonly clients: number
}

type Micro = [f: 'r' | 'w', key: number, value: number | null]

/** One transaction in four reads, the others write one to three keys. */
export function blindWrites({ seed, transactions, keys, clients }: BlindWritesOptions): HistoryEvent[] {
  const random = generator(seed)
  const state = new Map<number, number>()
  const events: { readonly at: number; readonly event: HistoryEvent }[] = []
  const effects: { readonly at: number; run(): void }[] = []
  const freeAt = Array.from({ length: clients }, () => random() * 10)
  let fresh = 0
  for (let t = 0; t < transactions; t++) {
    const process = freeAt.indexOf(Math.min(...freeAt))
    const invokedAt = freeAt[process]
    const effectAt = invokedAt + random() * 10
    const returnedAt = effectAt + random() * 10
    freeAt[process] = returnedAt + random() * 2
    const reads = random() < 0.25
    const chosen = Array.from({ length: keys }, (_, key) => key).filter(() => random() < 0.5)
    const touched = chosen.length === 0 ? [Math.floor(random() * keys)] : chosen
    const value = touched.map((key): Micro => (reads ? ['r', key, null] : ['w', key, fresh++]))
    const result: Micro[] = value.map((one): Micro => [...one])
    effects.push({
      at: effectAt,
      run: () => {
        for (const one of result) {
          if (one[0] === 'r') one[2] = state.get(one[1]) ?? null
          else state.set(one[1], one[2]!)
        }
      },
    })
    events.push(
      { at: invokedAt, event: { process, type: 'invoke', f: 'txn', value } },
      { at: returnedAt, event: { process, type: 'ok', f: 'txn', value: result } },
    )
  }
  for (const { run } of effects.sort((a, b) => a.at - b.at)) run()
  return events.sort((a, b) => a.at - b.at).map(({ event }) => event)
}
