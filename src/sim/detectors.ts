/**
 * Detectors of runs that would never end, each with its own category:
 *
 * - deadlock: nothing is pending and the workload is not finished (found by the run itself when the kernel is idle);
 * - livelock: too many steps while virtual time stands (nearly) still, as a loop of immediates or of messages without
 *   latency makes;
 * - time budget: virtual time is spent although everybody moves on, as timers that re-arm themselves for ever do;
 * - step budget: too many steps in all.
 *
 * A callback that never returns cannot be seen from inside the thread: the thread pool's watchdog finds it.
 */
import type { Limits } from './definition.ts'

export interface Detection {
  readonly category: 'livelock' | 'time-budget' | 'step-budget'
  readonly message: string
}

export class Detectors {
  private readonly limits: Limits
  private windowUs = 0
  private windowStep = 0

  constructor(limits: Limits) {
    this.limits = limits
  }

  /** Called after every step: must be cheap. */
  check(step: number, nowUs: number): Detection | null {
    if (nowUs - this.windowUs >= 1000) {
      this.windowUs = nowUs
      this.windowStep = step
      if (nowUs > this.limits.virtualMs * 1000) {
        const message = `${this.limits.virtualMs / 1000} s of virtual time are spent and the workload is not finished: does a timer re-arm itself for ever?`
        return { category: 'time-budget', message }
      }
    } else if (step - this.windowStep > this.limits.stepsPerMs) {
      const message = `${this.limits.stepsPerMs} steps within a virtual millisecond: steps without progress`
      return { category: 'livelock', message }
    }
    if (step > this.limits.steps) {
      return {
        category: 'step-budget',
        message: `${this.limits.steps} steps and the workload is not finished`,
      }
    }
    return null
  }
}
