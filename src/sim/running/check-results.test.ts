import { describe, expect, it } from 'vitest'
import { conclude } from '../../checkers/result.ts'
import { resultsOf } from './check-results.ts'

const whole = conclude({
  checker: 'mine',
  scope: { operations: 2, ignored: 0, functions: ['read'] },
  checks: 1,
  anomalies: [{ type: 'odd', message: 'read 3', operations: [1] }],
})

describe('what a check returned', () => {
  it('is a result, a list of results, or nothing', () => {
    expect(resultsOf(whole)).toEqual({ results: [whole], wrong: null })
    expect(resultsOf([whole, { ...whole, parts: [whole] }]).wrong).toBeNull()
    expect(resultsOf(undefined)).toEqual({ results: [], wrong: null })
  })

  it.each([5, null, 'valid', { verdict: 'valid' }, [whole, {}]])('is no result if it is %j', (returned) => {
    const { results, wrong } = resultsOf(returned)
    expect(results).toEqual([])
    expect(wrong).toContain('expected nothing, a result of a checker or a list of results, and got')
  })

  it('is refused by the names of the checker and of what it lacks', () => {
    const { wrong } = resultsOf([whole, { checker: 'by hand', verdict: 'valid', anomalies: [] }])
    expect(wrong).toMatch(
      /the checker 'by hand', .*: reason, scope, checks, method, assumptions, details, parts;/,
    )
    expect(wrong).toContain('`conclude` of wavetank/checkers')
  })

  it.each<[keyof typeof whole, unknown]>([
    ['verdict', 'good'],
    ['scope', { operations: 1 }],
    ['anomalies', [{ type: 'odd' }]],
    ['anomalies', ['odd']],
    ['checks', '3'],
    ['parts', [{ checker: 'part' }]],
  ])('is refused with a %s of %j', (name, value) => {
    expect(resultsOf({ ...whole, [name]: value }).wrong).toMatch(new RegExp(`another type: ${name};`))
  })
})
