/**
 * A sequential specification: what one copy of the object, asked one thing at a time, would answer.
 *
 * `step` is pure and looks at an operation's `f`, `key`, `input`, `output`, `type` and (unless the model is
 * `anonymous`) `process`, at nothing else: operations that agree on those are interchangeable for the search.
 * An operation of type `info` has no output: `step` must then say what happens *if* it takes effect, whatever it
 * would have answered. That it may never take effect is the search's business, not the model's.
 */
import type { History } from '../../history/history.ts'
import type { Operation } from '../../history/operation.ts'
import { show, type ValueKey } from '../../history/value.ts'
import type { Budget } from '../budget.ts'
import type { MonitorAnswer } from './monitors/answer.ts'
import type { Partition } from './partition.ts'

/** What `step` returns when an operation with this outcome cannot happen in this state. */
// Registered, so that a model file of the user and the command line mean the same, whichever copy each has loaded.
export const ILLEGAL: unique symbol = Symbol.for('wavetank.illegal')
export type Illegal = typeof ILLEGAL

export interface InputShape {
  /** In words: `a pair [from, to]`. */
  readonly needs: string
  accepts(input: unknown, output: unknown): boolean
}

/** The shape of `cas` and its like. */
export const PAIR: InputShape = {
  needs: 'a pair [from, to]',
  accepts: (input) => Array.isArray(input) && input.length === 2,
}

/** What goes into a container that answers null when it is empty. */
export const ELEMENT: InputShape = {
  needs: 'an element other than null, which means that nothing was there',
  accepts: (input) => input !== null,
}

interface ModelBase<State> {
  readonly name: string
  /** What the user asked the model to assume about the history, in sentences; results repeat it. */
  readonly assumptions?: readonly string[]
  /** Functions that the model knows; a history that has others is too weak or not for this model. */
  readonly functions?: readonly string[]
  /** What the inputs of a function must look like, where `step` takes them apart; others make the history too weak. */
  readonly inputs?: Readonly<Record<string, InputShape>>
  /** Equality of states; the default compares them as plain data. */
  equal?(a: State, b: State): boolean
  /** Equal states have equal hashes; the default is the canonical text of plain data. */
  hash?(state: State): ValueKey
  describe?(operation: Operation): string
  describeState?(state: State): string
  /**
   * Which independent object an operation touches, when the whole is a product of objects (P-compositionality);
   * `'key'` is the operation's key. Absent: everything is one object.
   */
  readonly partition?: Partition
  /** The same where it depends on the history: a set can be split by element unless something reads all of it. */
  partitionFor?(history: History): Partition
}

export interface Model<State = unknown> extends ModelBase<State> {
  readonly nondeterministic?: false
  init(): State
  step(state: State, operation: Operation): State | Illegal
  /** True: `step` never looks at who ran the operation. */
  readonly anonymous?: boolean
  /** True for an operation that leaves every state in which it is legal as it was. Lets the search take it at once. */
  readOnly?(operation: Operation): boolean
  /**
   * False when a read that is not legal in this state cannot become legal again unless something overwrites: what
   * was appended in the wrong order stays so. Lets the search give up at once instead of when the read returns.
   */
  leadsTo?(state: State, read: Operation): boolean
  /**
   * With `leadsTo`: operations that may lead to states from which more can be reached than before. What such an
   * operation leads to, where it is legal and changes anything, must not depend on the state that it overwrites.
   */
  overwrites?(operation: Operation): boolean
  /** Ids of operations of unknown outcome that cannot help to explain any other operation: they are left out. */
  unobservable?(operations: readonly Operation[]): ReadonlySet<number>
  /** A polynomial decision for histories of a certain form; null where the history is not of that form. */
  monitor?(history: History, positions: Int32Array, budget: Budget): MonitorAnswer | null
}

/** A model in which an operation may lead to several states; none at all means illegal. */
export interface NondeterministicModel<State = unknown> extends ModelBase<State> {
  readonly nondeterministic: true
  init(): readonly State[]
  step(state: State, operation: Operation): readonly State[]
  readonly anonymous?: boolean
}

export type AnyModel = Model<any> | NondeterministicModel<any>

/** `write(3)`, `cas(1, 2) → false`, `read() → 7`. */
export function describeOperation(operation: Operation, model?: AnyModel): string {
  if (model?.describe !== undefined) return model.describe(operation)
  const { f, input, output, type } = operation
  const args = input === null || input === undefined ? '' : brief(input)
  if (type === 'info') return `${f}(${args}) → ?`
  return output === null || output === undefined || output === input
    ? `${f}(${args})`
    : `${f}(${args}) → ${brief(output)}`
}

export function describeState(state: unknown, model?: AnyModel): string {
  return model?.describeState === undefined ? brief(state) : model.describeState(state)
}

function brief(value: unknown): string {
  return show(value, 60)
}
