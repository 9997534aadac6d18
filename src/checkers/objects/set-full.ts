/**
 * Does every element that became known stay, on every replica?
 *
 * All reads count. An element is *known* from the completion of its add or of the first read that had it. It is
 * *stable* when the last-begun read that has it began after the last-begun one that lacks it, *lost* when a read that
 * began after it was known lacks it and no later one has it, else *never read*. A read that lacks it after it was
 * known makes it *stale*, which is an anomaly only for a linearizable set.
 *
 * Follows Jepsen's `set-full`, and mends what that misses: duplicates inside a read are found; an element that no client
 * added, or whose add failed, is reported; and the final reads of the replicas are compared, so that an element one
 * replica lacks for good is not hidden by another replica's read that happened to begin later.
 */
import { FAIL, OK, type History } from '../../history/history.ts'
import { compareValues, Interner, show } from '../../history/value.ts'
import { AnomalyCollector } from '../anomaly-collector.ts'
import { ofEachObject } from '../compose.ts'
import { finalReads, withoutFinalRead } from '../final-reads.ts'
import { checkOptions, flag, named, type OptionSchema } from '../options.ts'
import { quantiles, type Quantiles } from '../quantiles.ts'
import { conclude, type CheckResult } from '../result.ts'
import { otherChanges, positionsOf, REMOVALS, scopeOf, weakness } from '../scope.ts'

export interface SetFullOptions {
  /** Name of the function that adds; `add` by default. */
  readonly add?: string
  readonly read?: string
  /** True: a read that began after an element was known must have it. */
  readonly linearizable?: boolean
}

export const SET_FULL_OPTIONS: OptionSchema<SetFullOptions> = {
  add: named('adds an element', 'add'),
  read: named('reads all elements', 'read'),
  linearizable: flag('a read that began after an element was known must have it'),
}

export function setFull(history: History, options: SetFullOptions = {}): CheckResult<SetFullDetails> {
  checkOptions('set-full', SET_FULL_OPTIONS, options)
  return elementsStay('set-full', history, options)
}

/** The question itself, for checkers that ask it under a name of their own. */
export function elementsStay(
  name: string,
  history: History,
  options: SetFullOptions,
): CheckResult<SetFullDetails> {
  const { add = 'add', read = 'read', linearizable = false } = options
  const scope = scopeOf(history, [add, read])
  const weak = weakness(history, ['real-time']) ?? otherChanges(history, REMOVALS, [add, read])
  if (weak !== null) return conclude({ checker: name, scope, checks: 0, anomalies: [], doubt: weak })
  const several = ofEachObject(history, [add, read], (part) => elementsStay(name, part, options), name)
  if (several !== null) return several
  const reads = readsByBeginning(history, read)
  const found = new AnomalyCollector()
  const timelines = new Timelines(history, positionsOf(history, add))
  timelines.observe(reads, found)
  const details = timelines.judge(found, linearizable)
  const finals = finalReads(history, [add], read).filter(({ position }) =>
    Array.isArray(history.output[position]),
  )
  compareReplicas(history, timelines, finals, found)
  const unread = withoutFinalRead(history, finals, [add, read], read)
  const clean =
    details.stable === 0
      ? 'no element was ever seen to stay: nothing proves that the set works'
      : unread.length > 0
        ? `no final read of ${unread.slice(0, 5).join(', ')} succeeded: nothing shows what is there`
        : null
  return conclude({
    checker: name,
    scope,
    checks: timelines.size,
    anomalies: found.anomalies,
    doubt: clean,
    details: { ...details, withoutFinalRead: unread, counts: found.counts },
  })
}

/** Positions of ok reads with a list, those that began first in front. */
function readsByBeginning(history: History, read: string): number[] {
  const reads = positionsOf(history, read).filter(
    (i) => history.type[i] === OK && Array.isArray(history.output[i]),
  )
  return reads.sort((a, b) => history.invokeIndex[a] - history.invokeIndex[b])
}

const NONE = -1

/** Per element, what the history says about it. */
class Timelines {
  readonly history: History
  readonly #elements = new Interner()
  /** First add, or `NONE` for an element that was only read. */
  readonly #add: number[] = []
  readonly #addedFrom: number[] = []
  readonly #failed: boolean[] = []
  /** Index and time (µs) of the event that made it known; `NONE` before that. */
  readonly knownIndex: number[] = []
  readonly #knownTime: number[] = []
  /** Position of the operation that made it known. */
  readonly #knownBy: number[] = []
  readonly #lastPresent: number[] = []
  readonly #lastAbsent: number[] = []
  readonly lost = new Set<number>()

