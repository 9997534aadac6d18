/**
 * A history in memory: operations as columns, one position per operation, in the order in which they first appear.
 * A million operations take tens of megabytes, and a checker walks the columns without making an object per
 * operation; `operation(position)` makes the record where a person or a report wants one.
 *
 * Invariants: every column has `length` entries; an operation's position is not its id; event indexes are unique and
 * in real-time order, so `a` precedes `b` exactly when `a` is ok or fail and `completeIndex[a] < invokeIndex[b]`.
 * A history made by `select` keeps ids and event indexes of the one it comes from.
 */
import { HistoryBuilder } from './history-builder.ts'
import { INFO, NEVER, OUTCOMES, type HistoryEvent, type Operation } from './operation.ts'
import type { HistoryProblem } from './problem.ts'

export { FAIL, INFO, NEVER, OK } from './operation.ts'

/** Something that was done to the system rather than asked of it: a nemesis operation in an imported history. */
export interface FaultEvent {
  readonly index: number
  /** Microseconds, or null. */
  readonly time: number | null
  readonly f: string
  readonly value: unknown
}

export interface HistoryColumns {
  readonly length: number
  readonly id: Float64Array
  /** `OK`, `FAIL` or `INFO`. */
  readonly type: Uint8Array
  /** Indexes into `processes`, `functions`, `keys`, `nodes`; -1 in `node` if it is unknown. */
  readonly process: Int32Array
  readonly f: Int32Array
  readonly key: Int32Array
  readonly node: Int32Array
  /** -1 where there was no invocation. */
  readonly invokeIndex: Int32Array
  /** -1 where there was no completion. */
  readonly completeIndex: Int32Array
  /** Microseconds; NaN where none was measured. */
  readonly invokeTime: Float64Array
  readonly completeTime: Float64Array
  readonly input: readonly unknown[]
  readonly output: readonly unknown[]
  /** Sparse: position → error. */
  readonly errors: ReadonlyMap<number, unknown>
  /** 0 no, 1 yes, 2 not recorded. */
  readonly timedOut: Uint8Array
  /** -1 if they were not counted. */
  readonly faultEpoch: Int32Array
}

export interface HistoryTables {
  readonly processes: readonly (number | string | null)[]
  readonly functions: readonly string[]
  readonly keys: readonly unknown[]
  readonly nodes: readonly string[]
  readonly faults: readonly FaultEvent[]
  readonly problems: readonly HistoryProblem[]
  /** Problems found; `problems` keeps only the first ones. */
  readonly problemCount: number
  readonly eventCount: number
  /**
   * Whether event indexes say what happened before what. False where the source has sessions only: then just the
   * order inside one process counts, and a checker that needs real time must say that the history is too weak.
   */
  readonly realTime: boolean
  /** The format it was read from, or null. */
  readonly format: string | null
}

export class History implements HistoryColumns, HistoryTables {
  readonly length: number
  readonly id: Float64Array
  readonly type: Uint8Array
  readonly process: Int32Array
  readonly f: Int32Array
  readonly key: Int32Array
  readonly node: Int32Array
  readonly invokeIndex: Int32Array
  readonly completeIndex: Int32Array
  readonly invokeTime: Float64Array
  readonly completeTime: Float64Array
  readonly input: readonly unknown[]
  readonly output: readonly unknown[]
  readonly errors: ReadonlyMap<number, unknown>
  readonly timedOut: Uint8Array
  readonly faultEpoch: Int32Array
  readonly processes: readonly (number | string | null)[]
  readonly functions: readonly string[]
  readonly keys: readonly unknown[]
  readonly nodes: readonly string[]
  readonly faults: readonly FaultEvent[]
  readonly problems: readonly HistoryProblem[]
  readonly problemCount: number
  readonly eventCount: number
  readonly realTime: boolean
  readonly format: string | null

  constructor(columns: HistoryColumns, tables: HistoryTables) {
    this.length = columns.length
    this.id = columns.id
    this.type = columns.type
    this.process = columns.process
    this.f = columns.f
    this.key = columns.key
    this.node = columns.node
    this.invokeIndex = columns.invokeIndex
    this.completeIndex = columns.completeIndex
    this.invokeTime = columns.invokeTime
    this.completeTime = columns.completeTime
    this.input = columns.input
    this.output = columns.output
    this.errors = columns.errors
    this.timedOut = columns.timedOut
    this.faultEpoch = columns.faultEpoch
    this.processes = tables.processes
    this.functions = tables.functions
    this.keys = tables.keys
    this.nodes = tables.nodes
    this.faults = tables.faults
    this.problems = tables.problems
    this.problemCount = tables.problemCount
    this.eventCount = tables.eventCount
    this.realTime = tables.realTime
    this.format = tables.format
  }

  /**
   * From finished operations, in any order, or from events in the order in which they happened. What is wrong with
   * them is in `problems`; nothing is thrown.
   */
  static from(records: Iterable<Operation> | Iterable<HistoryEvent>): History {
    const builder = new HistoryBuilder()
    const operations: Operation[] = []
    for (const record of records) {
      if ('invokeIndex' in record) operations.push(record)
      else builder.event(record)
    }
    if (operations.length > 0) builder.operations(operations)
    return builder.finish()
  }

