/** A stage for the nemesis: hosts with a process each that does little, and no simulation around them. */
import type { Choice } from '../kernel/choices.ts'
import type { Program } from '../world/process.ts'
import { World } from '../world/world.ts'
import type { Arena, Victim } from './arena.ts'
import { BudgetLedger, type FaultBudget } from './budget.ts'
import { EvidenceTally } from './evidence-tally.ts'
import type { FaultRecord } from './fault-record.ts'
import { LEVELS, type Rate, type Weather } from './levels.ts'
import { Nemesis } from './nemesis.ts'
import { OrderedExits } from './ordered-exits.ts'

/** A program that wakes up every ten milliseconds. */
export const TICKING: Program = {
  boot(process) {
    const { actor, kernel } = process
    const tick = (): void => void kernel.schedule(actor, 'tick', 10_000, tick)
    tick()
    return { signal: (name) => name === 'SIGTERM' && process.exit({ code: 0, signal: null }), destroy() {} }
  },
}

/** The same, deaf to every signal that a program can ignore. */
export const STUBBORN: Program = { boot: (process) => ({ ...TICKING.boot(process), signal() {} }) }

export interface Stage {
  readonly arena: Arena
  readonly nemesis: Nemesis
  readonly ledger: BudgetLedger
  readonly world: World
  readonly changes: [FaultRecord, string][]
}

export function stage(options: {
  seed: number
  count: number
  weather: Partial<Weather>
  budget?: FaultBudget
  base?: 'seed' | 'zero'
  overrides?: readonly Choice[]
  program?: Program
  /** No process may be hit. */
  spared?: boolean
  /** Members can leave and join, run another version and have another configuration, and the first two are connected. */
  clustered?: boolean
  /** The group of each process, by its number from 1; all are in one otherwise. */
  group?: (number: number) => string
  /** What the arena has besides. */
  more?: (victims: readonly Victim[]) => Partial<Arena>
}): Stage {
  const { seed, count, weather, budget = {}, base = 'seed', overrides = [], program = TICKING } = options
  const { group = () => 'n', more = () => ({}) } = options
  const world = new World({ seed, base, overrides, record: true })
  const { kernel, network, reports } = world
  const victims: Victim[] = []
  for (let i = 1; i <= count; i++) {
    const name = `n${i}`
    const host = world.addHost(name)
    const process = world.addProcess(name, host, program)
    victims.push({
      name,
      group: group(i),
      process,
      host,
      machine: name,
      zone: `z${i % 2}`,
      tags: [],
      variants:
        options.clustered === true
          ? [
              { name: 'next', kind: 'version', program },
              { name: 'other', kind: 'config', program },
            ]
          : [],
    })
    process.start()
  }
  if (options.clustered === true) connect(victims)
  const hosts = victims.map((victim) => victim.host)
  const tally = new EvidenceTally(reports)
  const spared = options.spared === true
  const arena: Arena = {
    kernel,
    network,
    tally,
    victims: spared ? [] : victims,
    hosts: spared ? [] : hosts,
    allHosts: hosts,
    ordered: new OrderedExits(),
    propagation: [],
    membership:
      options.clustered === true
        ? { leave: (_process, completed) => completed(), join: (_process, completed) => completed() }
        : null,
    holders: () => [],
    ...more(victims),
  }
  const ledger = new BudgetLedger(budget, victims)
  const changes: [FaultRecord, string][] = []
  const nemesis = new Nemesis(arena, { ...LEVELS.stormy, ...weather }, ledger, (record, change) =>
    changes.push([record, change]),
  )
  return { arena, nemesis, ledger, world, changes }
}

function connect([{ host, process }, other]: readonly Victim[]): void {
  other.host.net.listenTcp(other.process.actor, { address: '0.0.0.0', port: 80 })
  host.net.connectTcp(process.actor, { address: other.host.address, port: 80 }, () => {})
}

export function often(durationMs: readonly [number, number] = [10, 500]): Rate {
  return { everyMs: 100, chance: 0.5, durationMs }
}

/** Runs for virtual milliseconds. */
export function runFor({ world }: Stage, ms: number, eachStep: () => void = () => {}): void {
  const { kernel } = world
  const end = kernel.now + ms * 1000
  kernel.afterStep.push(eachStep)
  while (kernel.now < end) kernel.run(1)
  kernel.afterStep.pop()
}
