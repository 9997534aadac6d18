/**
 * Every fault family breaks its own toy, and no other family does but its kin; a system that expects faults survives it;
 * and where it finds nothing to hit, the campaign says so. Ten seeds find what a family does with a probability that
 * makes a miss practically impossible: most toys break in most seeds.
 */
import { describe, expect, it } from 'vitest'
import { FAMILY_NAMES } from '../../src/faults/levels.ts'
import { simulate, type FamilyName } from '../../src/index.ts'
import type { SeedResult } from '../../src/sim/campaign/result.ts'
import { runInline } from '../../src/sim/running/run.test-support.ts'
import { SURVIVOR } from './survivor.ts'
import type { Toy } from './toy.ts'
import { TOYS } from './toys.ts'
import { inWeather } from './weather.ts'

const FULL = process.env.WAVETANK_FULL === '1'

/**
 * Each seed gets a simulation of its own: an inline invariant keeps its state in variables. It runs once, not twice as by
 * `simulate`: that a run is the same again is the business of hermetic.test.ts.
 */
async function seedsOf(toy: Toy, families: readonly FamilyName[], seeds: number): Promise<SeedResult[]> {
  const results: SeedResult[] = []
  for (let seed = 1; seed <= seeds; seed++)
    results.push((await runInline(inWeather(toy, families).definition, seed)).result)
  return results
}

function found(results: readonly SeedResult[]): string[] {
  return results.flatMap(({ seed, failure }) =>
    failure === null ? [] : [`seed ${seed}: ${failure.category} ${failure.title}: ${failure.message}`],
  )
}

function landed(results: readonly Pick<SeedResult, 'faults'>[], family: FamilyName): number {
  return results
    .flatMap(({ faults }) => faults)
    .filter((fault) => fault.family === family)
    .reduce((sum, fault) => sum + fault.landed, 0)
}

/** All others in a full run, 47 × 46 pairs; otherwise a few, spread over the list. */
function othersOf({ family, kin = [] }: Toy): FamilyName[] {
  const others = FAMILY_NAMES.filter((each) => each !== family && !kin.includes(each))
  const from = FAMILY_NAMES.indexOf(family)
  return FULL ? others : Array.from({ length: 5 }, (_, i) => others[(from + i * 9) % others.length])
}

describe.each(TOYS)('$family', (toy) => {
  const { family, along = [] } = toy

  it(`breaks the assumption that ${toy.assumption}, and says that it landed`, async () => {
    const results = await seedsOf(toy, [...along, family], FULL ? 30 : 10)
    expect(found(results).length).toBeGreaterThan(0)
    expect(found(results).every((text) => text.includes(`invariant ${toy.assumption}`))).toBe(true)
    expect(landed(results, family)).toBeGreaterThan(0)
  })

  it('is the only family that does', async () => {
    const broken: string[] = []
    for (const other of othersOf(toy))
      broken.push(
        ...found(await seedsOf(toy, [...along, other], FULL ? 5 : 1)).map((text) => `${other} ${text}`),
      )
    expect(broken).toEqual([])
  }, 600_000)

  it('is survived by a system that expects it', async () => {
    const budget = { ...SURVIVOR.budget, ...BUDGETS[family] }
    const results = await seedsOf({ ...SURVIVOR, budget, family }, [family], FULL ? 500 : 2)
    expect(found(results)).toEqual([])
    expect(landed(results, family)).toBeGreaterThan(0)
  }, 3_600_000)

  it('is a gap where it hits nothing', async () => {
    const result = await simulate(inWeather(NOTHING_TO_HIT(family), [family]), { seed: 1, keep: false })
    expect(landed([result], family)).toBe(0)
    expect(result.verdict).toBe('coverage-gap')
    expect(
      result.reasons.some((reason) => reason.startsWith(`fault '${family}' was asked for and never landed`)),
    ).toBe(true)
  })
})

/** What a family needs of the survivor's budget to strike at all. */
const BUDGETS: Readonly<Partial<Record<FamilyName, Toy['budget']>>> = {
  'mass-restart': { dead: 'all', lyingDisks: 0 },
  cascade: { dead: 2, lyingDisks: 0 },
}

/** A process that does nothing at all, and that faults may not take out. */
function NOTHING_TO_HIT(family: FamilyName): Toy {
  return {
    family,
    assumption: 'nothing happens',
    budget: { dead: 0, lyingDisks: 0, clockSkewMs: 500 },
    count: 2,
    run: (_process, node) => void node.globalThis.setTimeout(() => {}, 3_600_000),
    invariant: () => () => true,
  }
}

it('has a toy for every family', () => {
  expect(TOYS.map(({ family }) => family).sort()).toEqual([...FAMILY_NAMES].sort())
})
