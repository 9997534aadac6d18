import { describe, expect, it } from 'vitest'
import { leastOffsetMs } from './cluster.ts'

describe('how far a clock is off', () => {
  it('is the least that a reading proves, whenever in its time it was made', () => {
    expect(leastOffsetMs(1300, 1000, 1020)).toBe(280)
    expect(leastOffsetMs(700, 1000, 1020)).toBe(-300)
  })

  it('is nothing if the reading took as long as the distance', () => {
    expect(leastOffsetMs(1000, 1000, 1600)).toBe(0)
    expect(leastOffsetMs(1300, 1000, 1600)).toBe(0)
  })
})
