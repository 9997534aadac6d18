/**
 * Shrinking: from a failing run to a simpler one that fails in the same way. A candidate is a list of choices over a base
 * of zeros. Leaving a choice out makes it the simplest one, so the algorithm needs no knowledge of what a choice means.
 *
 * From big to small: everything; wholes that the caller names (fault episodes, clients); entities; streams; ranges of
 * single choices (delta debugging, Zeller and Hildebrandt 2002); gaps between the choices of a stream are closed, so that
 * a late event comes early; values go down. If a round changes nothing, the caller's own candidates are tried. If these
 * change nothing either, the result is 1-minimal, and shrinking it again returns it.
 *
 * The algorithm is a generator that yields candidates and receives the runs they gave. It does not know whether a run is
 * made at once ({@link shrink}, for schedules of races) or in another thread ({@link shrinkAsync}, for seeds of
 * simulations). What a run is, and which of two is simpler, is the {@link ShrinkMeasure}'s.
 */
import { floor, min } from './arithmetic.ts'
import type { Choice } from './choices.ts'
import { RunHash } from './hash.ts'
import { keyOf } from './prng.ts'

export interface Candidate {
  /** Over zeros; a choice that does not fit is bent to the nearest value that does. */
  readonly choices: readonly Choice[]
  /** Hold one event back: at the n-th decision, counted from 1, the first of the ready events waits. */
  readonly lateAt?: number
}

/** What shrinking must know about runs of one kind. */
export interface ShrinkMeasure<Run> {
  /** Every choice of the run that is not the simplest. */
  choicesOf(run: Run): readonly Choice[]
  /** Whether the run fails in the same way as the first one. */
  isAlike(run: Run): boolean
  /**
   * What counts before the number of choices, the most important first. A candidate is kept only if it weighs less, so a
   * run with one fault less is simpler even if it makes more choices.
   */
  weigh(run: Run): readonly number[]
  /** The run's length. A run of more than twice the length of the best is not simpler, whatever it weighs. */
  lengthOf?(run: Run): number
  /** Wholes to leave out before entities, from big to small: each names the whole that a choice belongs to, or null. */
  readonly wholes?: readonly ((choice: Choice) => string | null)[]
  /** Whether moving the choices of a stream to earlier places can make a run simpler. */
  readonly closesGaps?: boolean
  /** Below this, every smaller value of a choice is tried; above, a binary search assumes that large values fail. */
  readonly fewValues?: number
  /** Further candidates for a run from which nothing can be left out. */
  others?(best: Run): Generator<Candidate, void, Run>
}

export interface ShrinkBudget {
  readonly maxRuns: number
  /** A further limit, asked before every run. */
  readonly isSpent?: () => boolean
}

export interface Shrunk<Run> {
  readonly run: Run
  readonly runs: number
  /** Nothing more can be left out. False if the budget was spent before. */
  readonly minimal: boolean
}

export interface ShrinkOptions<Run> extends ShrinkBudget {
  readonly measure: ShrinkMeasure<Run>
  readonly onProgress?: (runs: number, best: Run) => void
}

/** Shrinks a failing run; `attempt` runs a candidate at once. */
export function shrink<Run>(
  first: Run,
  attempt: (candidate: Candidate) => Run,
  options: ShrinkOptions<Run>,
): Shrunk<Run> {
  const shrinking = new Shrinker(first, options).shrink()
  for (let next = shrinking.next(); ; next = shrinking.next(attempt(next.value)))
    if (next.done === true) return next.value
}

/** Shrinks a failing run; `attempt` runs a candidate in its own time. */
export async function shrinkAsync<Run>(
  first: Run,
  attempt: (candidate: Candidate) => Promise<Run>,
  options: ShrinkOptions<Run>,
): Promise<Shrunk<Run>> {
  const shrinking = new Shrinker(first, options).shrink()
  for (let next = shrinking.next(); ; next = shrinking.next(await attempt(next.value)))
    if (next.done === true) return next.value
}

