import { describe, expect, it } from 'vitest'
import type { AssertionSummary } from '../authoring/assertion-table.ts'
import { StopWatch, UNTIL_COVERAGE_STABLE } from './stop-rule.ts'

function hope(message: string, passed: number): AssertionSummary {
  return {
    kind: 'sometimes',
    message,
    reached: 1,
    passed,
    failed: 1 - passed,
    bound: null,
    frontier: null,
    buckets: [],
  }
}

describe('a stop rule', () => {
  it('counts seeds', () => {
    const watch = new StopWatch({ type: 'seeds', count: 2 })
    expect([watch.add([], [], 0), watch.add([], [], 0)]).toEqual([null, 'seeds'])
  })

  it('looks at the clock it is given', () => {
    const watch = new StopWatch({ type: 'time', wallMs: 100 })
    expect([watch.add([], [], 99), watch.add([], [], 100)]).toEqual([null, 'time'])
  })

  it('stops after ten seeds without anything new', () => {
    const watch = new StopWatch(UNTIL_COVERAGE_STABLE)
    watch.add([hope('x', 1)], ['partition'], 0)
    const answers = Array.from({ length: 10 }, () => watch.add([hope('x', 1)], ['partition'], 0))
    expect(answers.slice(0, 9).every((answer) => answer === null)).toBe(true)
    expect(answers[9]).toBe('stable')
  })

  it('does not call coverage stable while a hope is unmet, and flags the cap', () => {
    const watch = new StopWatch({ type: 'coverage', plateau: 3, cap: 20 })
    const answers = Array.from({ length: 20 }, () => watch.add([hope('never', 0)], [], 0))
    expect(answers.slice(0, 19).every((answer) => answer === null)).toBe(true)
    expect(answers[19]).toBe('cap')
  })
})
