/**
 * Sequential consistency (Lamport, 1979): there is one order of all operations, in which each session's are in its own
 * order, that one copy of the object would have answered so. Real time does not matter, so objects cannot be looked at
 * one by one: the whole history is one search. NP-complete, also with unique values; a depth-first search that
 * remembers every configuration (how far each session is, which unknown operations took effect, the state) decides it.
 * A linearizable history is sequential too, which is tried first.
 *
 * An operation of unknown outcome may take effect at any time after what its session did before it, or never. Reads
 * that are legal are taken at once: they change nothing.
 */
import { FAIL, INFO, NEVER, type History } from '../../history/history.ts'
import { linearizable } from '../linearizable/index.ts'
import type { AnyModel, Model } from '../linearizable/model.ts'
import { describeOperation, describeState } from '../linearizable/model.ts'
import { determinize } from '../linearizable/nondeterministic.ts'
import { classify } from '../linearizable/space.ts'
import { NO_STATE, Transitions } from '../linearizable/transitions.ts'
import { weaknessOf } from '../linearizable/weakness.ts'
import { Budget, type BudgetOptions } from '../budget.ts'
import { checkOptions, LIMIT_OPTIONS, type OptionSchema } from '../options.ts'
import { conclude, type Anomaly, type CheckResult } from '../result.ts'
import { tooWeak } from './findings.ts'
import { productOf } from './product-model.ts'

export type SequentialOptions = BudgetOptions

export const SEQUENTIAL_OPTIONS: OptionSchema<SequentialOptions> = LIMIT_OPTIONS

export interface SequentialDetails {
  readonly configurations: number
  /** Ids of the operations in an order that explains all answers. */
  readonly witness: readonly number[] | null
}

export function sequential(
  history: History,
  model: AnyModel,
  options: SequentialOptions = {},
): CheckResult<SequentialDetails> {
  checkOptions('sequential', SEQUENTIAL_OPTIONS, options)
  const budget = Budget.of(options)
  const deterministic: Model = model.nondeterministic === true ? determinize(model) : model
  const weakness = weaknessOf(history, deterministic)
  if (weakness !== null) return tooWeak(`sequential ${model.name}`, history, weakness)
  const whole = productOf(deterministic, history)
  // What is linearizable is sequential, and far quicker to find: real time leads the way.
  const first = linearizable(history, whole, { partition: 'none', budget: budget.share(1 / 4) })
  if (first.verdict === 'valid') {
    return {
      ...first,
      checker: `sequential ${model.name}`,
      method: `linearizable: ${first.method ?? 'nothing to check'}`,
      assumptions: model.assumptions ?? [],
    }
  }
  const search = new SequentialSearch(history, whole)
  const stopped = search.run(budget)
  return conclude({
    checker: `sequential ${model.name}`,
    scope: { operations: search.kept, ignored: history.length - search.kept, functions: history.functions },
    checks: search.required,
    anomalies: stopped === null && search.order === null ? [search.anomaly()] : [],
    doubt:
      stopped === null
        ? null
        : `${stopped}: at most ${search.furthest} of ${search.required} completed operations were put in order`,
    method: 'search over session prefixes',
    assumptions: model.assumptions ?? [],
    details: {
      configurations: search.configurations,
      ...(search.order === null ? {} : { witness: search.order }),
    },
  })
}

class SequentialSearch {
  readonly required: number
  readonly kept: number
  configurations = 0
  furthest = -1
  /** Ids in the order found. */
  order: number[] | null = null
  readonly #history: History
  readonly #model: Model
  readonly #positions: Int32Array
  readonly #class: Int32Array
  readonly #readOnly: Uint8Array
  readonly #transitions: Transitions
  /** Required calls of each session in order. */
  readonly #sessions: readonly (readonly number[])[]
  /** Optional calls: how many required calls of its session come before it. */
  readonly #optional: readonly { readonly call: number; readonly session: number; readonly after: number }[]
  readonly #seen = new Set<string>()
  /** The furthest configuration: how far each session got, and the state. */
  #best: Configuration | null = null