/** Added to twice the length of the best run. */
const SLACK = 20

type Attempts<Run, T> = Generator<Candidate, T, Run>

class Shrinker<Run> {
  private best: Run
  /** The choices of the best run, in one order. */
  private choices: readonly Choice[]
  private weight: readonly number[]
  private runs = 0
  private readonly options: ShrinkOptions<Run>
  private readonly measure: ShrinkMeasure<Run>
  private readonly wholes: readonly ((choice: Choice) => string | null)[]
  /** Digests of the candidates so far: a candidate that did not fail will not fail next time. */
  private readonly tried = new Set<string>()
  /** Digests of candidates whose runs were too long; the limit may rise. */
  private readonly tooLong = new Set<string>()
  private longest = Infinity

  constructor(first: Run, options: ShrinkOptions<Run>) {
    this.options = options
    this.measure = options.measure
    this.best = first
    this.choices = normal(this.measure.choicesOf(first))
    this.weight = this.weightOf(first, this.choices)
    this.wholes = [
      ...(this.measure.wholes ?? []),
      (choice) => choice.entity,
      streamOf,
      (choice) => `${streamOf(choice)} ${choice.index}`,
    ]
  }

  *shrink(): Attempts<Run, Shrunk<Run>> {
    let before: Run
    do {
      before = this.best
      this.limitLength()
      if (this.choices.length > 0 && (yield* this.accept({ choices: [] }))) continue
      for (const whole of this.wholes) yield* this.leaveOut(whole)
      if (this.measure.closesGaps === true) yield* this.closeGaps()
      yield* this.lowerValues()
      if (this.best === before) yield* this.tryOthers()
    } while (this.best !== before && !this.spent)
    return { run: this.best, runs: this.runs, minimal: !this.spent }
  }

  private get spent(): boolean {
    return this.runs >= this.options.maxRuns || this.options.isSpent?.() === true
  }

  /** Runs a candidate; keeps the run if it fails alike and is simpler. */
  private *accept(candidate: Candidate): Attempts<Run, boolean> {
    if (this.spent) return false
    const digest = digestOf(candidate)
    if (this.tried.has(digest)) return false
    this.tried.add(digest)
    this.runs++
    const run = yield candidate
    if (this.isTooLong(run)) this.tooLong.add(digest)
    return this.keep(run)
  }

  /** The last round has the limit of the result, so that shrinking the result again is that round again. */
  private limitLength(): void {
    const longest = 2 * (this.measure.lengthOf?.(this.best) ?? Infinity) + SLACK
    if (longest > this.longest) {
      for (const digest of this.tooLong) this.tried.delete(digest)
      this.tooLong.clear()
    }
    this.longest = longest
  }

  private isTooLong(run: Run): boolean {
    return (this.measure.lengthOf?.(run) ?? 0) > this.longest
  }

  private keep(run: Run): boolean {
    if (!this.measure.isAlike(run) || this.isTooLong(run)) return false
    const choices = normal(this.measure.choicesOf(run))
    const weight = this.weightOf(run, choices)
    const at = weight.findIndex((each, i) => each !== this.weight[i])
    if (at < 0 || weight[at] > this.weight[at]) return false
    this.best = run
    this.choices = choices
    this.weight = weight
    this.options.onProgress?.(this.runs, run)
    return true
  }

  /** Less by the caller's measure, then fewer choices, then earlier ones, then smaller values. */
  private weightOf(run: Run, choices: readonly Choice[]): number[] {
    let indices = 0
    let values = 0
    for (const { index, value } of choices) {
      indices += index
      values += value
    }
    return [...this.measure.weigh(run), choices.length, indices, values]
  }

  /** Leaves out groups of choices: all of them, halves, quarters, … single ones. */
  private *leaveOut(whole: (choice: Choice) => string | null): Attempts<Run, void> {
    let groups = this.groups(whole)
    for (let size = groups.length; size >= 1; size = floor(size / 2)) {
      for (let from = 0; from < groups.length;) {
        const out = new Set(groups.slice(from, from + size))
        const choices = this.choices.filter((choice) => !out.has(whole(choice) ?? ''))
        if (yield* this.accept({ choices })) groups = this.groups(whole)
        else from += size
        if (this.spent) return
      }
    }
  }