  constructor(history: History, adds: readonly number[]) {
    this.history = history
    for (const i of adds) {
      const element = this.number(history.input[i])
      if (this.#add[element] === NONE) this.#add[element] = i
      this.#addedFrom[element] = Math.min(this.#addedFrom[element], history.invokeIndex[i])
      if (history.type[i] !== FAIL) this.#failed[element] = false
      if (history.type[i] === OK) this.#know(element, i)
    }
  }

  /** How many elements clients tried to add. */
  get size(): number {
    return this.#add.reduce((sum, add) => (add === NONE ? sum : sum + 1), 0)
  }

  get count(): number {
    return this.#add.length
  }

  number(value: unknown): number {
    const element = this.#elements.number(value)
    if (element === this.#add.length) {
      this.#add.push(NONE)
      this.#addedFrom.push(Number.POSITIVE_INFINITY)
      this.#failed.push(true)
      this.knownIndex.push(NONE)
      this.#knownTime.push(Number.NaN)
      this.#knownBy.push(NONE)
      this.#lastPresent.push(NONE)
      this.#lastAbsent.push(NONE)
    }
    return element
  }

  tell(element: number): string {
    return show(this.#elements.values[element])
  }

  addOf(element: number): number[] {
    return this.#add[element] === NONE ? [] : [this.history.id[this.#add[element]]]
  }

  observe(reads: readonly number[], found: AnomalyCollector): void {
    const contents = reads.map((read) => this.#contents(read, found))
    const present = new Int32Array(this.count).fill(NONE)
    // From the last-begun read back: `candidates` are those that every later read has.
    let candidates = Array.from({ length: this.count }, (_, element) => element)
    for (let r = reads.length - 1; r >= 0; r--) {
      for (const element of contents[r]) {
        present[element] = r
        if (this.#lastPresent[element] === NONE) this.#lastPresent[element] = reads[r]
      }
      const absent = candidates.filter((element) => present[element] !== r)
      if (absent.length === 0) continue
      for (const element of absent) this.#lastAbsent[element] = reads[r]
      candidates = candidates.filter((element) => present[element] === r)
    }
  }

  /** The elements of one read, each once; what should not be there is reported. */
  #contents(read: number, found: AnomalyCollector): Int32Array {
    const { history } = this
    const reader = history.id[read]
    const numbers = (history.output[read] as unknown[]).map((value) => this.number(value))
    const once = new Set(numbers)
    if (once.size < numbers.length) {
      const seen = new Set<number>()
      for (const element of numbers) {
        if (seen.has(element)) {
          found.add('duplicated', [reader], () => `a read has ${this.tell(element)} more than once`)
        }
        seen.add(element)
      }
    }
    for (const element of once) {
      if (this.#addedFrom[element] >= history.completeIndex[read]) {
        const never = this.#add[element] === NONE
        const when = never ? 'which no client added' : 'before a client began to add it'
        const operations = [...this.addOf(element), reader]
        found.add('unexpected', operations, () => `a read has ${this.tell(element)}, ${when}`)
      } else if (this.#failed[element]) {
        const operations = [...this.addOf(element), reader]
        found.add(
          'failed-but-present',
          operations,
          () => `a read has ${this.tell(element)}, but adding it failed`,
        )
      }
      this.#know(element, read)
    }
    return Int32Array.from(once)
  }

  #know(element: number, operation: number): void {
    const index = this.history.completeIndex[operation]
    if (this.knownIndex[element] !== NONE && this.knownIndex[element] <= index) return
    this.knownIndex[element] = index
    this.#knownTime[element] = this.history.completeTime[operation]
    this.#knownBy[element] = operation
  }

  judge(found: AnomalyCollector, linearizable: boolean): Omit<SetFullDetails, 'counts' | 'withoutFinalRead'> {
    const { history } = this
    const stable: number[] = []
    const stale: number[] = []
    const never: number[] = []
    const stableLatencies: number[] = []
    const lostLatencies: number[] = []
    for (let element = 0; element < this.count; element++) {
      if (this.#add[element] === NONE) continue
      const present = this.#begin(this.#lastPresent[element])
      const absent = this.#begin(this.#lastAbsent[element])
      const known = this.knownIndex[element]
      const absentAfterKnown = known !== NONE && absent > known
      if (present > absent) {
        stable.push(element)
        stableLatencies.push(this.#latencyMs(element, this.#lastAbsent[element]))
        if (absentAfterKnown) {
          stale.push(element)
          if (linearizable) this.#reportStale(element, found)
        }
      } else if (absentAfterKnown) {
        this.lost.add(element)
        lostLatencies.push(this.#latencyMs(element, this.#lastPresent[element]))
        const operations = [...this.addOf(element), history.id[this.#lastAbsent[element]]]
        const message = () =>
          `${this.tell(element)} was known, then a later read lacked it, and none had it again`
        found.add('lost', operations, message)
      } else never.push(element)
    }
    const values = (elements: Iterable<number>) =>
      [...elements].map((element) => this.#elements.values[element]).sort(compareValues)
    return {
      attempted: this.size,
      stable: stable.length,
      lost: values(this.lost),
      stale: values(stale),
      worstStale: this.#worst(stale),
      neverRead: values(never),
      stableLatenciesMs: quantiles(stableLatencies.filter((ms) => !Number.isNaN(ms))),
      lostLatenciesMs: quantiles(lostLatencies.filter((ms) => !Number.isNaN(ms))),
    }
  }

  /** Those that took the longest first. */
  #worst(stale: readonly number[]): StaleElement[] {
    const all = stale.map((element) => ({
      element: this.#elements.values[element],
      latencyMs: this.#latencyMs(element, this.#lastAbsent[element]),
      knownBy: this.history.id[this.#knownBy[element]],
      lastAbsent: this.history.id[this.#lastAbsent[element]],
    }))
    return all.sort((a, b) => b.latencyMs - a.latencyMs).slice(0, WORST_STALE)
  }

  #reportStale(element: number, found: AnomalyCollector): void {
    const operations = [...this.addOf(element), this.history.id[this.#lastAbsent[element]]]
    const message = () => `${this.tell(element)} was known before a read began that lacks it`
    found.add('stale', operations, message)
  }

  #begin(read: number): number {
    return read === NONE ? Number.NEGATIVE_INFINITY : this.history.invokeIndex[read]
  }

  /** Whole milliseconds from when it was known to the beginning of a read; 0 without one, NaN without times. */
  #latencyMs(element: number, read: number): number {
    if (Number.isNaN(this.#knownTime[element])) return Number.NaN
    if (read === NONE) return 0
    return Math.max(0, Math.floor((this.history.invokeTime[read] - this.#knownTime[element]) / 1000))
  }
}

/** Stale elements that are told in full. */
const WORST_STALE = 8

/** An element that a read lacked after it was known, and that came to stay. */
export interface StaleElement {
  readonly element: unknown
  readonly latencyMs: number
  /** Id of the operation that made it known. */
  readonly knownBy: number
  /** Id of the last read that lacks it. */
  readonly lastAbsent: number
}

export interface SetFullDetails {
  readonly attempted: number
  readonly stable: number
  readonly lost: readonly unknown[]
  readonly stale: readonly unknown[]
  readonly worstStale: readonly StaleElement[]
  readonly neverRead: readonly unknown[]
  readonly stableLatenciesMs: Quantiles | null
  readonly lostLatenciesMs: Quantiles | null
  /** Replicas whose final read is missing or did not succeed. */
  readonly withoutFinalRead: readonly string[]
  /** Anomalies found, by type; `anomalies` keeps the first few of each. */
  readonly counts: Readonly<Record<string, number>>
}

/** An element known before a replica's final read began must be in it, whatever other replicas have. */
function compareReplicas(
  history: History,
  timelines: Timelines,
  finals: ReturnType<typeof finalReads>,
  found: AnomalyCollector,
): void {
  for (const { position, replica } of finals) {
    const has = new Set((history.output[position] as unknown[]).map((value) => timelines.number(value)))
    for (let element = 0; element < timelines.count; element++) {
      const known = timelines.knownIndex[element]
      if (known === NONE || known > history.invokeIndex[position] || has.has(element)) continue
      if (timelines.lost.has(element)) continue
      const operations = [...timelines.addOf(element), history.id[position]]
      const message = () => `the final read of ${replica} lacks ${timelines.tell(element)}, which others have`
      found.add('missing-on-replica', operations, message, { replica })
    }
  }
}
