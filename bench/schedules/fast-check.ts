/**
 * The same programs under fast-check's scheduler: every scheduling point is a scheduled promise, and a body that is not
 * done when nothing is scheduled any more has deadlocked. Tasks are plain calls; fast-check has none.
 */
import { asyncProperty, check, scheduler, type Scheduler } from 'fast-check'
import type { RaceBody, RaceContext } from '../../src/explore/index.ts'

/** What the programs use of a race's context. */
type Points = Pick<RaceContext, 'task' | 'point' | 'access' | 'wait' | 'assert'>

class FastCheckPoints implements Points {
  steps = 0
  private readonly scheduler: Scheduler

  constructor(scheduler: Scheduler) {
    this.scheduler = scheduler
  }

  async task<T>(_name: string, work: () => T | Promise<T>): Promise<T> {
    return work()
  }

  point(): Promise<void> {
    this.steps++
    return this.scheduler.schedule(Promise.resolve())
  }

  access(): Promise<void> {
    return this.point()
  }

  wait(_what: string, enlist: (wake: () => void) => void): Promise<void> {
    return new Promise((resolve) => enlist(() => void this.point().then(resolve)))
  }

  assert(condition: unknown, message = 'assertion failed'): void {
    if (!condition) throw new Error(message)
  }
}

export async function withFastCheck(
  body: RaceBody,
  seed: number,
  cap: number,
): Promise<{ readonly schedules: number | null; readonly steps: number }> {
  let steps = 0
  const property = asyncProperty(scheduler(), async (s) => {
    const points = new FastCheckPoints(s)
    let done = false
    const ended = Promise.resolve(body(points as unknown as RaceContext)).then(
      () => {
        done = true
        return null
      },
      (error: unknown) => {
        done = true
        return error
      },
    )
    await s.waitIdle()
    steps += points.steps
    if (!done) throw new Error('no task can go on')
    const error = await ended
    if (error !== null) throw error
  })
  const details = await check(property, { numRuns: cap, seed, endOnFailure: true })
  return { schedules: details.failed ? details.numRuns : null, steps }
}
