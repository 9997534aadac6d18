import { describe, expect, it, vi } from 'vitest'
import { askRunning, Budget } from './budget.ts'
import { int32 } from './workspace.ts'

/** Asks until the budget is spent. The number of asks is bounded, so that a budget without an end fails the test. */
function exhaust(budget: Budget): string | null {
  for (let i = 0; i < 1e9; i++) if (budget.isSpent()) return budget.reason
  return null
}

describe('a budget', () => {
  it('is not spent at the beginning', () => {
    const budget = new Budget()
    expect([budget.look(), budget.reason, budget.timeoutWallMs, budget.memoryMb]).toEqual([
      false,
      null,
      60_000,
      1024,
    ])
  })

  it('ends when its time is over, and says so', () => {
    expect(exhaust(new Budget({ timeoutWallMs: 5 }))).toBe('the time limit of 5 ms was reached')
  })

  it('counts the time of the host where the clock of the world stands still', () => {
    vi.spyOn(performance, 'now').mockReturnValue(0)
    try {
      expect(exhaust(new Budget({ timeoutWallMs: 5 }))).toBe('the time limit of 5 ms was reached')
    } finally {
      vi.restoreAllMocks()
    }
  })

  it('ends when more is held than its memory, and what was released does not count', () => {
    const budget = new Budget({ memoryMb: 1 })
    budget.hold(900_000)
    budget.hold(900_000)
    budget.release(900_000)
    expect(budget.look()).toBe(false)
    budget.hold(900_000)
    expect(budget.look()).toBe(true)
    expect(budget.reason).toBe('the memory limit of 1 MB was reached')
    budget.release(1_800_000)
    expect(budget.isSpent()).toBe(true)
  })

  it('lends a share of its time and all of its memory', () => {
    const budget = new Budget({ timeoutWallMs: 100_000, memoryMb: 1 })
    const share = budget.share(0)
    expect(exhaust(share)).toMatch(/time limit/)
    expect(budget.look()).toBe(false)
    budget.share(0.5).hold(2_000_000)
    expect(budget.look()).toBe(true)
    expect(budget.reason).toMatch(/memory limit/)
  })

  it('is the one of the larger check where there is one', () => {
    const whole = new Budget({ timeoutWallMs: 7 })
    expect(Budget.of({ budget: whole, timeoutWallMs: 9 })).toBe(whole)
    expect(Budget.of({ timeoutWallMs: 9 }).timeoutWallMs).toBe(9)
  })

  it('of a whole process counts what the process had before', () => {
    expect(Budget.ofProcess({ memoryMb: 1 }).look()).toBe(true)
    expect(Budget.ofProcess({ memoryMb: 1_000_000 }).look()).toBe(false)
  })

  it('ends a check before it makes a table for which there is no room', () => {
    const budget = new Budget({ memoryMb: 100 })
    expect(budget.within(0, () => int32(1_000_000).length)).toBe(1_000_000)
    expect(budget.within(0, () => int32(100_000_000).length)).toBe(null)
    expect(budget.reason).toBe('the memory limit of 100 MB was reached')
  })

  it('measures what nothing was said about', () => {
    const budget = new Budget({ memoryMb: 70 })
    const kept: number[][] = []
    const grow = () => {
      for (let i = 0; i < 1e6; i++) {
        kept.push(Array.from({ length: 100 }, (_, j) => i + j))
        askRunning()
      }
    }
    expect(budget.within(0, grow)).toBe(null)
    expect([budget.reason, kept.length < 1e6]).toEqual(['the memory limit of 70 MB was reached', true])
  })

  it('lets a check make more garbage than its limit', () => {
    const budget = new Budget({ memoryMb: 80 })
    let made = 0
    const waste = () => {
      for (; made < 150_000; made++) {
        Array.from({ length: 100 }, (_, j) => made + j)
        askRunning()
      }
      return made
    }
    expect(budget.within(0, waste)).toBe(150_000)
  })

  it('goes on with its limits after reading, and gives the others their defaults', () => {
    const reading = new Budget({ timeoutWallMs: Number.POSITIVE_INFINITY, memoryMb: 100 })
    const { timeoutWallMs, memoryMb } = reading.continued()
    expect([timeoutWallMs, memoryMb]).toEqual([60_000, 100])
    const late = new Budget({ timeoutWallMs: 1e-6, memoryMb: Number.POSITIVE_INFINITY })
    exhaust(late)
    expect(exhaust(late.continued())).toBe('the time limit of 0.000001 ms was reached')
  })
})
