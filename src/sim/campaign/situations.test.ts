import { describe, expect, it } from 'vitest'
import { DEFAULT_BUDGET } from '../../faults/budget.ts'
import type { FamilyName, Rate } from '../../faults/levels.ts'
import type { SimulationDefinition } from '../authoring/definition.ts'
import { situation } from '../authoring/situations.ts'
import { runInline } from '../running/run.test-support.ts'
import type { CampaignResult, SeedResult } from './result.ts'
import { summarise } from './summary.ts'

const FACTS = {
  name: 'toy',
  file: null,
  level: 'sunny',
  firstSeed: 1,
  stop: 'seeds',
  wallMs: 1,
  verified: { seeds: 0, differing: [], differences: [] },
  runtime: { node: process.version, wavetank: '0' },
} as const

/** A workload whose client counts, and a server that does nothing. */
function counting(
  run: (index: number) => void,
  more: Partial<SimulationDefinition> = {},
  families: Partial<Record<FamilyName, Rate>> = {},
): SimulationDefinition {
  return {
    processes: { idle: { run: (_process, node) => void node.globalThis.setInterval(() => {}, 10) } },
    workload: {
      clients: 1,
      operations: 4,
      run: ({ operation, index }) => operation('count', () => run(index)),
    },
    invariants: { 'all is well': () => true },
    levels: { sunny: { families } },
    ...more,
  }
}

async function campaign(definition: SimulationDefinition, seeds = 2): Promise<CampaignResult> {
  const results: SeedResult[] = []
  for (let seed = 1; seed <= seeds; seed++) results.push((await runInline(definition, seed)).result)
  return summarise(results, FACTS)
}

describe('a situation', () => {
  it('is counted over all seeds, and is exercised from five occurrences on', async () => {
    const result = await campaign(counting(() => situation('a count')))
    expect(result.situations).toEqual([
      { name: 'a count', times: 8, seeds: 2, reached: 8, status: 'exercised', advice: [] },
    ])
    expect([result.verdict, result.assertions]).toEqual(['held', []])
  })

  it('is under-covered below five, with the number of seeds that it would take', async () => {
    const result = await campaign(counting((index) => situation('the third count', index === 2)))
    expect(result.situations).toMatchObject([{ times: 2, seeds: 2, reached: 8, status: 'under-covered' }])
    expect(result.situations[0].advice).toEqual(['at this rate about 5 seeds show it 5 times'])
    expect(result.verdict).toBe('held')
  })

  it('is a gap if it is declared and never occurred, unless the simulation allows that', async () => {
    const declared = { situations: { 'a tenth count': {} } }
    const result = await campaign(counting(() => {}, declared))
    expect(result.verdict).toBe('coverage-gap')
    expect(result.gaps).toMatchObject([{ kind: 'no-situation' }])
    expect(result.reasons[0]).toMatch(
      /^situation 'a tenth count' never occurred; its place was never reached/,
    )
    const allowed = await campaign(counting(() => {}, { ...declared, allowGaps: ['no-situation'] }))
    expect([allowed.verdict, allowed.situations[0].status]).toEqual(['held', 'not-exercised'])
  })

  it('is a gap if its condition was never true', async () => {
    const { gaps } = await campaign(counting((index) => situation('a tenth count', index === 9)))
    expect(gaps[0].message).toContain('its place was reached 8 times, and the condition was never true')
  })

  it('alone judges nothing', async () => {
    const { gaps } = await campaign(counting(() => situation('a count'), { invariants: {} }))
    expect(gaps).toMatchObject([{ kind: 'no-promise' }])
  })

  it.each<[string, Partial<SimulationDefinition>, Partial<Record<FamilyName, Rate>>, string]>([
    [
      'a fault that never struck',
      { situations: { rare: { faults: ['pause'] } } },
      {},
      "pause never struck: raise levels.sunny.families['pause'], or run a higher level",
    ],
    [
      'a fault that never landed',
      { situations: { rare: { faults: ['partition'] } } },
      { partition: { everyMs: 500, chance: 1, durationMs: [10, 20] } },
      "partition struck 6 times and never landed: give it something to hit, or raise levels.sunny.families['partition']",
    ],
    [
      'an operation that never ran',
      { situations: { rare: { operations: ['renew'] } } },
      {},
      "operation 'renew' never ran: give it a weight in the workload",
    ],
  ])('comes with advice on %s', async (_, more, families, advice) => {
    const { situations } = await campaign(counting(() => {}, more, families))
    expect(situations[0].advice[0]).toBe(advice)
  })

  it('comes with advice on the fault that was always there when it occurred', () => {
    const seed = (number: number, occurs: boolean, family: string): SeedResult => ({
      ...EMPTY,
      seed: number,
      assertions: [{ ...OCCURRENCE, reached: 1, passed: occurs ? 1 : 0, failed: occurs ? 0 : 1 }],
      faults: [{ family, injected: 1, landed: 1, victims: 1 }],
    })
    const { situations } = summarise(
      [seed(1, true, 'pause'), seed(2, false, 'loss'), seed(3, false, 'loss')],
      FACTS,
    )
    expect(situations[0].advice).toEqual([
      "it occurred only in seeds in which pause landed: raise levels.sunny.families['pause']",
      'at this rate about 15 seeds show it 5 times',
    ])
  })

  it('refuses a name that says nothing, and needs that do not exist', async () => {
    expect(() => situation('')).toThrow('the name must be a text that is not empty')
    const typo = { situations: { rare: { faults: ['puase'] } } }
    await expect(
      campaign(
        counting(() => {}, typo),
        1,
      ),
    ).rejects.toThrow(/situations\.rare\.faults/)
  })
})

const OCCURRENCE = {
  kind: 'situation',
  message: 'rare',
  bound: null,
  frontier: null,
  buckets: [],
} as const

const EMPTY: SeedResult = {
  seed: 0,
  failure: null,
  others: [],
  steps: 0,
  timeUs: 0,
  digest: '',
  choices: 0,
  processes: 0,
  boots: 0,
  exits: { ordered: 0, finished: 0, crashed: 0, restarts: 0, crashes: [] },
  operations: [],
  outcomes: [],
  isJudged: true,
  allowGaps: [],
  invariants: [],
  checkers: [],
  assertions: [],
  situations: {},
  asked: [],
  budget: { ...DEFAULT_BUDGET, forbids: ['lying-sync'] },
  faults: [],
}
