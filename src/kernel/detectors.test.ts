import { describe, expect, it } from 'vitest'
import { findDeadlock, Livelock, TimeBudgetSpent, watchProgress, watchTimeBudget } from './detectors.ts'
import { Kernel } from './kernel.ts'

/** Runs a world under all detectors and returns what they reported. */
function watch(start: (kernel: Kernel) => void): Error[] {
  const kernel = new Kernel({ seed: 77 })
  const reports: Error[] = []
  watchProgress(kernel, { steps: 1_000, progressUs: 100 }, (error) => reports.push(error))
  watchTimeBudget(kernel, 60_000_000, (error) => reports.push(error))
  start(kernel)
  if (kernel.run(100_000) === 'idle') {
    const deadlock = findDeadlock(kernel, [{ process: 'client', waitsFor: 'an answer' }])
    if (deadlock !== null) reports.push(deadlock)
  }
  return reports
}

function every(kernel: Kernel, name: string, us: number, times = Number.POSITIVE_INFINITY): void {
  const actor = kernel.actor(name)
  const tick = (): void => {
    if (--times > 0) kernel.schedule(actor, 'timer', us, tick)
  }
  kernel.schedule(actor, 'timer', us, tick)
}

describe('detectors', () => {
  it('find a deadlock, and name who waits for what', () => {
    const [error, ...others] = watch((kernel) => every(kernel, 'n1', 10, 5))
    expect(others).toEqual([])
    expect(error).toMatchObject({
      name: 'Deadlock',
      code: 'ERR_WAVETANK_DEADLOCK',
      seed: 77,
      process: 'client',
      step: 5,
    })
    expect(error.message).toBe(
      'nothing can happen any more, but client waits for an answer (seed 77, step 5, process client)',
    )
  })

  it('find steps without progress, and name the process that makes them', () => {
    const reports = watch((kernel) => {
      every(kernel, 'spinner', 0)
      every(kernel, 'honest', 1_000)
    })
    expect(reports.length).toBe(1)
    expect(reports[0]).toBeInstanceOf(Livelock)
    expect(reports[0]).toMatchObject({
      code: 'ERR_WAVETANK_LIVELOCK',
      seed: 77,
      process: 'spinner',
      timeUs: 0,
    })
  })

  it('find a timer that re-arms itself forever', () => {
    const reports = watch((kernel) => every(kernel, 'ticker', 1_000_000))
    expect(reports.length).toBe(1)
    expect(reports[0]).toBeInstanceOf(TimeBudgetSpent)
    expect(reports[0]).toMatchObject({
      code: 'ERR_WAVETANK_TIME_BUDGET',
      seed: 77,
      process: 'ticker',
      timeUs: 61_000_000,
    })
  })

  it('find nothing in a run that moves on and ends', () => {
    const kernel = new Kernel({ seed: 1 })
    watchProgress(kernel, { steps: 1_000, progressUs: 100 }, (error) => expect.unreachable(error.message))
    watchTimeBudget(kernel, 60_000_000, (error) => expect.unreachable(error.message))
    every(kernel, 'worker', 1, 50_000)
    expect(kernel.run()).toBe('idle')
    expect(findDeadlock(kernel, [])).toBe(null)
  })

  it('find no deadlock while something can still happen', () => {
    const kernel = new Kernel({ seed: 1 })
    every(kernel, 'worker', 1, 2)
    expect(findDeadlock(kernel, [{ process: 'client', waitsFor: 'an answer' }])).toBe(null)
  })
})
