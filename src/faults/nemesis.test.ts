import { describe, expect, it } from 'vitest'
import type { Choice } from '../kernel/choices.ts'
import type { Program } from '../world/process.ts'
import { World } from '../world/world.ts'
import type { Arena, Victim } from './arena.ts'
import { BudgetLedger, type FaultBudget } from './budget.ts'
import { EvidenceTally } from './evidence-tally.ts'
import type { FaultRecord } from './fault-record.ts'
import { LEVELS, type FamilyName, type Rate, type Weather } from './levels.ts'
import { Nemesis } from './nemesis.ts'

/** A program that wakes up every ten milliseconds. */
const TICKING: Program = {
  boot(process) {
    const { actor, kernel } = process
    const tick = (): void => void kernel.schedule(actor, 'tick', 10_000, tick)
    tick()
    return { signal: (name) => name === 'SIGTERM' && process.exit({ code: 0, signal: null }), destroy() {} }
  },
}

interface Stage {
  readonly arena: Arena
  readonly nemesis: Nemesis
  readonly ledger: BudgetLedger
  readonly world: World
  readonly changes: [FaultRecord, string][]
}

function stage(options: {
  seed: number
  count: number
  weather: Partial<Weather>
  budget?: FaultBudget
  base?: 'seed' | 'zero'
  overrides?: readonly Choice[]
}): Stage {
  const { seed, count, weather, budget = {}, base = 'seed', overrides = [] } = options
  const world = new World({ seed, base, overrides, record: true })
  const { kernel, network, reports } = world
  const victims: Victim[] = []
  for (let i = 1; i <= count; i++) {
    const name = `n${i}`
    const host = world.addHost(name)
    const process = world.addProcess(name, host, TICKING)
    victims.push({ name, group: 'n', process, host, machine: name, zone: `z${i % 2}` })
    process.start()
  }
  const hosts = victims.map((victim) => victim.host)
  const tally = new EvidenceTally(reports)
  const arena: Arena = { kernel, network, tally, victims, hosts, allHosts: hosts, ordered: new Set() }
  const ledger = new BudgetLedger(budget, victims)
  const changes: [FaultRecord, string][] = []
  const nemesis = new Nemesis(arena, { ...LEVELS.stormy, ...weather }, ledger, (record, change) =>
    changes.push([record, change]),
  )
  return { arena, nemesis, ledger, world, changes }
}

function often(durationMs: readonly [number, number] = [10, 500]): Rate {
  return { everyMs: 100, ppm: 500_000, durationMs }
}

/** Runs for virtual milliseconds. */
function runFor({ world }: Stage, ms: number, eachStep: () => void = () => {}): void {
  const { kernel } = world
  const end = kernel.now + ms * 1000
  kernel.afterStep.push(eachStep)
  while (kernel.now < end) kernel.run(1)
  kernel.afterStep.pop()
}

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

  it('duplicates packets only where somebody could receive one twice: not where there is only TCP', () => {
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

  it('switches each family off in about half of all seeds when it swarms', () => {
    // 200 fair coins: outside 65…135 with a probability below 10^-6.
    let seen = 0
    for (let seed = 1; seed <= 200; seed++) {
      const set = stage({
        seed,
        count: 3,
        weather: { swarm: true, families: { pause: { ...often(), ppm: 1_000_000 } } },
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
        families: { [family]: { everyMs: 100, ppm: 1_000_000, durationMs: [10, 50] } },
      },
      budget: { lyingDisks: 1, byzantineLinks: true },
    })
    for (const { host, process } of set.arena.victims)
      host.net.bindUdp(process.actor, { address: '0.0.0.0', port: 5000 })
    set.nemesis.begin(1_000_000)
    runFor(set, 1000)
    set.nemesis.close()
    const { records } = set.nemesis
    expect(records.length).toBeGreaterThan(0)
    expect(records.every((record) => record.family === family && record.endUs !== null)).toBe(true)
    expect(set.changes.length).toBe(records.length * 2)
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
    expect(landed('partition')).toBe(0) // nobody sends anything
  })
})
