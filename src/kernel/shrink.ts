/**
 * Shrinking: from a failing run's choices to few and small ones that still fail in the same way. A candidate is a list of
 * choices over a base of zeros, so leaving a choice out makes it the simplest one; nothing else needs to be understood
 * about what the choices mean.
 *
 * From big to small: everything; wholes that the caller names (fault episodes, clients); entities; streams; ranges of
 * single choices (delta debugging, Zeller and Hildebrandt 2002); gaps between choices of a stream are closed, so that what
 * happened late happens early; values go down by binary search. All of that again until a whole round changes nothing: so
 * the result is 1-minimal, and shrinking it again returns it.
 */
import { floor, min } from './arithmetic.ts'
import type { Choice } from './choices.ts'
import { RunHash } from './hash.ts'
import { keyOf } from './prng.ts'

/**
 * Runs a candidate over zeros, bending what does not fit, and returns the choices it really made if it fails in the same
 * category, or null if it does not.
 */
export type Attempt = (
  candidate: readonly Choice[],
) => readonly Choice[] | null | Promise<readonly Choice[] | null>

export interface ShrinkOptions {
  readonly attempt: Attempt
  /** Default 2,000. */
  readonly maxRuns?: number
  /** Further wholes to leave out, from big to small: each names the whole that a choice belongs to, or null. */
  readonly wholes?: readonly ((choice: Choice) => string | null)[]
  /**
   * What counts before the number of choices, the most important first: faults, operations. A candidate is kept only if
   * it weighs less, so a run with one fault less is simpler even if it makes more choices.
   */
  readonly weigh?: (choices: readonly Choice[]) => readonly number[]
  readonly onProgress?: (runs: number, choices: readonly Choice[]) => void
}

export interface Shrunk {
  readonly choices: readonly Choice[]
  readonly runs: number
  /** The given choices failed at all. When false, they are returned as they came. */
  readonly reproduced: boolean
  /** Nothing more can be left out. False when the budget was spent before. */
  readonly minimal: boolean
}

export async function shrink(choices: readonly Choice[], options: ShrinkOptions): Promise<Shrunk> {
  return await new Shrinker(options).shrink(choices)
}

class Shrinker {
  private best: readonly Choice[] = []
  private runs = 0
  private readonly attempt: Attempt
  private readonly maxRuns: number
  private readonly wholes: readonly ((choice: Choice) => string | null)[]
  private readonly options: ShrinkOptions
  /** Digests of what was tried: a candidate that did not fail will not fail next time. */
  private readonly tried = new Set<string>()

  constructor(options: ShrinkOptions) {
    this.options = options
    this.attempt = options.attempt
    this.maxRuns = options.maxRuns ?? 2_000
    this.wholes = [
      ...(options.wholes ?? []),
      (choice) => choice.entity,
      streamOf,
      (choice) => `${streamOf(choice)} ${choice.index}`,
    ]
  }

  async shrink(choices: readonly Choice[]): Promise<Shrunk> {
    this.best = choices
    this.runs++
    const made = await this.attempt(normal(choices))
    if (made === null) return { choices, runs: this.runs, reproduced: false, minimal: false }
    this.best = normal(made)
    let before: readonly Choice[]
    do {
      before = this.best
      if (await this.accept([])) break
      for (const whole of this.wholes) await this.leaveOut(whole)
      await this.closeGaps()
      await this.lowerValues()
    } while (this.best !== before && !this.spent)
    return { choices: this.best, runs: this.runs, reproduced: true, minimal: !this.spent }
  }

  private get spent(): boolean {
    return this.runs >= this.maxRuns
  }

  /** Runs a candidate; keeps what it made if that fails alike and is simpler. */
  private async accept(candidate: readonly Choice[]): Promise<boolean> {
    if (this.spent) return false
    const digest = digestOf(candidate)
    if (this.tried.has(digest)) return false
    this.tried.add(digest)
    this.runs++
    const made = await this.attempt(candidate)
    if (made === null) return false
    const next = normal(made)
    if (!this.isSimpler(next)) return false
    this.best = next
    this.options.onProgress?.(this.runs, next)
    return true
  }

