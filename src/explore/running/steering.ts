/**
 * The kernel of one run, steered by a strategy. The strategy decides only after the body has begun: the loading of a file
 * is not explored. If the run is recorded, the recording sees what the strategy saw.
 *
 * Priorities are unfair: a retry loop could lose against them forever, which no machine would do. So a run that explores
 * continues at random after 2,500 decisions, more than any strategy needs. A run that follows a record does not: there,
 * every choice that was not recorded is the simplest.
 */
import type { Actor } from '../../kernel/actor.ts'
import type { KernelEvent } from '../../kernel/event.ts'
import { Kernel } from '../../kernel/kernel.ts'
import { Entropy } from '../../kernel/prng.ts'
import type { Strategy } from '../../kernel/strategy.ts'
import type { RunSettings } from './race-run.ts'
import { Recording } from './recording.ts'
import { below } from '../search/strategies/random.ts'
import type { ExploreStrategy } from '../search/strategy.ts'
import type { Tasks } from './tasks.ts'

const UNFAIR_PICKS = 2_500

export class Steering implements Strategy {
  readonly name: string
  readonly kernel: Kernel
  /** Null if the run is not recorded. */
  readonly recording: Recording | null
  /** Steps at which the strategy decided. */
  contested = 0
  /** The step in which the body began; null before. */
  bodyStep: number | null = null
  private readonly strategy: ExploreStrategy
  private readonly tasks: Tasks
  /** Picks after which the run continues at random. */
  private readonly unfairPicks: number
  private seed = 0
  private entropy: Entropy | null = null
  private readonly stallUs: number

  /** `subject` gives the process of the test, which does not exist yet. */
  constructor(settings: RunSettings, tasks: Tasks, subject: () => Actor) {
    const { strategy, seed, base, overrides, misfit, latenessUs, stallUs, record } = settings
    this.name = strategy.name
    this.strategy = strategy
    this.tasks = tasks
    this.unfairPicks = base !== 'zero' && strategy.inOrder !== true ? UNFAIR_PICKS : Infinity
    this.stallUs = stallUs ?? 0
    this.kernel = new Kernel({
      seed,
      base,
      overrides,
      misfit,
      record: true,
      traceCapacity: 0, // a recording has more, and is made only on request
      latenessUs,
      worded: record,
      strategy: this,
    })
    this.kernel.tasks = tasks
    this.recording = record === true ? new Recording(this.kernel, tasks, subject, settings.root ?? '') : null
  }

  begin(seed: number): void {
    this.seed = seed
    this.strategy.begin(seed, {
      seed,
      taskKey: (task) => this.tasks.nameOf(task),
      stallUs: this.stallUs,
    })
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

  stall(step: number): number {
    if (this.stallUs === 0 || this.bodyStep === null) return -1
    return this.strategy.stall?.(step) ?? 0
  }

  ran(event: KernelEvent, step: number): void {
    this.strategy.ran?.(event, step)
    this.recording?.ran(event, step)
  }
}
