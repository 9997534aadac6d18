import { describe, expect, it } from 'vitest'
import { BudgetLedger, type Member } from './budget.ts'
import { LEVEL_NAMES, LEVELS, parseLevel, weatherOf, type FamilyName } from './levels.ts'

function group(name: string, size: number): Member[] {
  return Array.from({ length: size }, (_, i) => ({ name: `${name}${i + 1}`, group: name }))
}

describe('the fault budget', () => {
  it.each([
    [1, 1],
    [2, 1],
    [3, 1],
    [4, 1],
    [5, 2],
    [7, 3],
  ])('allows a minority of %i to be out: %i', (size, allowed) => {
    expect(new BudgetLedger({}, group('n', size)).allowedOut('n')).toBe(allowed)
  })

  it('counts groups apart, and a member that is out twice once', () => {
    const nodes = group('n', 3)
    const gateways = group('g', 1)
    const ledger = new BudgetLedger({ dead: 1 }, [...nodes, ...gateways])
    const back = ledger.takeOut([nodes[0]])
    const backAgain = ledger.takeOut([nodes[0]])
    expect(ledger.mayTakeOut([nodes[1]])).toBe(false)
    expect(ledger.mayTakeOut([nodes[0]])).toBe(true)
    expect(ledger.mayTakeOut([gateways[0]])).toBe(true)
    back()
    back()
    expect(ledger.mayTakeOut([nodes[1]])).toBe(false)
    backAgain()
    expect(ledger.mayTakeOut([nodes[1]])).toBe(true)
  })

  it('takes a whole machine out only when all its members fit', () => {
    const nodes = group('n', 5)
    const ledger = new BudgetLedger({}, nodes)
    expect(ledger.mayTakeOut(nodes.slice(0, 2))).toBe(true)
    expect(ledger.mayTakeOut(nodes.slice(0, 3))).toBe(false)
  })

  it('lets no disk lie unless told to', () => {
    expect(new BudgetLedger({}, group('n', 3)).mayLie('n1', 3)).toBe(false)
    const ledger = new BudgetLedger({ lyingDisks: 'minority' }, group('n', 3))
    expect(ledger.mayLie('n1', 3)).toBe(true)
    ledger.recordLie('n1')
    expect([ledger.mayLie('n1', 3), ledger.mayLie('n2', 3)]).toEqual([true, false])
  })
})

describe('levels', () => {
  it('never fall from one to the next', () => {
    for (let i = 1; i < LEVEL_NAMES.length; i++) {
      const [before, after] = [LEVELS[LEVEL_NAMES[i - 1]], LEVELS[LEVEL_NAMES[i]]]
      for (const [family, rate] of Object.entries(before.families)) {
        if (rate === null) continue
        const next = after.families[family as FamilyName]!
        expect(next.chance / next.everyMs).toBeGreaterThanOrEqual(rate.chance / rate.everyMs)
        expect(next.durationMs[1]).toBeGreaterThanOrEqual(rate.durationMs[1])
      }
      expect(after.seeds).toBeGreaterThan(before.seeds)
    }
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
