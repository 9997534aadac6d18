import { describe, expect, it } from 'vitest'
import { environmentOf } from './environment.ts'
import { checkFirstSeed, seedOptions, withEnvironment, type SeedFlags } from './seeds.ts'

const LEVEL_SEEDS = { sunny: 10, stormy: 100, radioactive: 1000 }
const SILENT: SeedFlags = { coverage: true }

describe('the environment', () => {
  it('gives level, seed and seeds', () => {
    const variables = { WAVETANK_LEVEL: 'stormy', WAVETANK_SEED: '7', WAVETANK_SEEDS: '5..9', OTHER: 'x' }
    expect(environmentOf(variables)).toEqual({ level: 'stormy', seed: 7, seeds: { first: 5, count: 5 } })
    expect(environmentOf({ WAVETANK_LEVEL: '3' })).toEqual({ level: 'radioactive' })
    expect(environmentOf({ WAVETANK_SEED: '', WAVETANK_SEEDS: ' ' })).toEqual({})
  })

  it.each([
    ['WAVETANK_LEVEL', 'rainy', 'expected sunny, stormy, radioactive', '--level'],
    ['WAVETANK_SEED', '-1', 'expected a non-negative integer', '--seed'],
    ['WAVETANK_SEEDS', 'many', 'expected a positive integer', '--seeds'],
    ['WAVETANK_SEEDS', '9..5', 'expected a count or from..to', '--seeds'],
  ])('is refused with its variable: %s=%s', (variable, value, expected, flag) => {
    const read = (): unknown => environmentOf({ [variable]: value })
    expect(read).toThrow(`${variable} is "${value}"`)
    expect(read).toThrow(expected)
    expect(read).toThrow(`give ${flag}`)
  })
})

describe('flags, environment and configuration', () => {
  const seed = { seed: 7 }
  const seeds = { seeds: { count: 5 } }
  const range = { seeds: { first: 5, count: 5 } }

  it.each<[string, Partial<SeedFlags>, Parameters<typeof withEnvironment>[1], Partial<SeedFlags>]>([
    ['the environment where flags are silent', {}, seed, seed],
    ['the environment where flags are silent', {}, seeds, seeds],
    ['one seed over several', {}, { ...seed, ...seeds }, seed],
    ['a flag over its twin', { seed: 1 }, { ...seed, ...seeds }, { seed: 1 }],
    ['a flag over another twin', { seeds: { count: 2 } }, seed, { seeds: { count: 2 } }],
    ['a time over a number', { time: 100 }, { ...seed, ...seeds }, { time: 100 }],
    ['a first seed with a number', { firstSeed: 3 }, { ...seed, ...seeds }, { firstSeed: 3, ...seeds }],
    ['a shard with a number', { shard: {} }, { ...seed, ...seeds }, { shard: {}, ...seeds }],
  ])('take %s', (_, flags, environment, expected) => {
    expect(withEnvironment({ ...SILENT, ...flags }, environment)).toEqual({ ...SILENT, ...expected })
  })

  it('refuse two beginnings, wherever they come from', () => {
    expect(() => checkFirstSeed(withEnvironment({ ...SILENT, firstSeed: 3 }, range))).toThrow('contradict')
    expect(() => checkFirstSeed(withEnvironment({ ...SILENT, firstSeed: 3 }, seeds))).not.toThrow()
  })

  it('end when coverage is stable if none of them gives a number', () => {
    expect(seedOptions(SILENT, {}, LEVEL_SEEDS, 'stormy')).toEqual({})
    expect(seedOptions({ ...SILENT, firstSeed: 3 }, {}, LEVEL_SEEDS, 'stormy')).toEqual({ firstSeed: 3 })
  })

  it.each([
    ['sunny', 10],
    ['stormy', 100],
    ['radioactive', 1000],
  ] as const)('take the seeds of %s where coverage rules are off', (level, count) => {
    expect(seedOptions({ coverage: false }, {}, LEVEL_SEEDS, level)).toEqual({ seeds: count })
    expect(seedOptions(SILENT, { coverage: false }, LEVEL_SEEDS, level)).toEqual({ seeds: count })
  })

  it('keep what was asked for where coverage rules are off', () => {
    const off = { coverage: false }
    expect(seedOptions({ ...off, seeds: { count: 3 } }, {}, LEVEL_SEEDS, 'sunny')).toEqual({ seeds: 3 })
    expect(seedOptions({ ...off, time: 50 }, {}, LEVEL_SEEDS, 'sunny')).toEqual({ budgetWallMs: 50 })
    expect(seedOptions({ ...off, seed: 4 }, {}, LEVEL_SEEDS, 'sunny')).toEqual({ seed: 4 })
    expect(seedOptions(off, { seeds: 42 }, LEVEL_SEEDS, 'sunny')).toEqual({ seeds: 42 })
  })
})
