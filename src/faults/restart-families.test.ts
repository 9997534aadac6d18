/** Who goes down with whom, in which order, and how many at a time. */
import { describe, expect, it } from 'vitest'
import type { FaultBudget } from './budget.ts'
import type { FamilyName } from './levels.ts'
import { runFor, stage, type Stage } from './stage.test-support.ts'

interface Fall {
  readonly name: string
  readonly atMs: number
  /** Processes that were down after it. */
  readonly down: number
}

/** Strikes once with a family, at one process if it is named, and follows who goes down. */
function strike(
  family: FamilyName,
  options: {
    seed: number
    budget?: FaultBudget
    at?: string
    given?: Readonly<Record<string, string | number>>
    more?: Parameters<typeof stage>[0]['more']
  },
): { set: Stage; falls: Fall[]; landed: number } {
  const { seed, budget = { dead: 'all' }, at, given = {}, more } = options
  const set = stage({
    seed,
    count: 5,
    weather: { families: {} },
    budget,
    group: (number) => (number <= 2 ? 'web' : 'store'),
    ...(more && { more }),
  })
  const falls: Fall[] = []
  for (const { name, process } of set.arena.victims)
    process.onExit(() => {
      const down = set.arena.victims.filter((each) => !each.process.alive).length
      falls.push({ name, atMs: set.world.kernel.now / 1000, down })
    })
  set.nemesis.begin(10_000_000)
  const victims = at === undefined ? null : set.arena.victims.filter(({ name }) => name === at)
  set.nemesis.aim({ family, index: seed, durationUs: 3_000_000, victims, given })
  runFor(set, 4000)
  expect(set.arena.victims.every(({ process }) => process.state === 'running')).toBe(true)
  expect(falls.every(({ name }) => set.nemesis.records[0].targets.includes(name))).toBe(true)
  return { set, falls, landed: set.nemesis.records[0].victims }
}

const SEEDS = Array.from({ length: 20 }, (_, i) => i + 1)

describe('a cascade', () => {
  const propagation = [{ from: 'web', to: 'store', afterMs: [100, 200], chance: 1 }] as const

  it('follows the rules of the simulation, also when it is aimed at its first victim', () => {
    for (const seed of SEEDS) {
      const { falls, landed } = strike('cascade', { seed, at: 'n1', more: () => ({ propagation }) })
      expect(falls.map(({ name }) => name)).toEqual(['n1', expect.stringMatching(/^n[345]$/)])
      const apartMs = falls[1].atMs - falls[0].atMs
      expect(apartMs).toBeGreaterThanOrEqual(100)
      expect(apartMs).toBeLessThanOrEqual(200)
      expect(landed).toBe(1)
    }
  })

  it('has not landed where nothing follows the first: by its rules, or by the budget', () => {
    const alone = strike('cascade', { seed: 1, at: 'n4', more: () => ({ propagation }) })
    expect([alone.falls.length, alone.landed]).toEqual([1, 0])
    for (const seed of SEEDS) {
      const { falls, landed } = strike('cascade', { seed, budget: { dead: 1 } })
      expect([falls.length, landed]).toEqual([1, 0])
    }
  })

  it('spreads within the group where there are no rules', () => {
    const spread = SEEDS.map((seed) => strike('cascade', { seed, at: 'n3' }))
    for (const { falls } of spread) expect(falls.every(({ name }) => /^n[345]$/.test(name))).toBe(true)
    expect(new Set(spread.map(({ falls }) => falls.length))).toEqual(new Set([1, 2, 3]))
  })
})

describe('a rolling restart', () => {
  it('has one down at a time in the right order, and two in the wrong one', () => {
    for (const seed of SEEDS) {
      const right = strike('rolling-restart', { seed, given: { order: 'right' } }).falls
      expect(right.map(({ down }) => down).every((down) => down === 1)).toBe(true)
      const names = right.map(({ name }) => name)
      expect([...names].sort()).toEqual(names)
      const wrong = strike('rolling-restart', { seed, given: { order: 'wrong' } }).falls
      expect(Math.max(...wrong.map(({ down }) => down))).toBe(2)
      expect(wrong.map(({ name }) => name)).toEqual([...names.sort()].reverse().slice(0, wrong.length))
    }
  })
})

describe('a mass restart', () => {
  it('takes a whole group down at one moment, and needs a budget for that', () => {
    for (const how of ['stop', 'kill'] as const) {
      const { falls, landed } = strike('mass-restart', { seed: 1, given: { how } })
      expect(new Set(falls.map(({ atMs }) => atMs)).size).toBe(1)
      expect(falls.length).toBe(landed)
      expect(landed).toBeGreaterThan(1)
    }
    const set = stage({ seed: 1, count: 3, weather: { families: {} }, budget: { dead: 2 } })
    set.nemesis.begin(1_000_000)
    const aimed = { family: 'mass-restart', index: 0, durationUs: null, victims: null, given: {} } as const
    expect(set.nemesis.aim(aimed)).toContain('there is nothing that it could hit')
  })
})