  operation(position: number): Operation {
    const node = this.node[position]
    const complete = this.completeIndex[position]
    const epoch = this.faultEpoch[position]
    const timedOut = this.timedOut[position]
    return {
      id: this.id[position],
      process: this.processes[this.process[position]],
      type: OUTCOMES[this.type[position]],
      f: this.functions[this.f[position]],
      key: this.keys[this.key[position]],
      input: this.input[position],
      output: this.output[position],
      error: this.errors.get(position) ?? null,
      timedOut: timedOut === 2 ? null : timedOut === 1,
      invokeTime: numberOrNull(this.invokeTime[position]),
      completeTime: numberOrNull(this.completeTime[position]),
      invokeIndex: this.invokeIndex[position],
      completeIndex: complete < 0 ? null : complete,
      node: node < 0 ? null : this.nodes[node],
      faultEpoch: epoch < 0 ? null : epoch,
    }
  }

  *operations(): Generator<Operation> {
    for (let i = 0; i < this.length; i++) yield this.operation(i)
  }

  /**
   * The event index by which the effect is certainly over: the completion of an ok or fail, `NEVER` for an unknown
   * outcome, which may still happen after everything else.
   */
  endOf(position: number): number {
    return this.type[position] === INFO || this.completeIndex[position] < 0
      ? NEVER
      : this.completeIndex[position]
  }

  /** Index of a function's name in `functions`, or -1 when no operation has it. */
  functionIndex(name: string): number {
    return this.functions.indexOf(name)
  }

  /** All events in order, each as `position * 2`, plus 1 for a completion. */
  events(): Float64Array {
    const { length, invokeIndex, completeIndex } = this
    if (length * 4 < this.eventCount) return this.#eventsBySorting()
    const slots = new Float64Array(this.eventCount).fill(-1)
    let count = 0
    for (let i = 0; i < length; i++) {
      if (invokeIndex[i] >= 0) slots[invokeIndex[i]] = (count++, i * 2)
      if (completeIndex[i] >= 0) slots[completeIndex[i]] = (count++, i * 2 + 1)
    }
    const events = new Float64Array(count)
    let at = 0
    for (let i = 0; i < slots.length; i++) if (slots[i] >= 0) events[at++] = slots[i]
    return events
  }

  /** For a small part of a large history, whose events are few and far between. */
  #eventsBySorting(): Float64Array {
    const { length, invokeIndex, completeIndex } = this
    const span = length * 2
    const sorted = new Float64Array(span)
    let count = 0
    for (let i = 0; i < length; i++) {
      if (invokeIndex[i] >= 0) sorted[count++] = invokeIndex[i] * span + i * 2
      if (completeIndex[i] >= 0) sorted[count++] = completeIndex[i] * span + i * 2 + 1
    }
    const events = sorted.subarray(0, count).sort()
    for (let i = 0; i < count; i++) events[i] %= span
    return events
  }

  /** The operations at some positions, ascending, as a history of their own. */
  select(positions: ArrayLike<number>): History {
    const length = positions.length
    const pick = <T extends Float64Array | Int32Array | Uint8Array>(from: T, to: T): T => {
      for (let i = 0; i < length; i++) to[i] = from[positions[i]]
      return to
    }
    const errors = new Map<number, unknown>()
    if (this.errors.size > 0) {
      for (let i = 0; i < length; i++) {
        if (this.errors.has(positions[i])) errors.set(i, this.errors.get(positions[i]))
      }
    }
    const columns: HistoryColumns = {
      length,
      id: pick(this.id, new Float64Array(length)),
      type: pick(this.type, new Uint8Array(length)),
      process: pick(this.process, new Int32Array(length)),
      f: pick(this.f, new Int32Array(length)),
      key: pick(this.key, new Int32Array(length)),
      node: pick(this.node, new Int32Array(length)),
      invokeIndex: pick(this.invokeIndex, new Int32Array(length)),
      completeIndex: pick(this.completeIndex, new Int32Array(length)),
      invokeTime: pick(this.invokeTime, new Float64Array(length)),
      completeTime: pick(this.completeTime, new Float64Array(length)),
      input: Array.from({ length }, (_, i) => this.input[positions[i]]),
      output: Array.from({ length }, (_, i) => this.output[positions[i]]),
      errors,
      timedOut: pick(this.timedOut, new Uint8Array(length)),
      faultEpoch: pick(this.faultEpoch, new Int32Array(length)),
    }
    return new History(columns, this)
  }

  filter(keep: (position: number) => boolean): History {
    const positions: number[] = []
    for (let i = 0; i < this.length; i++) if (keep(i)) positions.push(i)
    return positions.length === this.length ? this : this.select(positions)
  }

  /** One history per key, in the order in which keys first appear. */
  byKey(): Map<unknown, History> {
    const groups: number[][] = Array.from({ length: this.keys.length }, () => [])
    for (let i = 0; i < this.length; i++) groups[this.key[i]].push(i)
    const parts = new Map<unknown, History>()
    groups.forEach((positions, key) => {
      if (positions.length > 0) parts.set(this.keys[key], this.select(positions))
    })
    return parts
  }
}

function numberOrNull(value: number): number | null {
  return Number.isNaN(value) ? null : value
}
