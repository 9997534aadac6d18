import { describe, expect, it } from 'vitest'
import type { FaultBudget } from './budget.ts'
import { forbiddenIn } from './forbidden.ts'
import { LEVELS, type FamilyName } from './levels.ts'
import { often, runFor, stage, STUBBORN, TICKING } from './stage.test-support.ts'

describe('the nemesis', () => {
  it('is the same for the same seed', () => {
    const once = (seed: number): string => {
      const set = stage({ seed, count: 3, weather: LEVELS.radioactive })
      set.nemesis.begin(5_000_000)
      runFor(set, 5000)
      set.nemesis.close()
      return JSON.stringify(set.nemesis.records) + set.world.kernel.hash.digest()
    }
    expect(once(7)).toBe(once(7))
    expect(once(7)).not.toBe(once(8))
  })

  it('does nothing when all choices are zero', () => {
    const set = stage({ seed: 1, count: 3, weather: { ...LEVELS.radioactive, swarm: false }, base: 'zero' })
    set.nemesis.begin(10_000_000)
    runFor(set, 10_000)
    expect(set.nemesis.records).toEqual([])
  })

  it('can be reduced to one episode by keeping only its choices', () => {
    const set = stage({
      seed: 3,
      count: 3,
      weather: { swarm: false, families: { reboot: often(), pause: often() } },
    })
    set.nemesis.begin(2_000_000)
    runFor(set, 2000)
    expect(set.nemesis.records.length).toBeGreaterThan(5)
    const { made } = set.world.kernel.choices
    const first = made.find((choice) => choice.label === 'strike' && choice.entity.includes('pause'))!
    const overrides = made.filter((choice) => choice.entity === first.entity)
    const again = stage({
      seed: 3,
      count: 3,
      weather: { swarm: false, families: { reboot: often(), pause: often() } },
      base: 'zero',
      overrides,
    })
    again.nemesis.begin(2_000_000)
    runFor(again, 2000)
    expect(again.nemesis.records.map((record) => record.family)).toEqual(['pause'])
  })

  it('duplicates packets only where a program could receive one twice: not where there is only TCP', () => {
    const struck = (datagrams: boolean): number => {
      const set = stage({ seed: 1, count: 2, weather: { swarm: false, families: { duplicate: often() } } })
      const [{ host, process }] = set.arena.victims
      if (datagrams) host.net.bindUdp(process.actor, { address: '0.0.0.0', port: 5000 })
      set.nemesis.begin(2_000_000)
      runFor(set, 2000)
      return set.nemesis.records.length
    }
    expect(struck(false)).toBe(0)
    expect(struck(true)).toBeGreaterThan(5)
  })

  it('counts the victims of an episode while it lasts', () => {
    const forever = often([60_000, 60_000])
    const set = stage({ seed: 1, count: 2, weather: { swarm: false, families: { reboot: forever } } })
    set.nemesis.begin(2_000_000)
    runFor(set, 2000)
    const [first] = set.nemesis.records
    expect(first.endUs).toBeNull()
    expect(first.victims).toBeGreaterThan(0)
  })

  it('injects nothing outside the window and heals everything when it closes', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const set = stage({
        seed,
        count: 5,
        weather: { ...LEVELS.radioactive, swarm: false },
        budget: { lyingDisks: 1 },
      })
      set.nemesis.begin(3_000_000)
      runFor(set, 3000)
      const begunUs = set.world.kernel.now
      set.nemesis.close()
      const { records } = set.nemesis
      const known = records.length
      runFor(set, 5000)
      expect(set.nemesis.records.length).toBe(known)
      expect(records.every((record) => record.beginUs <= begunUs && record.endUs! <= begunUs)).toBe(true)
      expect(set.arena.victims.every((victim) => victim.process.state === 'running' && victim.host.up)).toBe(
        true,
      )
      expect([...set.world.network.usedLinks()].some((link) => link.isCut)).toBe(false)
      expect(set.arena.hosts.every(({ clock }) => clock.offsetUs === 0 && clock.driftPpm === 0)).toBe(true)
      expect(set.ledger.outOf('n')).toBe(0)
    }
  })

  it('never has more out than the budget allows', () => {
    for (let seed = 1; seed <= 50; seed++) {
      const families = { reboot: often([50, 2000]), pause: often([50, 2000]) }
      const attrition = { ...LEVELS.radioactive.attrition, scope: { process: 2, machine: 1, zone: 1 } }
      const set = stage({ seed, count: 5, weather: { swarm: false, families, attrition } })
      let most = 0
      set.nemesis.begin(3_000_000)
      runFor(set, 3000, () => {
        most = Math.max(most, set.arena.victims.filter((victim) => victim.process.state !== 'running').length)
      })
      set.nemesis.close()
      expect(most).toBe(2)
    }
  })

  it.each(['obeys', 'ignores'])('answers for every exit of a program that %s SIGTERM', (manner) => {
    const attrition = { ...LEVELS.radioactive.attrition, stop: 3, kill: 1, powerLoss: 3 }
    const families = { reboot: often([50, 4000]), pause: often([50, 2000]) }
    let exits = 0
    for (let seed = 1; seed <= 50; seed++) {
      const program = manner === 'obeys' ? TICKING : STUBBORN
      const set = stage({ seed, count: 3, weather: { swarm: false, families, attrition }, program })
      for (const { process } of set.arena.victims) {
        process.onExit(() => {
          exits++
          expect(set.arena.ordered.has(process)).toBe(true)
        })
      }
      set.nemesis.begin(5_000_000)
      runFor(set, 5000)
      set.nemesis.close()
    }
    expect(exits).toBeGreaterThan(20)
  })

  it("excuses a fault's victim for one boot only", () => {
    const set = stage({ seed: 1, count: 1, weather: {} })
    const [{ process }] = set.arena.victims
    set.arena.ordered.order(process)
    expect(set.arena.ordered.has(process)).toBe(true)
    process.kill()
    process.start()
    expect(set.arena.ordered.has(process)).toBe(false)
  })

  it('leaves a system alone whose processes are all spared', () => {
    const weather = { ...LEVELS.radioactive, swarm: false }
    const set = stage({
      seed: 1,
      count: 3,
      weather,
      spared: true,
      budget: { lyingDisks: 1, byzantineLinks: true },
    })
    set.nemesis.begin(10_000_000)
    runFor(set, 10_000)
    expect(set.nemesis.records).toEqual([])
  })

  it('takes no process out, and begins no episode that would, where none may be out', () => {
    const weather = { ...LEVELS.radioactive, swarm: false }
    for (let seed = 1; seed <= 10; seed++) {
      const set = stage({ seed, count: 3, weather, budget: { dead: 0, lyingDisks: 3 }, clustered: true })
      set.nemesis.begin(10_000_000)
      runFor(set, 10_000)
      const struck = new Set<string>(set.nemesis.records.map(({ family }) => family))
      expect(forbiddenIn(weather, set.ledger.budget).filter((name) => struck.has(name))).toEqual([])
      expect(struck.size).toBeGreaterThan(5)
    }
  })

  it('wipes no disk without a budget for it', () => {
    const attrition = { ...LEVELS.radioactive.attrition, stop: 0, kill: 0, powerLoss: 0, wipe: 1 }
    const weather = { swarm: false, families: { reboot: often() }, attrition }
    const wipes = (budget: FaultBudget): number => {
      const set = stage({ seed: 1, count: 3, weather, budget })
      set.nemesis.begin(3_000_000)
      runFor(set, 3000)
      set.nemesis.close()
      return set.world.reports.count('power-on-wiped')
    }
    expect(wipes({})).toBe(0)
    expect(wipes({ lyingDisks: 1 })).toBeGreaterThan(0)
  })

  it('leaves each way of a reboot out of about half of all seeds when it swarms, and never all of them', () => {
    // 200 fair coins, as below; with all ways off, all are on, so each is on in 9 of 16 seeds.
    const seeds = new Map<string, number>()
    for (let seed = 1; seed <= 200; seed++) {
      const set = stage({ seed, count: 3, weather: { swarm: true, families: { reboot: often([10, 20]) } } })
      set.nemesis.begin(10_000_000)
      runFor(set, 10_000)
      const kinds = new Set(set.nemesis.records.map(({ kind }) => String(kind)))
      for (const kind of kinds) seeds.set(kind, (seeds.get(kind) ?? 0) + 1)
    }
    expect([...seeds.keys()].sort()).toEqual(['kill', 'power-loss', 'stop'])
    for (const count of seeds.values()) expect(count).toBeGreaterThan(25) // reboots are off in half of all seeds, too
    for (const count of seeds.values()) expect(count).toBeLessThan(95)
  })

  it('switches each family off in about half of all seeds when it swarms', () => {
    // 200 fair coins: outside 65…135 with a probability below 10^-6.
    let seen = 0
    for (let seed = 1; seed <= 200; seed++) {
      const set = stage({
        seed,
        count: 3,
        weather: { swarm: true, families: { pause: { ...often(), chance: 1 } } },
      })
      set.nemesis.begin(300_000)
      runFor(set, 300)
      if (set.nemesis.records.length > 0) seen++
    }
    expect(seen).toBeGreaterThan(65)
    expect(seen).toBeLessThan(135)
  })

  const FAMILIES = Object.keys(LEVELS.radioactive.families) as FamilyName[]
  it.each(FAMILIES)('can inject and end %s', (family) => {
    const set = stage({
      seed: 5,
      count: 3,
      weather: {
        swarm: false,
        families: { [family]: { everyMs: 100, chance: 1, durationMs: [10, 50] } },
      },
      budget: { dead: 'all', lyingDisks: 1, byzantineLinks: true },
      clustered: true,
    })
    for (const { host, process } of set.arena.victims)
      host.net.bindUdp(process.actor, { address: '0.0.0.0', port: 5000 })
    runFor(set, 50) // the connection is made
    set.nemesis.begin(1_000_000)
    runFor(set, 1000)
    set.nemesis.close()
    const { records } = set.nemesis
    expect(records.length).toBeGreaterThan(0)
    expect(records.every((record) => record.family === family && record.endUs !== null)).toBe(true)
    expect(set.changes.length).toBe(records.length * 2)
  })

  it('cuts a small system as often as a large one, whatever shapes the level has', () => {
    const cuts = (count: number): number => {
      const families = { partition: { everyMs: 100, chance: 1, durationMs: [10, 20] } } as const
      const set = stage({ seed: 1, count, weather: { ...LEVELS.radioactive, swarm: false, families } })
      set.nemesis.begin(2_000_000)
      runFor(set, 2000)
      return set.nemesis.records.length
    }
    expect([2, 3, 5].map(cuts)).toEqual([20, 20, 20])
  })

  it('knows whether a fault landed', () => {
    const set = stage({
      seed: 5,
      count: 2,
      weather: { swarm: false, families: { pause: often([50, 100]), partition: often([50, 100]) } },
    })
    set.nemesis.begin(2_000_000)
    runFor(set, 2000)
    set.nemesis.close()
    const landed = (family: string): number => {
      const records = set.nemesis.records.filter((record) => record.family === family)
      expect(records.length).toBeGreaterThan(0)
      return records.filter((record) => record.victims > 0).length
    }
    expect(landed('pause')).toBeGreaterThan(0) // ticks were held back
    expect(landed('partition')).toBe(0) // nothing is sent
  })
})

