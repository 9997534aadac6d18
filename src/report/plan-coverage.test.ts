import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { coverageOf } from '../plan/coverage.ts'
import { readPlan } from '../plan/markdown/read-plan.ts'
import { coveragePage, coverageText } from './plan-coverage.ts'

const KV = readFileSync(new URL('../../examples/plans/kv.md', import.meta.url), 'utf8')
const plan = readPlan(KV, 'kv.md').plan!

describe('the coverage of a plan', () => {
  it('is a matrix of claims and hypotheses', () => {
    const text = coverageText(coverageOf(plan))
    expect(text).toMatch(/■ C1 +durability +■ S1 +· +·/)
    expect(text).toMatch(/■ C3 +idempotency +· +· +■ S2/)
    expect(text).toContain('no gaps')
  })

  it('shows gaps that the plan names, and those that it hides', () => {
    const broken = structuredClone(plan)
    broken.coverage[0] = { ...broken.coverage[0], state: 'partial', gap: 'no scale variant' }
    broken.hypotheses[2].falsifies = []
    broken.scenarios[1].falsifies = []
    const { gaps, claims } = coverageOf(broken)
    expect(gaps).toEqual([
      { kind: 'no hypothesis', cells: ['C3 × –'] },
      { kind: 'no scenario', cells: ['C2 × H2'] },
      { kind: 'no scale variant', cells: ['C1 × H1'] },
    ])
    expect(claims.map(({ state }) => state)).toEqual(['partial', 'not', 'not'])
  })

  it('is a page that loads nothing and escapes what it quotes', () => {
    const odd = structuredClone(plan)
    odd.claims[0].claim = '<script>alert(1)</script>'
    const page = coveragePage(coverageOf(odd))
    expect(page).not.toMatch(/<script|src=|href=/)
    expect(page).toContain('class="covered"')
  })

  it('splits a wide matrix', () => {
    const wide = structuredClone(plan)
    wide.hypotheses = Array.from({ length: 30 }, (_, index) => ({
      ...wide.hypotheses[0],
      id: `H${index + 1}`,
    }))
    expect(coverageText(coverageOf(wide)).match(/claim +category/g)).toHaveLength(3)
  })
})
