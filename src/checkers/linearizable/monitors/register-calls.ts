/**
 * Calls as reads and writes of numbered registers and values, in columns, for `register-order.ts`. A call reads before
 * it writes. A read accepts one value, or all but one (a compare-and-set that answered false).
 */
import { INFO, NEVER, type History } from '../../../history/history.ts'
import { Interner } from '../../../history/value.ts'
import type { Anomaly } from '../../result.ts'
import type { Budget } from '../../budget.ts'
import { describeOperation, type Model } from '../model.ts'
import type { MonitorAnswer } from './answer.ts'
import type { Calls } from './real-time.ts'
import {
  INITIAL,
  orderRegisters,
  type Mismatch,
  type RegisterHistory,
  type Writer,
} from './register-order.ts'

const SHOWN_OPERATIONS = 8

export class RegisterCalls {
  readonly #history: History
  readonly #positions: number[] = []
  readonly #registers = new Interner()
  readonly #values = new Interner()
  readonly #initial: (register: unknown) => unknown
  readonly #readStart: number[] = [0]
  readonly #reads: { readonly register: number; readonly value: number; readonly not: boolean }[] = []
  readonly #writeStart: number[] = [0]
  readonly #writes: { readonly register: number; readonly value: number }[] = []
  readonly #initialValue: number[] = []
  readonly writers: Writer[][] = []

  constructor(history: History, initial: (register: unknown) => unknown) {
    this.#history = history
    this.#initial = initial
  }

  get count(): number {
    return this.#positions.length
  }

  get registers(): number {
    return this.writers.length
  }

  /** Begins a call; `read` and `write` that follow are its. */
  call(position: number): void {
    this.#positions.push(position)
    this.#readStart.push(this.#reads.length)
    this.#writeStart.push(this.#writes.length)
  }

  read(register: unknown, value: unknown, not = false): void {
    this.#reads.push({ register: this.#register(register), value: this.#values.number(value ?? null), not })
    this.#readStart[this.count] = this.#reads.length
  }

  write(register: unknown, value: unknown): void {
    const at = this.#register(register)
    const number = this.#values.number(value ?? null)
    this.#writes.push({ register: at, value: number })
    this.#writeStart[this.count] = this.#writes.length
    this.writers[at].push({ call: this.count - 1, value: number })
  }

  #register(name: unknown): number {
    const number = this.#registers.number(name)
    if (number === this.writers.length) {
      this.writers.push([])
      this.#initialValue.push(this.#values.number(this.#initial(name) ?? null))
    }
    return number
  }

  replay(order: Int32Array, report: (mismatch: Mismatch) => void): void {
    const last = new Int32Array(this.registers).fill(INITIAL)
    const value = Int32Array.from(this.#initialValue)
    const { count } = this
    for (const call of order) {
      if (call >= count) continue
      for (let r = this.#readStart[call]; r < this.#readStart[call + 1]; r++) {
        const { register, value: seen, not } = this.#reads[r]
        if ((value[register] === seen) === not)
          report({ call, register, last: last[register], accepts: (v) => (v === seen) !== not })
      }
      for (let w = this.#writeStart[call]; w < this.#writeStart[call + 1]; w++) {
        const { register, value: written } = this.#writes[w]
        last[register] = call
        value[register] = written
      }
    }
  }

  /** The answer for all calls; null when the budget did not suffice. */
  decide(method: string, model: Model, budget: Budget): MonitorAnswer | null {
    return decideByOrder(this.#history, this.#positions, model, method, budget, (times) => ({
      ...times,
      registers: this.registers,
      writers: this.writers,
      replay: (order, report) => this.replay(order, report),
    }))
  }
}

/** The answer for calls at these positions; null when the budget did not suffice. */
export function decideByOrder(
  history: History,
  positions: readonly number[],
  model: Model,
  method: string,
  budget: Budget,
  registersOf: (times: Calls) => RegisterHistory,
): MonitorAnswer | null {
  const { type, invokeIndex, completeIndex, id } = history
  const found = orderRegisters(
    registersOf({
      count: positions.length,
      invoke: Int32Array.from(positions, (position) => invokeIndex[position]),
      end: Int32Array.from(positions, (position) =>
        type[position] === INFO ? NEVER : completeIndex[position],
      ),
    }),
    budget,
  )
  if (found === null) return null
  if ('order' in found)
    return { method, anomaly: null, witness: Float64Array.from(found.order, (call) => id[positions[call]]) }
  const anomaly = contradiction(
    history,
    model,
    found.calls.map((call) => positions[call]),
  )
  return { method, anomaly, witness: null }
}

/** Calls of which no order explains what they saw. */
export function contradiction(history: History, model: Model, positions: readonly number[]): Anomaly {
  const shown = positions
    .slice(0, SHOWN_OPERATIONS)
    .map((position) => `${history.id[position]}, ${describeOperation(history.operation(position), model)}`)
  const more = positions.length > SHOWN_OPERATIONS ? `; and ${positions.length - SHOWN_OPERATIONS} more` : ''
  return {
    type: 'not-linearizable',
    message:
      positions.length === 1
        ? `operation ${shown[0]}, saw what no order of the operations around it explains`
        : `no order explains what these operations saw together: ${shown.join('; ')}${more}`,
    operations: positions.map((position) => history.id[position]),
  }
}
