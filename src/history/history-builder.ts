/**
 * Builds a columnar history from events as they come: pairs invocations with completions, interns what repeats, and
 * writes down every problem with its place. It throws nothing on a bad history: a completion without invocation
 * becomes an operation that may have begun at any time before, an invocation without completion one of unknown
 * outcome.
 */
import { History, type FaultEvent } from './history.ts'
import { FAIL, INFO, OK, type HistoryEvent, type Operation, type Outcome } from './operation.ts'
import type { HistoryProblem, ProblemCode, TextPosition } from './problem.ts'
import { Interner, sameValue } from './value.ts'

/** More problems than these are counted, not kept. */
const KEPT_PROBLEMS = 100

/** A process with more open operations than this is broken; the oldest ones stay open for good. */
const OPEN_PER_PROCESS = 64

const CODES: Readonly<Record<Outcome, number>> = { ok: OK, fail: FAIL, info: INFO }

/** Events between two questions whether there is room for more. */
const EVENTS_BETWEEN = 4096

export class HistoryBuilder {
  readonly #reserve: ((bytes: number) => void) | undefined
  #length = 0
  #capacity = 64
  #events = 0
  #id = new Float64Array(64)
  #type = new Uint8Array(64)
  #process = new Int32Array(64)
  #f = new Int32Array(64)
  #key = new Int32Array(64)
  #node = new Int32Array(64)
  #invokeIndex = new Int32Array(64)
  #completeIndex = new Int32Array(64)
  #invokeTime = new Float64Array(64)
  #completeTime = new Float64Array(64)
  #timedOut = new Uint8Array(64)
  #faultEpoch = new Int32Array(64)
  readonly #input: unknown[] = []
  readonly #output: unknown[] = []
  readonly #errors = new Map<number, unknown>()
  readonly #processes = new Interner<number | string | null>()
  readonly #functions = new Interner<string>()
  readonly #keys = new Interner()
  readonly #nodes = new Interner<string>()
  readonly #faults: FaultEvent[] = []
  readonly #problems: HistoryProblem[] = []
  #problemCount = 0
  /** Process number → position of its open operation, or -1. */
  readonly #open: number[] = []
  /** Process number → its other open operations, for histories whose processes begin several at once. */
  readonly #olderOpen = new Map<number, number[]>()
  /** Explicit id → position, for ids that are not their operation's position anyway. */
  readonly #byId = new Map<number, number>()
  #lastTime = Number.NEGATIVE_INFINITY
  #nextId = 0
  #realTime = true

  /** `reserve` is called every few thousand events, and ends the building by what it throws. */
  constructor(reserve?: (bytes: number) => void) {
    this.#reserve = reserve
  }

  /** Index that the next event will get. */
  get eventCount(): number {
    return this.#events
  }

  /** Operations so far. */
  get length(): number {
    return this.#length
  }

