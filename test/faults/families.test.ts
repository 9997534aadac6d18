/**
 * Every fault family breaks its own toy, and no other family does. Ten seeds find what a family does with a probability
 * that makes a miss practically impossible: each toy breaks in most seeds.
 */
import { describe, expect, it } from 'vitest'
import { LEVELS, simulate, type FamilyName } from '../../src/index.ts'
import { TOYS, type Toy } from './toys.ts'
import { inWeather } from './weather.ts'

const FULL = process.env.WAVETANK_FULL === '1'
/** Each seed gets a simulation of its own: an inline invariant keeps its state in variables. */
async function breaks(toy: Toy, families: readonly FamilyName[], seeds: number): Promise<string[]> {
  const found: string[] = []
  for (let seed = 1; seed <= seeds; seed++) {
    const { failures } = await simulate(inWeather(toy, families), { seed })
    for (const { failure } of failures)
      found.push(`seed ${seed}: ${failure.category} ${failure.title}: ${failure.message}`)
  }
  return found
}

describe.each(TOYS)('$family', (toy) => {
  const along = toy.along ?? []

  it(`breaks the assumption that ${toy.assumption}`, async () => {
    const found = await breaks(toy, [...along, toy.family], FULL ? 30 : 10)
    expect(found.length).toBeGreaterThan(0)
    expect(found.every((text) => text.includes(`invariant ${toy.assumption}`))).toBe(true)
  })

  it('is the only family that does', async () => {
    const others = TOYS.map(({ family }) => family).filter((family) => family !== toy.family)
    const found: string[] = []
    for (const other of others)
      found.push(...(await breaks(toy, [...along, other], FULL ? 10 : 2)).map((text) => `${other} ${text}`))
    expect(found).toEqual([])
  }, 300_000)
})

it('has a toy for every family', () => {
  expect(TOYS.map(({ family }) => family).sort()).toEqual(Object.keys(LEVELS.radioactive.families).sort())
})
