import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Arrivals } from './arrivals.ts'
import { loadOf } from './load.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Gaps of exactly 10 ms. */
const EVEN = { rate: 100, random: () => 1 - Math.exp(-1), beginMs: 0, untilMs: 95 }

function arrivals(): Arrivals {
  return new Arrivals({ ...EVEN, beginMs: performance.now(), untilMs: performance.now() + EVEN.untilMs })
}

describe('an open loop', () => {
  it('has turns due by its schedule, whether a client takes them or not', async () => {
    const begunMs = performance.now()
    const schedule = arrivals()
    await vi.advanceTimersByTimeAsync(50)
    const late = await schedule.next()
    expect(Math.round(late! - begunMs)).toBe(10)
    expect(Math.round((await schedule.next())! - begunMs)).toBe(20)
    await vi.advanceTimersByTimeAsync(100)
    expect(schedule.end().map((dueMs) => Math.round(dueMs - begunMs))).toEqual([30, 40, 50, 60, 70, 80, 90])
    expect(await schedule.next()).toBeNull()
  })

  it('hands a turn to the client that has waited longest', async () => {
    const schedule = arrivals()
    const order: string[] = []
    void schedule.next().then(() => order.push('first'))
    void schedule.next().then(() => order.push('second'))
    await vi.advanceTimersByTimeAsync(25)
    expect(order).toEqual(['first', 'second'])
    const waiting = schedule.next()
    schedule.end()
    expect(await waiting).toBeNull()
  })
})

describe('the load of a run', () => {
  it('counts the wait for a client, a turn without an end, and one that never began', () => {
    const turn = { client: 0, operation: null }
    const load = loadOf(
      [
        { ...turn, dueUs: 0, beginUs: 0, endUs: 1000 },
        { ...turn, dueUs: 0, beginUs: 9000, endUs: 10_000 },
        { ...turn, dueUs: 0, beginUs: 10_000, endUs: null },
        { ...turn, dueUs: 0, beginUs: null, endUs: null },
      ],
      'open',
      100_000,
    )
    expect(load).toEqual({
      loop: 'open',
      turns: 4,
      notBegun: 1,
      fromDueMs: { p50: 10, p95: 100, p99: 100, most: 100 },
      fromBeginMs: { p50: 1, p95: 90, p99: 90, most: 90 },
    })
  })

  it('has no percentiles without turns', () => {
    expect(loadOf([], 'closed', 0)).toMatchObject({ turns: 0, fromDueMs: null, fromBeginMs: null })
  })
})