describe('a fault of the network', () => {
  it.each(['partition', 'slow-link', 'loss'] as const)(
    '%s costs in proportion to the links in use, and holds on links that come into use',
    (family) => {
      let struck = 0
      for (let seed = 1; seed <= 10; seed++) {
        const { nemesis, world } = stage({
          seed,
          count: 1_000,
          weather: {
            swarm: false,
            partitions: ['isolate', 'halves'],
            families: { [family]: { everyMs: 100, chance: 1, durationMs: [400, 500] } },
          },
        })
        const { network, kernel } = world
        for (let i = 1; i <= 10; i++) network.link(`n${i}`, `n${i + 500}`)
        nemesis.begin(100_000)
        kernel.schedule(kernel.actor('end'), 'end', 150_000, () => kernel.stop())
        kernel.run()
        struck += nemesis.records.length
        // The ten, and the pair that the strike drew.
        expect(network.linksTouched).toBeLessThanOrEqual(12)
        if (family !== 'partition' || nemesis.records.length === 0) continue
        const { targets, text } = nemesis.records[0]
        const [left, right] = text.replace(' (deferring)', '').slice('partition '.length).split(' | ')
        const [a, b] = [left.split(' ')[0], right.split(' ')[0]]
        expect(targets).toContain(a)
        expect(network.link(b, a).isCut).toBe(true)
        nemesis.close()
        expect(network.link(b, a).isCut).toBe(false)
      }
      expect(struck).toBeGreaterThan(0)
    },
  )
})