  constructor(history: History, model: Model) {
    this.#history = history
    this.#model = model
    const positions: number[] = []
    for (let i = 0; i < history.length; i++) {
      const unknownRead = history.type[i] === INFO && model.readOnly?.(history.operation(i)) === true
      if (history.type[i] !== FAIL && !unknownRead) positions.push(i)
    }
    positions.sort((a, b) => history.invokeIndex[a] - history.invokeIndex[b] || a - b)
    this.#positions = Int32Array.from(positions)
    this.kept = positions.length
    const classes = classify(history, this.#positions, model)
    this.#class = classes.of
    this.#readOnly = classes.readOnly
    this.#transitions = new Transitions(model, classes.representatives)
    const sessions = new Map<unknown, number>()
    const lists: number[][] = []
    const optional: { call: number; session: number; after: number }[] = []
    let alone = 0
    positions.forEach((position, call) => {
      const process = history.processes[history.process[position]] ?? { alone: alone++ }
      let session = sessions.get(process)
      if (session === undefined) {
        session = lists.push([]) - 1
        sessions.set(process, session)
      }
      if (history.type[position] === INFO) optional.push({ call, session, after: lists[session].length })
      else lists[session].push(call)
    })
    this.#sessions = lists
    this.#optional = optional
    this.required = positions.length - optional.length
  }

  /** Null when decided; otherwise the limit that was reached. */
  run(budget: Budget): string | null {
    let held = 0
    try {
      return this.#run(budget, (bytes) => {
        budget.hold(bytes)
        held += bytes
      })
    } finally {
      budget.release(held)
    }
  }

  #run(budget: Budget, hold: (bytes: number) => void): string | null {
    const start = this.#settle({
      done: new Int32Array(this.#sessions.length),
      used: new Set(),
      state: 0,
      taken: 0,
      last: null,
    })
    const stack = [start]
    let tables = this.#transitions.bytes
    hold(tables)
    while (stack.length > 0) {
      const configuration = stack.pop()!
      if (configuration.taken > this.furthest) {
        this.furthest = configuration.taken
        this.#best = configuration
      }
      if (this.furthest === this.required) {
        this.order = this.#idsOf(configuration)
        return null
      }
      const key = `${configuration.done.join(',')};${[...configuration.used].sort((a, b) => a - b).join(',')};${configuration.state}`
      if (this.#seen.has(key)) continue
      this.#seen.add(key)
      this.configurations++
      const next = this.#next(configuration)
      const perNext = 200 + configuration.done.byteLength + configuration.used.size * 24
      hold(key.length * 2 + 64 + next.length * perNext + this.#transitions.bytes - tables)
      tables = this.#transitions.bytes
      stack.push(...next)
      if (budget.isSpent()) return budget.reason
    }
    return null
  }

  /** Takes every read that is legal. */
  #settle(configuration: Configuration): Configuration {
    const { done, state } = configuration
    let { taken, last } = configuration
    for (let session = 0; session < this.#sessions.length; session++) {
      const calls = this.#sessions[session]
      for (; done[session] < calls.length; done[session]++) {
        const call = calls[done[session]]
        const cls = this.#class[call]
        if (this.#readOnly[cls] === 0 || this.#transitions.next(state, cls) === NO_STATE) break
        last = { call, before: last }
        taken++
      }
    }
    return { ...configuration, taken, last }
  }

  #next({ done, used, state, taken, last }: Configuration): Configuration[] {
    const next: Configuration[] = []
    for (const { call, session, after } of this.#optional) {
      if (used.has(call) || done[session] < after) continue
      const to = this.#transitions.next(state, this.#class[call])
      if (to === NO_STATE || to === state) continue
      const more = new Set(used).add(call)
      next.push(
        this.#settle({ done: done.slice(), used: more, state: to, taken, last: { call, before: last } }),
      )
    }
    for (let session = 0; session < this.#sessions.length; session++) {
      const call = this.#sessions[session][done[session]]
      const to = call === undefined ? NO_STATE : this.#transitions.next(state, this.#class[call])
      if (to === NO_STATE) continue
      const further = done.slice()
      further[session]++
      next.push(
        this.#settle({ done: further, used, state: to, taken: taken + 1, last: { call, before: last } }),
      )
    }
    // The last is tried first: let that be the call that was over first in real time.
    return next.sort((a, b) => this.#endOf(b) - this.#endOf(a))
  }

  #endOf({ last }: Configuration): number {
    const position = this.#positions[last!.call]
    return this.#history.type[position] === INFO ? NEVER : this.#history.completeIndex[position]
  }

  #idsOf({ last }: Configuration): number[] {
    const ids: number[] = []
    for (let at = last; at !== null; at = at.before) ids.push(this.#history.id[this.#positions[at.call]])
    return ids.reverse()
  }

  /** What the furthest order ends with, and what each session would have to do next. */
  anomaly(): Anomaly {
    const { done, state } = this.#best!
    const blocked = this.#sessions.flatMap((calls, session) =>
      done[session] < calls.length ? [calls[done[session]]] : [],
    )
    const operations = blocked.map((call) => this.#history.operation(this.#positions[call]))
    const stateText = describeState(this.#transitions.states[state], this.#model)
    const shown = operations
      .slice(0, 6)
      .map((operation) => `operation ${operation.id}, ${describeOperation(operation, this.#model)}`)
    return {
      type: 'not-sequential',
      message: `no order of the sessions explains all answers; the longest ends in state ${stateText} after ${this.furthest} operations, and none of ${shown.join('; ')} leads on`,
      operations: operations.map(({ id }) => id),
      details: {
        state: stateText,
        prefix: this.#idsOf(this.#best!),
      },
    }
  }
}

interface Configuration {
  /** Required calls done, per session. */
  readonly done: Int32Array
  /** Optional calls that took effect. */
  readonly used: ReadonlySet<number>
  readonly state: number
  /** Required calls done, of all sessions. */
  readonly taken: number
  /** The order that led here, from its end. */
  readonly last: Link | null
}

interface Link {
  readonly call: number
  readonly before: Link | null
}
