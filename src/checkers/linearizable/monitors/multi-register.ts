/**
 * Linearizability of transactions over registers, by search for an order (`register-order.ts`). A transaction of unknown
 * outcome has no reads: what they answered is unknown.
 */
import { INFO, OK, type History } from '../../../history/history.ts'
import type { Operation } from '../../../history/operation.ts'
import { keyText, sameValue } from '../../../history/value.ts'
import type { Budget } from '../../budget.ts'
import type { Model } from '../model.ts'
import type { MonitorAnswer } from './answer.ts'
import { contradiction, RegisterCalls } from './register-calls.ts'

const METHOD = 'order of reads and writes, by search for repeated values'

export type MicroOperation = readonly [f: string, key: unknown, value: unknown]

export interface MultiRegisterForm {
  readonly initial: Readonly<Record<string, unknown>>
  readonly nullReadMatchesAll: boolean
  readonly microOperations: (operation: Operation) => readonly MicroOperation[]
}

export function monitorMultiRegister(
  history: History,
  positions: Int32Array,
  model: Model,
  { initial, nullReadMatchesAll, microOperations }: MultiRegisterForm,
  budget: Budget,
): MonitorAnswer | null {
  const calls = new RegisterCalls(history, (key) =>
    Object.hasOwn(initial, key as string) ? initial[key as string] : null,
  )
  for (const position of positions) {
    const { type } = history
    if (type[position] !== OK && type[position] !== INFO) continue
    const own = new Map<string, unknown>()
    const reads: [key: string, value: unknown][] = []
    for (const [f, key, value] of microOperations(history.operation(position))) {
      const name = keyText(key)
      const seen = value ?? null
      if (f === 'w') own.set(name, seen)
      else if (type[position] === INFO || (nullReadMatchesAll && seen === null)) continue
      else if (!own.has(name)) reads.push([name, seen])
      else if (!sameValue(own.get(name), seen))
        return { method: METHOD, anomaly: contradiction(history, model, [position]), witness: null }
    }
    if (type[position] === INFO && own.size === 0) continue
    calls.call(position)
    for (const [key, value] of reads) calls.read(key, value)
    for (const [key, value] of own) calls.write(key, value)
  }
  return calls.decide(METHOD, model, budget)
}
