/**
 * A strategy at work in one run. It is asked only once the body has begun: loading a file is not what is explored. Where
 * the run is recorded, the recording sees what the strategy saw.
 */
import type { KernelEvent } from '../kernel/event.ts'
import type { Strategy } from '../kernel/strategy.ts'
import type { Recording } from './recording.ts'
import type { ExploreStrategy } from './strategy.ts'
import type { Tasks } from './tasks.ts'

export class Steering implements Strategy {
  readonly name: string
  /** Steps at which the strategy was asked. */
  contested = 0
  /** The step in which the body began; null before. */
  bodyStep: number | null = null
  recording: Recording | null = null
  private readonly strategy: ExploreStrategy
  private readonly tasks: Tasks

  constructor(strategy: ExploreStrategy, tasks: Tasks) {
    this.name = strategy.name
    this.strategy = strategy
    this.tasks = tasks
  }

  begin(seed: number): void {
    this.strategy.begin(seed, { seed, taskKey: (task) => this.tasks.nameOf(task) })
  }

  pick(ready: readonly KernelEvent[], step: number): number {
    this.recording?.choosing(ready)
    if (this.bodyStep === null) return 0
    this.contested++
    return this.strategy.pick(ready, step)
  }

  ran(event: KernelEvent, step: number): void {
    this.strategy.ran?.(event, step)
    this.recording?.ran(event, step)
  }
}
