import { describe, expect, it } from 'vitest'
import { caseTitle, casesOf } from './each-case.ts'

const TABLE = [
  [1, 'one'],
  [2, 'two'],
] as const
const OBJECTS = [{ name: 'a', at: { x: 1 } }]
const TITLES: readonly [title: string, table: readonly unknown[]][] = [
  ['%i is %s', TABLE],
  ['case %# and %$ of %s', TABLE],
  ['%j, 100%%', [{ a: 1 }]],
  ['$name at $at.x, not $nothing', OBJECTS],
  ['$0 and $1, $name', TABLE],
  ['%d', [1.5]],
  ['%i and %f', [[1.5, 2.5]]],
  ['%o', [{ a: [1] }]],
  ['%s and %s', [['a', null]]],
  ['%s of %j at %d', [[undefined, [1], 7n]]],
  ['no value', [1]],
]

for (const [title, table] of TITLES) {
  const ours = casesOf([table]).map((values, index) => caseTitle(title, values, index))
  describe.each(table as unknown[])(title, () => {
    it('has the title that vitest gives it', ({ task }) => {
      expect(ours).toContain(task.suite!.name)
    })
  })
}

describe('the cases of a table', () => {
  it('each have a title of their own', () => {
    expect(casesOf([TABLE]).map((values, index) => caseTitle('%$: %s', values, index))).toEqual([
      '1: 1',
      '2: 2',
    ])
  })

  it('can be a template with a heading', () => {
    const of = (...table: [TemplateStringsArray, ...unknown[]]) => casesOf(table)
    expect(of`
      a    | b
      ${1} | ${2}
      ${3} | ${4}
    `).toEqual([[{ a: 1, b: 2 }], [{ a: 3, b: 4 }]])
  })
})
