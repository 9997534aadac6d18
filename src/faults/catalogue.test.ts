import { describe, expect, it } from 'vitest'
import { FAULTS } from './catalogue.ts'
import { FAMILIES } from './families.ts'
import { FAMILY_NAMES, LEVEL_NAMES, LEVELS, PARTITION_SHAPES } from './levels.ts'
import { often, runFor, stage } from './stage.test-support.ts'

describe('the fault catalogue', () => {
  it('has one entry for every family, in its group, and a family for every entry', () => {
    const byName = (list: readonly { name: string; group: string }[]): string[] =>
      list.map(({ name, group }) => `${group} ${name}`).sort()
    expect(byName(FAULTS)).toEqual(byName(FAMILIES))
    expect(FAULTS.map(({ name }) => name).sort()).toEqual([...FAMILY_NAMES].sort())
  })

  it.each(FAULTS)('describes $name in whole sentences, in the tank and wherever else it exists', (fault) => {
    expect(fault.text).toMatch(/^\S.*\.$/)
    expect(fault.worlds.tank).toBeDefined()
    for (const { mechanism, cleanup, cannot, landing } of Object.values(fault.worlds)) {
      for (const sentence of [mechanism, cleanup, cannot]) expect(sentence).toMatch(/^\S.*\.$/)
      expect(landing).toMatch(/^[a-zA-Z].*[^.]$/)
    }
  })

  it.each(FAULTS.filter(({ parameters }) => parameters.length > 0))(
    'says what a strike of $name draws',
    ({ name, parameters }) => {
      const ranges = new Map<string, Set<number>>()
      for (let seed = 1; seed <= 5; seed++) {
        const set = stage({
          seed,
          count: 4,
          weather: {
            ...LEVELS.radioactive,
            partitions: PARTITION_SHAPES,
            swarm: false,
            families: { [name]: often([50, 100]) },
          },
          budget: { dead: 'all', lyingDisks: 4, byzantineLinks: true },
        })
        for (const { host, process } of set.arena.victims)
          host.net.bindUdp(process.actor, { address: '0.0.0.0', port: 5000 })
        set.nemesis.begin(5_000_000)
        runFor(set, 5000)
        for (const { entity, label, n } of set.world.kernel.choices.made)
          if (entity.startsWith(`nemesis ${name} #`))
            ranges.set(label, (ranges.get(label) ?? new Set()).add(n))
      }
      for (const { name: label, unit, drawn } of parameters) {
        const sizes = ranges.get(label)
        expect(sizes, `${name} never draws ${label}`).toBeDefined()
        if ('of' in drawn && WEIGHTED.has(`${name} ${label}`)) continue
        const scale = unit === 'ms' ? 1000 : 1
        expect([...sizes!]).toEqual([
          'of' in drawn ? drawn.of.length : (drawn.most - drawn.least) * scale + 1,
        ])
      }
    },
  )

  it('gives no fault a lower rate at a higher level', () => {
    for (const name of FAMILY_NAMES) {
      let before = { perSecond: 0, most: 0 }
      for (const level of LEVEL_NAMES) {
        const rate = LEVELS[level].families[name] ?? { everyMs: 1, chance: 0, durationMs: [0, 0] }
        const now = { perSecond: (rate.chance / rate.everyMs) * 1000, most: rate.durationMs[1] }
        expect(now.perSecond, `${name} at ${level}`).toBeGreaterThanOrEqual(before.perSecond)
        expect(now.most, `${name} at ${level}`).toBeGreaterThanOrEqual(before.most)
        before = now
      }
    }
  })
})

/** Drawn by weights: the range of the choice is the sum of the weights. */
const WEIGHTED = new Set(['reboot kind', 'reboot scope'])
