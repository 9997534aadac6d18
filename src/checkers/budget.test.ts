import { describe, expect, it, vi } from 'vitest'
import { Budget } from './budget.ts'

/** Asks until the budget is spent. The number of asks is bounded, so that a budget without an end fails the test. */
function exhaust(budget: Budget): string | null {
  for (let i = 0; i < 1e9; i++) if (budget.isSpent()) return budget.reason
  return null
}

describe('a budget', () => {
  it('is not spent at the beginning', () => {
    const budget = new Budget()
    expect([budget.look(), budget.reason, budget.timeoutMs, budget.memoryMb]).toEqual([
      false,
      null,
      60_000,
      1024,
    ])
  })

  it('ends when its time is over, and says so', () => {
    expect(exhaust(new Budget({ timeoutMs: 5 }))).toBe('the time limit of 5 ms was reached')
  })

  it('counts the time of the host where the clock of the world stands still', () => {
    vi.spyOn(performance, 'now').mockReturnValue(0)
    try {
      expect(exhaust(new Budget({ timeoutMs: 5 }))).toBe('the time limit of 5 ms was reached')
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
    const budget = new Budget({ timeoutMs: 100_000, memoryMb: 1 })
    const share = budget.share(0)
    expect(exhaust(share)).toMatch(/time limit/)
    expect(budget.look()).toBe(false)
    budget.share(0.5).hold(2_000_000)
    expect(budget.look()).toBe(true)
    expect(budget.reason).toMatch(/memory limit/)
  })

  it('is the one of the larger check where there is one', () => {
    const whole = new Budget({ timeoutMs: 7 })
    expect(Budget.of({ budget: whole, timeoutMs: 9 })).toBe(whole)
    expect(Budget.of({ timeoutMs: 9 }).timeoutMs).toBe(9)
  })
})
