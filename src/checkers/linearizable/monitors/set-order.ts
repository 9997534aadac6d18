/**
 * Linearizability of a set with reads of all its elements, by search for an order (`register-order.ts`): each element
 * is a register that holds "inside" or "absent", and a read of the whole set reads all of them at one moment. If
 * elements are added once and never removed, this decides nothing by trial: a read that shows an element comes after its
 * addition, one that does not comes before, and the question is only whether these orders have a cycle.
 */
import { INFO, OK, type History } from '../../../history/history.ts'
import { Interner } from '../../../history/value.ts'
import type { Budget } from '../../budget.ts'
import type { Model } from '../model.ts'
import type { MonitorAnswer } from './answer.ts'
import { contradiction, decideByOrder } from './register-calls.ts'
import { INITIAL, type Mismatch, type Writer } from './register-order.ts'

const METHOD = 'order of reads and changes, by search where elements come and go'
const ABSENT = 0
const INSIDE = 1
/** Elements of one read that are reported to be wrong at once. */
const REPORTED = 4

/** What one call looked at before it changed anything, and what it changed. */
interface SetCall {
  /** Everything: bits of the elements that were seen; null for a look at one element, or none. */
  readonly all: readonly number[] | null
  readonly element: number
  /** `INSIDE` or `ABSENT`; -1 for nothing. */
  readonly saw: number
  readonly leaves: number
}

export function monitorSetOrder(
  history: History,
  positions: Int32Array,
  model: Model<any>,
  budget: Budget,
): MonitorAnswer | null {
  const { type, f, functions, input, output } = history
  const elements = new Interner()
  const kept: number[] = []
  const calls: SetCall[] = []
  for (const at of positions) {
    const name = functions[f[at]]
    const isOk = type[at] === OK
    const changes = name === 'add' || name === 'remove'
    if (!isOk && (type[at] !== INFO || !changes)) continue
    kept.push(at)
    if (name === 'read') {
      const seen = output[at]
      if (!Array.isArray(seen))
        return { method: METHOD, anomaly: contradiction(history, model, [at]), witness: null }
      calls.push({ all: seen.map((element) => elements.number(element)), element: -1, saw: -1, leaves: -1 })
      continue
    }
    const element = elements.number(input[at])
    const answer = isOk && typeof output[at] === 'boolean' ? output[at] : null
    if (!changes) {
      if (answer === null)
        return { method: METHOD, anomaly: contradiction(history, model, [at]), witness: null }
      calls.push({ all: null, element, saw: answer ? INSIDE : ABSENT, leaves: -1 })
      continue
    }
    const leaves = name === 'add' ? INSIDE : ABSENT
    // An addition that changed something found the element absent; one that changed nothing found it inside.
    const saw = answer === null ? -1 : answer ? 1 - leaves : leaves
    calls.push({ all: null, element, saw, leaves })
  }
  const replay = new SetReplay(calls, elements.values.length)
  return decideByOrder(history, kept, model, METHOD, budget, (times) => ({
    ...times,
    registers: elements.values.length,
    writers: replay.writers,
    replay: (order, report) => replay.run(order, report),
  }))
}

class SetReplay {
  readonly writers: Writer[][]
  readonly #calls: readonly SetCall[]
  readonly #words: number
  /** Per call the bits of a whole read. */
  readonly #seen: readonly (Int32Array | null)[]

  constructor(calls: readonly SetCall[], elements: number) {
    this.#calls = calls
    this.#words = (elements + 31) >>> 5
    this.writers = Array.from({ length: elements }, () => [])
    calls.forEach(({ element, leaves }, call) => {
      if (leaves >= 0) this.writers[element].push({ call, value: leaves })
    })
    this.#seen = calls.map(({ all }) => {
      if (all === null) return null
      const bits = new Int32Array(this.#words)
      for (const element of all) bits[element >>> 5] |= 1 << (element & 31)
      return bits
    })
  }

  run(order: Int32Array, report: (mismatch: Mismatch) => void): void {
    const state = new Int32Array(this.#words)
    const last = new Int32Array(this.writers.length).fill(INITIAL)
    for (const call of order) {
      if (call >= this.#calls.length) continue
      const seen = this.#seen[call]
      if (seen !== null) {
        this.#compare(call, seen, state, last, report)
        continue
      }
      const { element, saw, leaves } = this.#calls[call]
      const bit = 1 << (element & 31)
      const inside = (state[element >>> 5] & bit) !== 0
      if (saw >= 0 && inside !== (saw === INSIDE))
        report({ call, register: element, last: last[element], accepts: (value) => value === saw })
      if (leaves < 0) continue
      last[element] = call
      if (leaves === INSIDE) state[element >>> 5] |= bit
      else state[element >>> 5] &= ~bit
    }
  }

  #compare(
    call: number,
    seen: Int32Array,
    state: Int32Array,
    last: Int32Array,
    report: (mismatch: Mismatch) => void,
  ): void {
    let reported = 0
    for (let word = 0; word < seen.length && reported < REPORTED; word++) {
      for (let wrong = seen[word] ^ state[word]; wrong !== 0 && reported < REPORTED; reported++) {
        const bit = wrong & -wrong
        wrong ^= bit
        const element = word * 32 + (31 - Math.clz32(bit))
        const expected = (seen[word] & bit) !== 0 ? INSIDE : ABSENT
        report({ call, register: element, last: last[element], accepts: (value) => value === expected })
      }
    }
  }
}