  event(event: HistoryEvent, at: TextPosition | null = null): void {
    if (event.type === 'invoke') this.#invoke(event, at)
    else this.#complete(event, event.type, at)
    if (++this.#events % EVENTS_BETWEEN === 0) this.#reserve?.(0)
  }

  /** Something done to the system: it takes an index, and later operations know that it came before them. */
  fault(fault: Omit<FaultEvent, 'index'>): void {
    this.#faults.push({ index: this.#events++, time: fault.time, f: fault.f, value: fault.value })
  }

  /** Finished operations in any order: their events are replayed by index. */
  operations(operations: readonly Operation[]): void {
    const events: { index: number; half: 0 | 1; operation: Operation }[] = []
    for (const operation of operations) {
      if (operation.invokeIndex >= 0) events.push({ index: operation.invokeIndex, half: 0, operation })
      if (operation.completeIndex !== null) {
        events.push({ index: operation.completeIndex, half: 1, operation })
      }
    }
    events.sort((a, b) => a.index - b.index || a.half - b.half)
    for (const { half, operation } of events)
      this.event(half === 0 ? invocation(operation) : completion(operation))
  }

  /** The source has sessions and no real-time order between them. */
  withoutRealTime(): void {
    this.#realTime = false
  }

  problem(code: ProblemCode, message: string, at: TextPosition | null): void {
    if (this.#problemCount++ >= KEPT_PROBLEMS) return
    const { line, column } = at ?? { line: null, column: null }
    this.#problems.push({ code, message, event: this.#events, line, column })
  }

  finish(format: string | null = null): History {
    const length = this.#length
    const columns = {
      length,
      id: this.#id.subarray(0, length),
      type: this.#type.subarray(0, length),
      process: this.#process.subarray(0, length),
      f: this.#f.subarray(0, length),
      key: this.#key.subarray(0, length),
      node: this.#node.subarray(0, length),
      invokeIndex: this.#invokeIndex.subarray(0, length),
      completeIndex: this.#completeIndex.subarray(0, length),
      invokeTime: this.#invokeTime.subarray(0, length),
      completeTime: this.#completeTime.subarray(0, length),
      input: this.#input,
      output: this.#output,
      errors: this.#errors,
      timedOut: this.#timedOut.subarray(0, length),
      faultEpoch: this.#faultEpoch.subarray(0, length),
    }
    return new History(columns, {
      processes: this.#processes.values,
      functions: this.#functions.values,
      keys: this.#keys.values,
      nodes: this.#nodes.values,
      faults: [...this.#faults],
      problems: [...this.#problems],
      problemCount: this.#problemCount,
      eventCount: this.#events,
      realTime: this.#realTime,
      format,
    })
  }

  #invoke(event: HistoryEvent, at: TextPosition | null): void {
    const process = this.#processes.number(event.process ?? null)
    const before = this.#open[process] ?? -1
    if (before >= 0) {
      const who = describeProcess(event.process)
      this.problem(
        'double-invoke',
        `${who} begins ${event.f ?? '?'} while its ${this.#name(before)} is open`,
        at,
      )
      const older = this.#olderOpen.get(process)
      if (older === undefined) this.#olderOpen.set(process, [before])
      else if (older.push(before) > OPEN_PER_PROCESS) older.shift()
    }
    this.#time(event.time, at)
    const position = this.#add(event, process)
    this.#invokeIndex[position] = this.#events
    this.#invokeTime[position] = event.time ?? Number.NaN
    this.#input[position] = event.value ?? null
    this.#open[process] = position
    this.#register(event.id, position, at)
  }

  #complete(event: HistoryEvent, type: Outcome, at: TextPosition | null): void {
    const process = this.#processes.number(event.process ?? null)
    let position = event.id === undefined || event.id === null ? -1 : this.#positionOf(event.id)
    if (position >= 0 && this.#completeIndex[position] >= 0) {
      this.problem(
        'duplicate-operation',
        `operation ${event.id} completes a second time; this one is ignored`,
        at,
      )
      return
    }
    if (event.id === undefined || event.id === null) position = this.#openOf(process, event)
    this.#time(event.time, at)
    if (position < 0) {
      const who = describeProcess(event.process)
      this.problem(
        'completion-without-invocation',
        `${who} completes ${event.f ?? '?'}, which it never began`,
        at,
      )
      position = this.#add(event, process)
      this.#input[position] = event.value ?? null
      this.#register(event.id, position, at)
    }
    this.#close(position)
    const timedOut = event.timedOut ?? null
    const output = event.value ?? null
    if (timedOut === true && output !== null) {
      const message = `${describeProcess(event.process)} saw an answer to ${this.#name(position)} though it timed out`
      this.problem('output-of-timed-out-operation', message, at)
    }
    this.#type[position] = CODES[type]
    this.#completeIndex[position] = this.#events
    this.#completeTime[position] = event.time ?? Number.NaN
    this.#output[position] = output
    this.#timedOut[position] = timedOut === null ? 2 : timedOut ? 1 : 0
    const error = event.error ?? null
    if (error !== null) this.#errors.set(position, error)
    const node = event.node ?? null
    if (node !== null) this.#node[position] = this.#nodes.number(node)
  }

  /** The operation that a completion without id belongs to: of several open ones, the best match. */
  #openOf(process: number, event: HistoryEvent): number {
    const latest = this.#open[process] ?? -1
    const older = this.#olderOpen.get(process)
    if (older === undefined || older.length === 0) return latest
    const candidates = latest < 0 ? older : [...older, latest]
    const named = candidates.filter((position) => this.#functions.values[this.#f[position]] === event.f)
    const exact = named.find((position) => sameValue(this.#input[position], event.value))
    return exact ?? named.at(-1) ?? candidates.at(-1)!
  }

  #close(position: number): void {
    const process = this.#process[position]
    if (this.#open[process] === position) this.#open[process] = -1
    const older = this.#olderOpen.get(process)
    if (older?.includes(position)) older.splice(older.indexOf(position), 1)
  }

  #add(event: HistoryEvent, process: number): number {
    if (this.#length === this.#capacity) this.#grow()
    const position = this.#length++
    this.#id[position] = position
    this.#type[position] = INFO
    this.#process[position] = process
    this.#f[position] = this.#functions.number(event.f ?? '')
    this.#key[position] = this.#keys.number(event.key ?? null)
    this.#node[position] =
      event.node === undefined || event.node === null ? -1 : this.#nodes.number(event.node)
    this.#invokeIndex[position] = -1
    this.#completeIndex[position] = -1
    this.#invokeTime[position] = Number.NaN
    this.#completeTime[position] = Number.NaN
    this.#timedOut[position] = 2
    this.#faultEpoch[position] = event.faultEpoch ?? (this.#faults.length > 0 ? this.#faults.length : -1)
    this.#input.push(null)
    this.#output.push(null)
    return position
  }

  /** Ids given by the source are kept while they are unique; without them, operations are numbered as they come. */
  #register(id: number | null | undefined, position: number, at: TextPosition | null): void {
    if (id === undefined || id === null) {
      this.#id[position] = this.#nextId++
      return
    }
    if (this.#positionOf(id, position) >= 0) {
      const renamed = -1 - position
      this.problem('duplicate-operation', `operation id ${id} begins a second time; taken as ${renamed}`, at)
      this.#id[position] = renamed
    } else {
      this.#id[position] = id
      this.#nextId = Math.max(this.#nextId, id + 1)
    }
    if (this.#id[position] !== position) this.#byId.set(id, position)
  }

  /** Position of the operation with an explicit id, among those before `end`, or -1. */
  #positionOf(id: number, end = this.#length): number {
    const known = this.#byId.size === 0 ? undefined : this.#byId.get(id)
    if (known !== undefined) return known
    return id < end && this.#id[id] === id ? id : -1
  }

  #time(time: number | null | undefined, at: TextPosition | null): void {
    if (time === undefined || time === null) return
    if (time < this.#lastTime) {
      this.problem('time-goes-back', `time goes back from ${this.#lastTime} to ${time} µs`, at)
    }
    this.#lastTime = time
  }

  #name(position: number): string {
    return `${this.#functions.values[this.#f[position]]} (operation ${this.#id[position]})`
  }

  #grow(): void {
    const capacity = this.#capacity * 2
    this.#capacity = capacity
    this.#id = float64(this.#id, capacity)
    this.#type = uint8(this.#type, capacity)
    this.#process = int32(this.#process, capacity)
    this.#f = int32(this.#f, capacity)
    this.#key = int32(this.#key, capacity)
    this.#node = int32(this.#node, capacity)
    this.#invokeIndex = int32(this.#invokeIndex, capacity)
    this.#completeIndex = int32(this.#completeIndex, capacity)
    this.#invokeTime = float64(this.#invokeTime, capacity)
    this.#completeTime = float64(this.#completeTime, capacity)
    this.#timedOut = uint8(this.#timedOut, capacity)
    this.#faultEpoch = int32(this.#faultEpoch, capacity)
  }
}

function invocation(operation: Operation): HistoryEvent {
  const { id, process, f, key, input, invokeTime, node, faultEpoch } = operation
  return { type: 'invoke', id, process, f, key, value: input, time: invokeTime, node, faultEpoch }
}

function completion(operation: Operation): HistoryEvent {
  const { id, process, type, f, key, output, error, timedOut, completeTime, node, faultEpoch } = operation
  return { type, id, process, f, key, value: output, error, timedOut, time: completeTime, node, faultEpoch }
}

function describeProcess(process: number | string | null | undefined): string {
  return process === null || process === undefined ? 'a client without a name' : `process ${process}`
}

function float64(from: Float64Array, capacity: number): Float64Array<ArrayBuffer> {
  const to = new Float64Array(capacity)
  to.set(from)
  return to
}

function int32(from: Int32Array, capacity: number): Int32Array<ArrayBuffer> {
  const to = new Int32Array(capacity)
  to.set(from)
  return to
}

function uint8(from: Uint8Array, capacity: number): Uint8Array<ArrayBuffer> {
  const to = new Uint8Array(capacity)
  to.set(from)
  return to
}
