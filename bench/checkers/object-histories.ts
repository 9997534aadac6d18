/**
 * Seeded histories of any object for the linearizability benches. The object is simulated: each client runs one
 * operation at a time, which takes effect at a random moment between its invocation and its return. An operation of
 * unknown outcome takes effect with probability 1/2, in one case of five long after its invocation; its client then
 * goes on under a new name. An operation that the object refuses ends as `fail`.
 *
 * One violation can be planted, of two kinds. A *stale* answer is what the object would have said some time before the
 * operation began. A *swap* exchanges the answers of two operations of which the first had returned before the second
 * began, where the values that they took out had also gone in one after the other.
 */
import { HistoryBuilder } from '../../src/history/history-builder.ts'
import type { History, HistoryEvent } from '../../src/history/index.ts'
import { generator } from './register-histories.ts'

export interface Call {
  readonly f: string
  readonly input: unknown
  readonly key?: unknown
}

/** A sequential object: what clients ask of it, and what it answers. */
export interface SimulatedObject<State> {
  readonly initial: State
  call(random: () => number, state: State): Call
  /** The new state and the answer; null when the object refuses. States are never changed in place. */
  apply(state: State, call: Call): { readonly state: State; readonly output: unknown } | null
  /** How a violation is planted, and in which operations: `observes` says whose answer can be changed. */
  readonly plant: 'stale' | 'swap'
  observes(call: Call, output: unknown): boolean
}

export interface ObjectHistoryOptions {
  readonly seed: number
  readonly operations: number
  readonly clients: number
  readonly unknownPpm: number
  readonly violation: boolean
  /** Where the violation lies, as shares of the history; 0.2 to 0.7 by default. */
  readonly plantedAt?: readonly [from: number, to: number]
}

interface Running<State> {
  readonly call: Call
  readonly process: number
  readonly unknown: boolean
  readonly stateAtInvoke: number
  readonly invoke: number
  effectAt: number
  endAt: number
  output: unknown
  refused: boolean
  end: number
  stateBefore: State
}

export function objectHistory<State>(object: SimulatedObject<State>, options: ObjectHistoryOptions): History {
  const builder = new HistoryBuilder()
  for (const event of objectEvents(object, options)) builder.event(event)
  return builder.finish()
}

export function objectEvents<State>(
  object: SimulatedObject<State>,
  { seed, operations, clients, unknownPpm, violation, plantedAt = MIDDLE }: ObjectHistoryOptions,
): HistoryEvent[] {
  const random = generator(seed)
  const events: { type: 'invoke' | 'end'; of: Running<State> }[] = []
  const states: State[] = [object.initial]
  const running: (Running<State> | null)[] = Array.from({ length: clients }, () => null)
  const process = Array.from({ length: clients }, (_, i) => i)
  const idleUntil = Array.from({ length: clients }, () => random() * 10)
  let late: Running<State>[] = []
  let started = 0

  const invoke = (client: number, now: number): void => {
    const call = object.call(random, states.at(-1)!)
    const effectAt = now + random() * 10
    const unknown = random() * 1_000_000 < unknownPpm
    const operation: Running<State> = {
      call,
      process: process[client],
      unknown,
      stateAtInvoke: states.length - 1,
      invoke: events.length,
      effectAt,
      endAt: effectAt + random() * 10,
      output: null,
      refused: false,
      end: -1,
      stateBefore: object.initial,
    }
    if (unknown) {
      operation.effectAt =
        random() < 0.5 ? Number.POSITIVE_INFINITY : effectAt + (random() < 0.2 ? random() * 1000 : 0)
      late.push(operation)
      process[client] += clients
    }
    running[client] = operation
    events.push({ type: 'invoke', of: operation })
    started++
  }

  const effect = (operation: Running<State>): void => {
    operation.effectAt = Number.POSITIVE_INFINITY
    const state = states.at(-1)!
    const result = object.apply(state, operation.call)
    operation.stateBefore = state
    if (result === null) operation.refused = true
    else {
      operation.output = result.output
      if (result.state !== state) states.push(result.state)
    }
  }

  for (;;) {
    let at = Number.POSITIVE_INFINITY
    let act: (() => void) | null = null
    const consider = (when: number, what: () => void): void => {
      if (when < at) [at, act] = [when, what]
    }
    for (let client = 0; client < clients; client++) {
      const operation = running[client]
      if (operation === null) {
        const now = idleUntil[client]
        if (started < operations) consider(now, () => invoke(client, now))
        continue
      }
      if (!operation.unknown) consider(operation.effectAt, () => effect(operation))
      consider(operation.endAt, () => {
        running[client] = null
        operation.end = events.length
        events.push({ type: 'end', of: operation })
        idleUntil[client] = operation.endAt + random() * 2
      })
    }
    for (const operation of late) consider(operation.effectAt, () => effect(operation))
    if (act === null) break
    ;(act as () => void)()
    late = late.filter(({ effectAt }) => effectAt !== Number.POSITIVE_INFINITY)
  }
  if (violation) plant(object, events, states, random, plantedAt)
  return events.map(({ type, of }): HistoryEvent => {
    const { call, process, unknown, refused, output } = of
    const base = { process, f: call.f, key: call.key ?? null }
    if (type === 'invoke') return { ...base, type: 'invoke', value: call.input }
    if (unknown || refused) return { ...base, type: unknown ? 'info' : 'fail', value: call.input }
    return { ...base, type: 'ok', value: output }
  })
}

