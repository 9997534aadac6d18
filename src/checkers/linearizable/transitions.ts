/**
 * The model as a table of small numbers: states are interned as they are met, operations are grouped into classes of
 * equal behaviour, and each (state, class) is asked of the model once. The search then never touches a state again.
 *
 * The table is dense while classes are few, and a hash table where a history has thousands of distinct operations.
 */
import type { Operation } from '../../history/operation.ts'
import type { ValueKey } from '../../history/value.ts'
import { UsageError } from '../../kernel/errors.ts'
import { ILLEGAL, type Model } from './model.ts'
import { sameState, stateKey } from './state-key.ts'

/** `next` when the operation is not legal in the state. */
export const NO_STATE = -1

const DENSE_CLASSES = 512
/** An entry of a `Map` of numbers, with the room that the map keeps free. */
const ENTRY_BYTES = 64
/** Entries of the tables hold `next + 2`: 0 is "not asked yet", 1 is "illegal". */
const ASKED_ILLEGAL = 1

/** A model that changes its states does so soon; looking takes as long as a step. */
const WATCHED_STEPS = 200

export class Transitions {
  readonly states: unknown[] = []
  readonly #model: Model
  readonly #representatives: readonly Operation[]
  readonly #width: number
  readonly #numbers = new Map<ValueKey, number[] | number>()
  #dense: Int32Array
  #sparse: Map<number, number> | null = null
  readonly #hopes: Map<number, boolean> | null
  /** Steps after which the state that they were given is looked at. */
  #watched = WATCHED_STEPS
  /** Approximate bytes held by the tables and the states. */
  bytes = 0

  constructor(model: Model, representatives: readonly Operation[]) {
    this.#model = model
    this.#representatives = representatives
    this.#width = representatives.length
    this.#hopes = model.leadsTo === undefined ? null : new Map()
    if (this.#width > DENSE_CLASSES) {
      this.#sparse = new Map()
      this.#dense = new Int32Array(0)
    } else {
      this.#dense = new Int32Array(Math.max(64, this.#width * 16))
      this.bytes = this.#dense.byteLength
    }
    this.#intern(model.init())
  }

  /** The state after, or `NO_STATE`. The initial state is 0. */
  next(state: number, cls: number): number {
    if (this.#sparse !== null) return this.#nextSparse(state, cls, this.#sparse)
    const known = this.#dense[state * this.#width + cls]
    return known > 0 ? known - 2 : this.#ask(state, cls)
  }

  /** Whether the model says that a read may become legal after this state; true when it says nothing. */
  leadsTo(state: number, cls: number): boolean {
    const hopes = this.#hopes
    if (hopes === null) return true
    const key = state * this.#width + cls
    let hope = hopes.get(key)
    if (hope === undefined) {
      hope = this.#model.leadsTo!(this.states[state], this.#representatives[cls])
      hopes.set(key, hope)
      this.bytes += ENTRY_BYTES
    }
    return hope
  }

  #nextSparse(state: number, cls: number, sparse: Map<number, number>): number {
    const known = sparse.get(state * this.#width + cls)
    return known !== undefined ? known - 2 : this.#ask(state, cls)
  }

  #ask(state: number, cls: number): number {
    const operation = this.#representatives[cls]
    const from = this.states[state]
    const before = this.#watched > 0 ? stateKey(this.#model, from) : null
    const result = this.#model.step(from, operation)
    if (result === undefined) throw withoutResult(this.#model, operation)
    if (this.#watched > 0) {
      this.#watched--
      if (!Object.is(stateKey(this.#model, from), before)) throw changed(this.#model, operation)
    }
    const number = result === ILLEGAL ? null : this.#intern(result)
    // What was one state is now another.
    if (result === from && typeof from === 'object' && number !== state) throw changed(this.#model, operation)
    const entry = number === null ? ASKED_ILLEGAL : number + 2
    if (this.#sparse !== null) {
      this.#sparse.set(state * this.#width + cls, entry)
      this.bytes += ENTRY_BYTES
    } else this.#dense[state * this.#width + cls] = entry
    return entry - 2
  }

  #intern(state: unknown): number {
    const key = stateKey(this.#model, state)
    // V8 keeps a text that was put together piece by piece as a tree, 32 bytes a piece, until a character is asked for.
    if (typeof key === 'string') key.charCodeAt(0)
    const known = this.#numbers.get(key)
    // Without an equality of the model's own, equal keys are equal states, unless the key is a mere hash.
    if (typeof known === 'number') {
      if (sameState(this.#model, this.states[known], state)) return known
      this.#numbers.set(key, [known, this.#add(state)])
      return this.states.length - 1
    }
    if (known !== undefined) {
      for (const candidate of known)
        if (sameState(this.#model, this.states[candidate], state)) return candidate
      known.push(this.#add(state))
      return this.states.length - 1
    }
    const number = this.#add(state)
    this.#numbers.set(key, number)
    this.bytes += typeof key === 'string' ? key.length * 2 + 120 : 100
    return number
  }

  #add(state: unknown): number {
    const number = this.states.push(state) - 1
    this.bytes += 16 + sizeOf(state)
    if (this.#sparse === null && (number + 1) * this.#width > this.#dense.length) {
      const larger = new Int32Array(this.#dense.length * 2)
      larger.set(this.#dense)
      this.bytes += larger.byteLength - this.#dense.byteLength
      this.#dense = larger
    }
    return number
  }
}

/** A step that forgets to return would otherwise make every answer legal. */
function withoutResult({ name }: Model, { id, f, type }: Operation): UsageError {
  return new UsageError(
    'ERR_WAVETANK_MODEL',
    `the model ${name}: step(state, operation ${id}, ${f}, ${type}) returned undefined; it must return the next state, or ILLEGAL`,
  )
}

/** A step that changes the state it was given changes the past of every other order, too. */
export function changed({ name }: Model, { id, f, type }: Operation): UsageError {
  return new UsageError(
    'ERR_WAVETANK_MODEL',
    `the model ${name}: step(state, operation ${id}, ${f}, ${type}) changed the state that it was given; it must return a new one`,
  )
}

/** Roughly what a state takes in memory. Elements are counted as references: states share most of them. */
function sizeOf(state: unknown): number {
  if (typeof state === 'string') return 24 + state.length
  if (typeof state !== 'object' || state === null) return 8
  if (Array.isArray(state)) return 60 + 16 * state.length
  if (state instanceof Map) return 200 + 60 * state.size
  if (state instanceof Set) return 200 + 40 * state.size
  return 60 + 30 * Object.keys(state).length
}
