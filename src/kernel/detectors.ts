/**
 * Detectors of runs that would never end. Each has an error of its own that carries the seed and the process concerned,
 * so that a report names both without further questions:
 *
 * - {@link Deadlock}: nothing is pending, and a task still waits;
 * - {@link Livelock}: very many steps while virtual time (nearly) stands still: callbacks that call for each other, events
 *   that multiply;
 * - {@link TimeBudgetSpent}: virtual time is used up although everybody moves on: timers that re-arm themselves forever.
 *
 * A callback that never returns cannot be seen from inside its thread; that watchdog lives outside.
 */
import { max } from './arithmetic.ts'
import type { Kernel } from './kernel.ts'

abstract class EndlessRun extends Error {
  abstract readonly code: string
  readonly seed: number
  /** The process that is concerned most; empty where none is. */
  readonly process: string
  readonly step: number
  readonly timeUs: number

  constructor(kernel: Kernel, process: string, message: string) {
    super(
      `${message} (seed ${kernel.choices.seed}, step ${kernel.step}${process === '' ? '' : `, process ${process}`})`,
    )
    this.seed = kernel.choices.seed
    this.process = process
    this.step = kernel.step
    this.timeUs = kernel.now
  }
}

export class Deadlock extends EndlessRun {
  override readonly name = 'Deadlock'
  readonly code = 'ERR_WAVETANK_DEADLOCK'
}

export class Livelock extends EndlessRun {
  override readonly name = 'Livelock'
  readonly code = 'ERR_WAVETANK_LIVELOCK'
}

export class TimeBudgetSpent extends EndlessRun {
  override readonly name = 'TimeBudgetSpent'
  readonly code = 'ERR_WAVETANK_TIME_BUDGET'
}

/** A task that has not finished, and what it waits for. */
export interface Waiter {
  readonly process: string
  readonly waitsFor: string
}

/** Asked when the kernel is idle: an error if a task still waits, null if all have finished. */
export function findDeadlock(kernel: Kernel, waiters: readonly Waiter[]): Deadlock | null {
  if (waiters.length === 0 || hasLiveEvents(kernel)) return null
  const who = waiters.map(({ process, waitsFor }) => `${process} waits for ${waitsFor}`).join('; ')
  return new Deadlock(kernel, waiters[0].process, `nothing can happen any more, but ${who}`)
}

/** Reports, once, when `steps` steps move virtual time by less than `progressUs`. Stops the kernel. */
export function watchProgress(
  kernel: Kernel,
  { steps, progressUs }: { readonly steps: number; readonly progressUs: number },
  report: (error: Livelock) => void,
): void {
  let left = steps
  let since = kernel.now
  kernel.afterStep.push(() => {
    if (kernel.now - since >= progressUs) {
      since = kernel.now
      left = steps
    } else if (--left === 0) {
      const message = `${steps} steps within ${kernel.now - since} virtual microseconds: steps without progress`
      kernel.stop()
      report(new Livelock(kernel, busiest(kernel), message))
    }
  })
}

/** Reports, once, when virtual time passes `untilUs`. Stops the kernel. */
export function watchTimeBudget(
  kernel: Kernel,
  untilUs: number,
  report: (error: TimeBudgetSpent) => void,
): void {
  let reported = false
  kernel.afterStep.push(() => {
    if (kernel.now <= untilUs || reported) return
    reported = true
    kernel.stop()
    const message = `${untilUs / 1_000_000} s of virtual time are spent: does something re-arm itself forever?`
    report(new TimeBudgetSpent(kernel, busiest(kernel), message))
  })
}

function hasLiveEvents(kernel: Kernel): boolean {
  return kernel.queue.pending.some((event) => event.actor.state === 'running')
}

/** The actor with the most of the last steps; of several, the one that ran last. */
function busiest(kernel: Kernel): string {
  const counts = new Map<string, number>()
  let best = ''
  for (let step = max(1, kernel.trace.first); step < kernel.trace.length; step++) {
    const actor = kernel.trace.row(step)!.actor
    const count = (counts.get(actor) ?? 0) + 1
    counts.set(actor, count)
    if (count >= (counts.get(best) ?? 0)) best = actor
  }
  return best
}