type Ended<State> = { type: 'invoke' | 'end'; of: Running<State> }

const MIDDLE = [0.2, 0.7] as const

/** The first place for a violation after a moment between two shares of the history. */
function plant<State>(
  object: SimulatedObject<State>,
  events: readonly Ended<State>[],
  states: readonly State[],
  random: () => number,
  [earliest, latest]: readonly [number, number],
): void {
  const observers = events
    .filter(({ type, of }) => type === 'end' && !of.unknown && !of.refused)
    .map(({ of }) => of)
    .filter(({ call, output }) => object.observes(call, output))
  const from = Math.floor(observers.length * (earliest + random() * (latest - earliest)))
  const done =
    object.plant === 'stale'
      ? plantStale(object, observers, from, states)
      : plantSwap(observers, from, events)
  if (!done) throw new Error('no place for a violation: take another seed')
}

/** How many changes of state ago an answer is stale: more than any operation still under way can have made. */
const STALE_BY = 60

function plantStale<State>(
  object: SimulatedObject<State>,
  observers: readonly Running<State>[],
  from: number,
  states: readonly State[],
): boolean {
  for (const operation of observers.slice(from)) {
    const old = states[operation.stateAtInvoke - STALE_BY]
    if (old === undefined) continue
    const answer = object.apply(old, operation.call)
    if (answer === null || JSON.stringify(answer.output) === JSON.stringify(operation.output)) continue
    operation.output = answer.output
    return true
  }
  return false
}

/** First removals whose values were put in one after the other, and come out one after the other. */
function plantSwap<State>(
  observers: readonly Running<State>[],
  from: number,
  events: readonly Ended<State>[],
): boolean {
  const insertions = new Map<unknown, Running<State>[]>()
  for (const { type, of } of events) {
    if (type === 'end' && !of.unknown && of.call.input !== null) {
      const list = insertions.get(of.call.input)
      if (list === undefined) insertions.set(of.call.input, [of])
      else list.push(of)
    }
  }
  for (let step = 0; step < observers.length; step++) {
    const i = (from + step) % observers.length
    const first = observers[i]
    for (let j = i + 1; j < Math.min(observers.length, i + 80); j++) {
      const second = observers[j]
      if (first.output === second.output || first.end > second.invoke) continue
      const [a, b] = [first, second].map(({ output }) => insertions.get(output) ?? [])
      if (a.length === 0 || b.length === 0) continue
      const insideTogether = Math.max(...a.map(({ end }) => end), ...b.map(({ end }) => end)) < first.invoke
      const inOrder =
        Math.max(...a.map(({ end }) => end)) < Math.min(...b.map((other) => other.invoke)) ||
        Math.max(...b.map(({ end }) => end)) < Math.min(...a.map((other) => other.invoke))
      if (!insideTogether || !inOrder) continue
      const output = first.output
      first.output = second.output
      second.output = output
      return true
    }
  }
  return false
}
