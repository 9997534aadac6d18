/**
 * A strategy at work in one run. It is asked only once the body has begun: loading a file is not what is explored. Where
 * the run is recorded, the recording sees what the strategy saw.
 *
 * Priorities are unfair, and a program that tries again until it succeeds may be let down by them for ever, as no machine
 * would. So a run that explores goes on at random when it has taken very long, after what any strategy needs. A run that
 * follows a record does not: there, what was not recorded is the simplest.
 */
import type { KernelEvent } from '../kernel/event.ts'
import { Entropy } from '../kernel/prng.ts'
import type { Strategy } from '../kernel/strategy.ts'
import type { Idleness } from './idleness.ts'
import type { Recording } from './recording.ts'
import { below } from './strategies/random.ts'
import type { ExploreStrategy } from './strategy.ts'
import type { Tasks } from './tasks.ts'

const UNFAIR_PICKS = 2_500

export class Steering implements Strategy {
  readonly name: string
  /** Steps at which the strategy was asked. */
  contested = 0
  /** The step in which the body began; null before. */
  bodyStep: number | null = null
  recording: Recording | null = null
  idleness: Idleness | null = null
  private readonly strategy: ExploreStrategy
  private readonly tasks: Tasks
  /** Picks after which it goes on at random. */
  private readonly unfairPicks: number
  private seed = 0
  private entropy: Entropy | null = null

  constructor(strategy: ExploreStrategy, tasks: Tasks, explores: boolean) {
    this.name = strategy.name
    this.strategy = strategy
    this.tasks = tasks
    this.unfairPicks = explores && strategy.inOrder !== true ? UNFAIR_PICKS : Infinity
  }

  begin(seed: number): void {
    this.seed = seed
    this.strategy.begin(seed, { seed, taskKey: (task) => this.tasks.nameOf(task) })
  }

  pick(ready: readonly KernelEvent[], step: number): number {
    this.recording?.choosing(ready)
    if (this.bodyStep === null) return 0
    this.contested++
    const picked = this.strategy.pick(ready, step)
    if (this.contested <= this.unfairPicks) return picked
    this.entropy ??= new Entropy(this.seed, 'fair')
    return below(this.entropy, ready.length)
  }

  ran(event: KernelEvent, step: number): void {
    this.strategy.ran?.(event, step)
    this.recording?.ran(event, step)
    this.idleness?.ran(event)
  }
}
