import { describe, expect, it } from 'vitest'
import {
  FAMILY_NAMES,
  LEVEL_NAMES,
  LEVELS,
  PARTITION_SHAPES,
  parseLevel,
  weatherOf,
  type FamilyName,
  type Weather,
} from './levels.ts'

const SCOPES = ['process', 'machine', 'zone'] as const
const KINDS = ['stop', 'kill', 'powerLoss', 'wipe'] as const

/** How often a family strikes, per virtual second of the chaos window. */
function perSecond({ families }: Weather, name: (typeof FAMILY_NAMES)[number]): number {
  const rate = families[name] ?? null
  return rate === null ? 0 : (rate.chance / rate.everyMs) * 1000
}

/** Everything that can go wrong in a weather, with how often or how badly it does. */
function severityOf(weather: Weather): Map<string, number> {
  const { families, attrition, links, windowMs } = weather
  const all = new Map<string, number>()
  for (const name of FAMILY_NAMES) {
    all.set(`${name} per second`, perSecond(weather, name))
    all.set(`${name} at longest`, families[name]?.durationMs[1] ?? 0)
  }
  const reboots = perSecond(weather, 'reboot')
  const kinds = KINDS.reduce((sum, kind) => sum + attrition[kind], 0)
  for (const kind of KINDS) all.set(`reboot by ${kind} per second`, (reboots * attrition[kind]) / kinds)
  // A machine that goes down takes its processes with it, a zone its machines: each counts for the smaller ones.
  const scopes = SCOPES.reduce((sum, scope) => sum + attrition.scope[scope], 0)
  SCOPES.forEach((scope, i) => {
    const reached = SCOPES.slice(i).reduce((sum, each) => sum + attrition.scope[each], 0)
    all.set(`reboot of a ${scope} per second`, (reboots * reached) / scopes)
  })
  for (const fault of ['loss', 'duplicate', 'replay', 'reorder', 'corrupt', 'split'] as const)
    all.set(`${fault} on every link`, links[fault] ?? 0)
  for (const shape of PARTITION_SHAPES) {
    const share = weather.partitions.includes(shape) ? 1 / weather.partitions.length : 0
    all.set(`partition of shape ${shape} per second`, perSecond(weather, 'partition') * share)
  }
  all.set('longest latency', links.latency?.kind === 'exponential' ? links.latency.maxUs : 0)
  all.set('longest chaos window', windowMs[1])
  all.set('shortest chaos window', windowMs[0])
  return all
}

/** What is rarer or milder in the second weather than in the first. */
function fallen(before: Weather, after: Weather): string[] {
  const now = severityOf(after)
  return [...severityOf(before)].filter(([name, value]) => now.get(name)! < value).map(([name]) => name)
}

describe('levels', () => {
  it.each([
    ['sunny', 'stormy'],
    ['stormy', 'radioactive'],
  ] as const)('make no fault rarer from %s to %s', (before, after) => {
    expect(fallen(LEVELS[before], LEVELS[after])).toEqual([])
  })

  it.each(Object.keys(LEVELS.radioactive.families) as FamilyName[])(
    'would be caught if %s got rarer, shorter, or fell away',
    (name) => {
      const { radioactive } = LEVELS
      const rate = radioactive.families[name]!
      const change = (to: typeof rate | null): string[] =>
        fallen(radioactive, { ...radioactive, families: { ...radioactive.families, [name]: to } })
      expect(change({ ...rate, chance: rate.chance / 2 })).toContain(`${name} per second`)
      expect(change({ ...rate, everyMs: rate.everyMs + 1 })).toContain(`${name} per second`)
      expect(change(null)).toContain(`${name} per second`)
      const [, longestMs] = rate.durationMs
      const shorter =
        longestMs > 0 ? change({ ...rate, durationMs: [0, longestMs - 1] }) : [`${name} at longest`]
      expect(shorter).toEqual([`${name} at longest`])
    },
  )

  it('have every family and every shape of a partition at the highest, but for the one that Node itself does not survive', () => {
    const { families, partitions } = LEVELS.radioactive
    expect(FAMILY_NAMES.filter((name) => (families[name]?.chance ?? 0) === 0)).toEqual(['short-read'])
    expect(partitions).toEqual(PARTITION_SHAPES)
  })

  it('would be caught if reboots lost a kind, or links got better', () => {
    const { radioactive } = LEVELS
    const attrition = { ...radioactive.attrition, wipe: 0 }
    expect(fallen(radioactive, { ...radioactive, attrition })).toEqual(['reboot by wipe per second'])
    expect(fallen(radioactive, { ...radioactive, links: {} })).toEqual([
      'split on every link',
      'longest latency',
    ])
  })

  it('are run with 10, 100 and 1,000 seeds', () => {
    expect(LEVEL_NAMES.map((level) => LEVELS[level].seeds)).toEqual([10, 100, 1000])
  })

  it('are known by name and by number', () => {
    expect([1, '2', 'radioactive'].map(parseLevel)).toEqual(['sunny', 'stormy', 'radioactive'])
    expect(() => parseLevel('breezy')).toThrow(/sunny, stormy, radioactive/)
    expect(() => parseLevel(0)).toThrow(/not '0'/)
  })

  it('take a simulation’s changes', () => {
    const rate = { everyMs: 10, chance: 1e-6, durationMs: [1, 1] } as const
    const weather = weatherOf('sunny', { families: { pause: rate } })
    expect(weather.families).toEqual({ pause: rate })
    expect(weather.links).toEqual(LEVELS.sunny.links)
  })
})
