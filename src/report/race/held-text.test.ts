import { describe, expect, it } from 'vitest'
import type { ExploreResult } from '../../explore/search/exploration.ts'
import { heldText } from './held-text.ts'

const RESULT: ExploreResult = {
  iterations: 55,
  steps: 600,
  strategy: 'portfolio',
  schedulesBy: { places: 40, pos: 15 },
  wallMs: 1_234,
  exhausted: false,
  outOfTime: false,
  coverage: { contested: 200, sometimes: {}, tasks: {} },
  neverEnded: [],
  gaps: [],
  summary: '55 schedules hold',
}

describe('the line about an exploration that held', () => {
  it('has the time, and the schedules of each strategy', () => {
    expect(heldText(RESULT)).toBe('55 schedules hold (in 1.2 s, by places 40, pos 15)')
  })

  it('names tasks that never ended', () => {
    expect(heldText({ ...RESULT, neverEnded: ['poll waits for a timer (a.ts:1:2)'] })).toMatch(
      /pos 15\); never ended: poll waits for a timer \(a\.ts:1:2\)$/,
    )
  })

  it('has no number for a strategy that ran alone', () => {
    expect(heldText({ ...RESULT, schedulesBy: { random: 55 }, wallMs: 0 })).toBe(
      '55 schedules hold (in 0.0 s, by random)',
    )
  })
})