  private groups(whole: (choice: Choice) => string | null): string[] {
    const names = new Set<string>()
    for (const choice of this.choices) {
      const name = whole(choice)
      if (name !== null && name !== '') names.add(name)
    }
    return [...names]
  }

  /** Moves choices of a stream to smaller indices, together with the choices behind them. */
  private *closeGaps(): Attempts<Run, void> {
    for (let i = 0; i < this.choices.length; i++) {
      for (let size = this.gapAt(i); size >= 1 && !this.spent; size = min(this.gapAt(i), floor(size / 2))) {
        while (this.gapAt(i) >= size) {
          if (!(yield* this.accept({ choices: moved(this.choices, i, size) }))) break
        }
      }
    }
  }

  /** How many places of its stream lie between a choice and the one before it. */
  private gapAt(i: number): number {
    const choice = this.choices[i]
    if (choice === undefined) return 0
    const before = this.choices[i - 1]
    const sameStream = before !== undefined && streamOf(before) === streamOf(choice)
    return choice.index - (sameStream ? before.index + 1 : 0)
  }

  private *lowerValues(): Attempts<Run, void> {
    const { fewValues = 0 } = this.measure
    for (let i = 0; i < this.choices.length && !this.spent; i++) {
      if (this.choices[i].value <= fewValues) {
        for (let value = 1; value < (this.choices[i]?.value ?? 0) && !this.spent; value++)
          if (yield* this.lower(i, value)) value = 0
      } else if (!(yield* this.lower(i, 1))) yield* this.bisect(i)
    }
  }

  private *bisect(i: number): Attempts<Run, void> {
    // `low` does not fail (or was never asked), the current value does.
    for (let low = 1; i < this.choices.length && this.choices[i].value - low > 1 && !this.spent;) {
      const middle = low + floor((this.choices[i].value - low) / 2)
      if (!(yield* this.lower(i, middle))) low = middle
    }
  }

  private *lower(i: number, value: number): Attempts<Run, boolean> {
    const { choices } = this
    if (choices[i].value <= value) return false
    return yield* this.accept({ choices: choices.with(i, { ...choices[i], value }) })
  }

  /** The caller's own candidates, until one of them is simpler. */
  private *tryOthers(): Attempts<Run, void> {
    const others = this.measure.others?.(this.best)
    if (others === undefined) return
    for (let next = others.next(); next.done !== true && !this.spent;) {
      this.runs++
      const run = yield next.value
      if (this.keep(run)) return
      next = others.next(run)
    }
  }
}

function streamOf({ entity, label }: Choice): string {
  return `${entity}\u0000${label}`
}

/** The choice at a place and all later ones of its stream, `by` indices earlier. */
function moved(choices: readonly Choice[], at: number, by: number): readonly Choice[] {
  const stream = streamOf(choices[at])
  return choices.map((choice, i) =>
    i >= at && streamOf(choice) === stream ? { ...choice, index: choice.index - by } : choice,
  )
}

/** In one order, without zeros and without anything that is not part of a choice. */
export function normal(choices: readonly Choice[]): Choice[] {
  return choices
    .filter(({ value }) => value !== 0)
    .map(({ entity, label, index, n, value }) => ({ entity, label, index, n, value }))
    .sort((a, b) => compare(a.entity, b.entity) || compare(a.label, b.label) || a.index - b.index)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function digestOf({ choices }: Candidate): string {
  const hash = new RunHash()
  hash.add(choices.length)
  for (const choice of choices) {
    const key = keyOf(streamOf(choice))
    hash.add(key.lo)
    hash.add(key.hi)
    hash.addWide(choice.index)
    hash.addWide(choice.value)
  }
  return hash.digest()
}