  /** Less by the caller's measure, then fewer choices, then earlier ones, then smaller values. */
  private isSimpler(choices: readonly Choice[]): boolean {
    const { weigh } = this.options
    const a = [...(weigh?.(choices) ?? []), ...weights(choices)]
    const b = [...(weigh?.(this.best) ?? []), ...weights(this.best)]
    const at = a.findIndex((weight, i) => weight !== b[i])
    return at >= 0 && a[at] < b[at]
  }

  /** Leaves out groups of choices: all of them, halves, quarters, … single ones. */
  private async leaveOut(whole: (choice: Choice) => string | null): Promise<void> {
    let groups = this.groups(whole)
    for (let size = groups.length; size >= 1; size = floor(size / 2)) {
      for (let from = 0; from < groups.length;) {
        const out = new Set(groups.slice(from, from + size))
        const candidate = this.best.filter((choice) => !out.has(whole(choice) ?? ''))
        if (await this.accept(candidate)) groups = this.groups(whole)
        else from += size
        if (this.spent) return
      }
    }
  }

  private groups(whole: (choice: Choice) => string | null): string[] {
    const names = new Set<string>()
    for (const choice of this.best) {
      const name = whole(choice)
      if (name !== null && name !== '') names.add(name)
    }
    return [...names]
  }

  /** Moves choices of a stream to smaller indices, together with those behind them. */
  private async closeGaps(): Promise<void> {
    for (let i = 0; i < this.best.length; i++) {
      const gap = (): number => {
        const choice = this.best[i]
        const before = this.best[i - 1]
        const sameStream = before !== undefined && streamOf(before) === streamOf(choice)
        return choice === undefined ? 0 : choice.index - (sameStream ? before.index + 1 : 0)
      }
      for (let size = gap(); size >= 1 && !this.spent; size = min(gap(), floor(size / 2))) {
        while (gap() >= size && (await this.accept(moved(this.best, i, size))));
      }
    }
  }

  private async lowerValues(): Promise<void> {
    for (let i = 0; i < this.best.length && !this.spent; i++) {
      if (await this.accept(withValue(this.best, i, 1))) continue
      // `low` does not fail (or was never asked), the current value does.
      for (let low = 1; i < this.best.length && this.best[i].value - low > 1 && !this.spent;) {
        const middle = low + floor((this.best[i].value - low) / 2)
        if (!(await this.accept(withValue(this.best, i, middle)))) low = middle
      }
    }
  }
}

function streamOf({ entity, label }: Choice): string {
  return `${entity}\u0000${label}`
}

function withValue(choices: readonly Choice[], at: number, value: number): readonly Choice[] {
  return choices[at].value <= value ? choices : choices.with(at, { ...choices[at], value })
}

/** The choice at a place and all later ones of its stream, `by` indices earlier. */
function moved(choices: readonly Choice[], at: number, by: number): readonly Choice[] {
  const stream = streamOf(choices[at])
  return choices.map((choice, i) =>
    i >= at && streamOf(choice) === stream ? { ...choice, index: choice.index - by } : choice,
  )
}

/** In one order, without zeros and without anything that is not part of a choice. */
function normal(choices: readonly Choice[]): Choice[] {
  return choices
    .filter(({ value }) => value !== 0)
    .map(({ entity, label, index, n, value }) => ({ entity, label, index, n, value }))
    .sort((a, b) => compare(a.entity, b.entity) || compare(a.label, b.label) || a.index - b.index)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function weights(choices: readonly Choice[]): number[] {
  let indices = 0
  let values = 0
  for (const { index, value } of choices) {
    indices += index
    values += value
  }
  return [choices.length, indices, values]
}

function digestOf(choices: readonly Choice[]): string {
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
