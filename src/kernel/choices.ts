/**
 * Choices: every nondeterministic *decision* of a run, named by a key (entity, label, index). `link n1→n2`, `latency`,
 * 17 is the eighteenth latency of that link. A value lies in 0 … n−1 and comes from a counter-based generator over
 * (seed, key), so a decision more or less somewhere moves nothing elsewhere. **0 is always the simplest outcome**: no
 * fault, least latency, no preemption, first operation.
 *
 * A run is therefore a seed plus sparse overrides; a shrunk run is all zeros plus overrides. Replay and shrinking are
 * this one mechanism. A recorded choice that is asked for with another range is a {@link Divergence}.
 *
 * Random values that programs draw are not choices: see {@link Entropy}.
 */
import { floor, min } from './arithmetic.ts'
import type { RunHash } from './hash.ts'
import { keyOf, mix, seedKey, type Key64 } from './prng.ts'

const MILLION = 1_000_000

/** One choice fixed in advance, or one that was made. */
export interface Choice {
  readonly entity: string
  readonly label: string
  readonly index: number
  /** The range it was asked with: the value lies in 0 … n−1. */
  readonly n: number
  readonly value: number
}

export interface ChoiceOptions {
  readonly seed: number
  /** `seed`: what is not overridden comes from the generator. `zero`: it is 0. */
  readonly base?: 'seed' | 'zero'
  readonly overrides?: readonly Choice[]
  /**
   * What to do when an override does not fit the range it is asked with: `diverge` (a replay) throws, `bend` (a candidate
   * of the shrinker) takes the nearest value that fits.
   */
  readonly misfit?: 'diverge' | 'bend'
  /** Keep every non-zero choice, with its step, for shrinking. */
  readonly record?: boolean
}

/** A replay asked for a recorded choice with another range: the program is no longer the one that was recorded. */
export class Divergence extends Error {
  override readonly name = 'Divergence'
  readonly code = 'ERR_WAVETANK_DIVERGENCE'
  readonly step: number
  constructor(message: string, step: number) {
    super(message)
    this.step = step
  }
}

const NOT_RUN = { step: 0 }

/** The choices of one run. */
export class Choices {
  readonly seed: number
  readonly base: 'seed' | 'zero'
  /** Non-zero choices made so far, in order, while recording. */
  readonly made: (Choice & { readonly step: number })[] = []
  /** How many choices were asked for. */
  asked = 0
  /** The seed, as the generator takes it. */
  readonly key: Key64
  private readonly streams = new Map<string, ChoiceStream>()
  private readonly overrides: Map<string, Map<number, Choice>> | null = null
  readonly recording: boolean
  readonly misfit: 'diverge' | 'bend'
  /** The first divergence. The code that asked may have caught the error, so it is kept here too. */
  diverged: Divergence | null = null
  /** Set by the kernel: the running hash, and who knows the current step, for messages. */
  hash: RunHash | null = null
  steps: { readonly step: number } = NOT_RUN

  constructor(options: ChoiceOptions) {
    this.seed = options.seed
    this.base = options.base ?? 'seed'
    this.recording = options.record ?? false
    this.misfit = options.misfit ?? 'diverge'
    this.key = seedKey(options.seed)
    if (options.overrides === undefined || options.overrides.length === 0) return
    const overrides = new Map<string, Map<number, Choice>>()
    for (const choice of options.overrides) {
      const name = streamName(choice.entity, choice.label)
      let entries = overrides.get(name)
      if (entries === undefined) overrides.set(name, (entries = new Map()))
      entries.set(choice.index, choice)
    }
    this.overrides = overrides
  }

  /** The stream of choices of one entity under one label. Keep it where it is used often. */
  stream(entity: string, label: string): ChoiceStream {
    const name = streamName(entity, label)
    let stream = this.streams.get(name)
    if (stream === undefined) {
      stream = new ChoiceStream(this, entity, label, this.overrides?.get(name) ?? null)
      this.streams.set(name, stream)
    }
    return stream
  }

  /** Overrides that the run did not ask for: at the end of a replay each is a divergence. */
  unasked(): Choice[] {
    const left: Choice[] = []
    for (const entries of this.overrides?.values() ?? []) {
      for (const choice of entries.values()) {
        const stream = this.streams.get(streamName(choice.entity, choice.label))
        if (stream === undefined || stream.next <= choice.index) left.push(choice)
      }
    }
    return left
  }
}

/** The choices of one (entity, label), in order of their index. */
export class ChoiceStream {
  /** The index of the next choice. */
  next = 0
  private readonly choices: Choices
  readonly entity: string
  readonly label: string
  private readonly overrides: Map<number, Choice> | null
  private readonly keyLo: number
  private readonly keyHi: number

  constructor(choices: Choices, entity: string, label: string, overrides: Map<number, Choice> | null) {
    this.choices = choices
    this.entity = entity
    this.label = label
    this.overrides = overrides
    const key = keyOf(streamName(entity, label))
    this.keyLo = key.lo
    this.keyHi = key.hi
  }

  /** One of 0 … n−1, uniformly. */
  below(n: number): number {
    return this.decide(
      n,
      this.choices.base === 'seed' && n > 1 ? floor((this.bits() * n) / 0x1_0000_0000) : 0,
    )
  }

  /** An integer in lo … hi, both included; lo is the simplest. */
  between(lo: number, hi: number): number {
    return lo + this.below(hi - lo + 1)
  }

  /** True with a probability of `ppm` parts per million; false is the simplest. */
  chance(ppm: number): boolean {
    const drawn = this.choices.base === 'seed' && ppm > 0 && (this.bits() * MILLION) / 0x1_0000_0000 < ppm
    return this.decide(2, drawn ? 1 : 0) === 1
  }

  /** An element of a list; the first is the simplest. */
  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]
  }

  /** An index drawn in proportion to integer weights; index 0 is the simplest. */
  weighted(weights: readonly number[]): number {
    let drawn = 0
    if (this.choices.base === 'seed') {
      let total = 0
      for (const weight of weights) total += weight
      let rest = floor((this.bits() * total) / 0x1_0000_0000)
      while (drawn < weights.length - 1 && rest >= weights[drawn]) rest -= weights[drawn++]
    }
    return this.decide(weights.length, drawn)
  }

  private bits(): number {
    const { lo, hi } = this.choices.key
    return mix(lo, hi, this.keyLo, this.keyHi, this.next)
  }

  /** Settles the next choice on a value drawn elsewhere (by a strategy, say): overrides apply, and it is recorded. */
  decide(n: number, drawn: number): number {
    const index = this.next++
    const choices = this.choices
    let value = drawn
    const override = this.overrides?.get(index)
    if (override !== undefined) {
      if (override.n !== n && choices.misfit === 'diverge') {
        choices.diverged ??= new Divergence(
          `choice ${this.entity} ${this.label} #${index} was recorded with ${override.n} possible values and is now asked for with ${n}`,
          choices.steps.step,
        )
        throw choices.diverged
      }
      value = min(override.value, n - 1)
    }
    choices.asked++
    if (value !== 0) {
      choices.hash?.addChoice(this.keyLo ^ value)
      if (choices.recording) {
        const { entity, label } = this
        choices.made.push({ entity, label, index, n, value, step: choices.steps.step })
      }
    }
    return value
  }
}

function streamName(entity: string, label: string): string {
  return `${entity}\u0000${label}`
}
