import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Choices } from './choices.ts'
import { parseRecipe, printRecipe, type Branch } from './recipe.ts'

function draws(seed: number, branches: readonly Branch[]): number[] {
  const choices = new Choices({ seed, branches })
  return Array.from({ length: 300 }, (_, i) => choices.stream(`entity ${i % 3}`, 'x').below(1_000_000))
}

describe('a recipe', () => {
  it('prints and parses back', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ after: fc.nat(), seed: fc.maxSafeNat() })), (branches) => {
        expect(parseRecipe(printRecipe(branches))).toEqual(branches)
      }),
    )
    expect(
      printRecipe([
        { after: 151, seed: 8_837_201 },
        { after: 80, seed: 1_293_847 },
      ]),
    ).toBe('151@8837201 -> 80@1293847')
  })

  it.each(['x', '151', '151@', '1@2 -> ', '1@2, 3@4', '-1@2', '1@99999999999999999999'])(
    'cannot be %j',
    (text) => {
      expect(() => parseRecipe(text)).toThrow(/choices@seed/)
    },
  )

  it('keeps the choices before each branch and draws new ones after it', () => {
    const plain = draws(1, [])
    const branched = draws(1, [{ after: 151, seed: 2 }])
    const twice = draws(1, [
      { after: 151, seed: 2 },
      { after: 80, seed: 3 },
    ])
    expect(branched.slice(0, 151)).toEqual(plain.slice(0, 151))
    expect(branched.slice(151)).toEqual(draws(2, []).slice(151))
    expect(twice.slice(0, 231)).toEqual(branched.slice(0, 231))
    expect(twice.slice(231)).toEqual(draws(3, []).slice(231))
    expect(branched[151]).not.toBe(plain[151])
  })

  it('may branch before the first choice', () => {
    expect(draws(1, [{ after: 0, seed: 2 }])).toEqual(draws(2, []))
  })
})
