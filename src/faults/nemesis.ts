/**
 * The nemesis: decides when which fault family strikes during the chaos window, begins the episodes and ends them, and
 * keeps their records with the landing evidence. It injects nothing outside the window, and `close` heals the core:
 * everything that is still in force, but for what the budget lets stay broken (`core.ts`).
 *
 * Every decision is a choice of an entity of its own, `nemesis <family> #<beat>`, and 0 is no fault: shrinking removes
 * one episode and moves nothing else.
 */
import type { Actor } from '../kernel/actor.ts'
import { max } from '../kernel/arithmetic.ts'
import type { KernelEvent } from '../kernel/event.ts'
import type { Arena, Victim } from './arena.ts'
import type { BudgetLedger } from './budget.ts'
import { drawLasting, drawRest, hostsOf } from './core.ts'
import type { Episode, FaultFamily, Strike } from './family.ts'
import type { FaultRecord } from './fault-record.ts'
import { givenChoice } from './given-choice.ts'
import { PARTITION_SHAPES, ppmOf, type FamilyName, type Rate, type Weather } from './levels.ts'
import { FAMILIES } from './families.ts'
import { refusal } from './refusal.ts'
import { familyIsOff, swarmedAttrition } from './swarm.ts'

export type FaultChange = 'begin' | 'end'

interface ActiveEpisode {
  readonly record: FaultRecord
  readonly episode: Episode
  readonly pending: KernelEvent[]
}

/** A fault that a script strikes with. */
export interface Aim {
  readonly family: FamilyName
  /** Its place in the script. */
  readonly index: number
  /** Null: until the window closes. */
  readonly durationUs: number | null
  /** Whom it may hit; null: all. */
  readonly victims: readonly Victim[] | null
  /** Parameters that are not drawn. */
  readonly given: Readonly<Record<string, string | number>>
}

export interface AimedStrike {
  end(): void
}

/** What a strike has of its own. */
type Particular = Pick<Strike, 'arena' | 'weather' | 'choose'>

const CERTAIN_PPM = 1_000_000

function familyNamed(name: FamilyName): FaultFamily {
  return FAMILIES.find((each) => each.name === name)!
}

export class Nemesis {
  private readonly kept: FaultRecord[] = []
  /** How many episodes have begun or ended: operations note it. */
  epoch = 0
  private readonly arena: Arena
  private weather: Weather
  private readonly ledger: BudgetLedger
  private readonly actor: Actor
  private readonly onChange: (record: FaultRecord, change: FaultChange) => void
  private readonly strikes: KernelEvent[] = []
  private readonly active = new Set<ActiveEpisode>()
  private isOpen = false
  /** When the chaos window closes at the latest. */
  private closesUs = 0

  constructor(
    arena: Arena,
    weather: Weather,
    ledger: BudgetLedger,
    onChange: (record: FaultRecord, change: FaultChange) => void,
  ) {
    this.arena = arena
    this.weather = weather
    this.ledger = ledger
    this.onChange = onChange
    this.actor = arena.kernel.actor('nemesis')
  }

  /** Every episode so far; those still in force with what they have done until now. */
  get records(): readonly FaultRecord[] {
    for (const { record, episode } of this.active) record.victims = episode.victims()
    return this.kept
  }

  get open(): boolean {
    return this.isOpen
  }

  /** Opens the chaos window for `windowUs`: plans every family's strikes. Closing it is the caller's business. */
  begin(windowUs: number): void {
    this.isOpen = true
    this.closesUs = this.arena.kernel.now + windowUs
    const { choices } = this.arena.kernel
    if (this.weather.swarm)
      this.weather = { ...this.weather, attrition: swarmedAttrition(choices, this.weather.attrition) }
    for (const family of FAMILIES) {
      const rate = this.weather.families[family.name]
      if (rate === undefined || rate === null || rate.chance === 0) continue
      if (this.weather.swarm && familyIsOff(choices, family.name)) continue
      this.plan(family, rate, windowUs)
    }
  }

  /** What stays broken after the window has closed. */
  get lasting(): readonly FaultRecord[] {
    return this.isOpen ? [] : [...this.active].map(({ record }) => record)
  }

  /** Injects nothing more and ends every episode, but for those that hit nothing of the core. */
  close(): void {
    if (!this.isOpen) return
    this.isOpen = false
    const { kernel } = this.arena
    for (const event of this.strikes) kernel.cancel(event)
    this.strikes.length = 0
    const rest = drawRest(kernel.choices, this.arena, this.ledger, this.weather)
    const hosts = hostsOf(rest, this.arena)
    const broken = new Set([...rest.map(({ name }) => name), ...hosts])
    for (const active of this.active) {
      const { targets } = active.record
      const lasts = targets.length > 0 && targets.every((target) => broken.has(target))
      if (!lasts) this.end(active) // a set may shrink while it is walked
      for (const event of active.pending) kernel.cancel(event)
    }
    for (const victim of rest)
      if (victim.process.state === 'running') this.breakForGood(victim, hosts.includes(victim.host.name))
  }

  private breakForGood(victim: Victim, ownsHost: boolean): void {
    const { choices } = this.arena.kernel
    const entity = `rest ${victim.name}`
    const mayCut = ownsHost && this.ledger.budget.partitions
    const { family: name, given } = drawLasting(choices.stream(entity, 'how'), mayCut)
    const particular: Particular = {
      arena: { ...this.arena, victims: [victim], hosts: [victim.host] },
      weather: { ...this.weather, partitions: ['isolate'] },
      choose: (label) => {
        const { [label]: value } = given
        return (value === undefined ? null : givenChoice(name, label, value)) ?? choices.stream(entity, label)
      },
    }
    this.inject(familyNamed(name), null, particular, ' for good')
  }

  private plan(family: FaultFamily, rate: Rate, windowUs: number): void {
    const { kernel } = this.arena
    const everyUs = rate.everyMs * 1000
    for (let beat = 0; beat * everyUs < windowUs; beat++) {
      const entity = `nemesis ${family.name} #${beat}`
      if (!kernel.choices.stream(entity, 'strike').chance(ppmOf(rate.chance))) continue
      const whenUs = beat * everyUs + kernel.choices.stream(entity, 'when').below(everyUs)
      if (whenUs >= windowUs) continue
      const [least, most] = rate.durationMs
      const durationUs = kernel.choices.stream(entity, 'duration').between(least * 1000, most * 1000)
      this.strikes.push(
        kernel.schedule(this.actor, 'fault', whenUs, () => this.strike(family, entity, durationUs)),
      )
    }
  }

  private strike(family: FaultFamily, entity: string, durationUs: number): void {
    this.inject(family, durationUs, {
      arena: this.arena,
      weather: this.weather,
      choose: (label) => this.arena.kernel.choices.stream(entity, label),
    })
  }

  /** Strikes once, now, as a script says: a handle that ends it early, or why nothing was struck. */
  aim({ family: name, index, durationUs, victims, given }: Aim): AimedStrike | string {
    const family = familyNamed(name)
    const { choices } = this.arena.kernel
    const entity = `nemesis ${name} aimed #${index}`
    if (!choices.stream(entity, 'happens').chance(CERTAIN_PPM)) return 'left-out'
    const hosts = victims === null ? null : new Set(victims.map((each) => each.host))
    const arena: Arena =
      victims === null || hosts === null
        ? this.arena
        : { ...this.arena, victims, hosts: this.arena.hosts.filter((host) => hosts.has(host)) }
    const active = this.inject(family, durationUs, {
      arena,
      weather: {
        ...this.weather,
        partitions: PARTITION_SHAPES.filter((shape) => (given.shape ?? shape) === shape),
      },
      choose: (label) => {
        const value = given[label] ?? (label === 'everywhere' && victims !== null ? 'no' : undefined)
        const draw = value === undefined ? null : givenChoice(name, label, value)
        return draw ?? choices.stream(entity, label)
      },
    })
    return active === null
      ? refusal(family, arena, this.ledger, this.arena.hosts.length)
      : { end: () => this.end(active) }
  }

  /** Runs something later, between steps, until the window closes. */
  later(delayUs: number, run: () => void): void {
    this.strikes.push(this.arena.kernel.schedule(this.actor, 'fault', delayUs, run))
  }

  /** Begins an episode; without a duration it lasts until the window closes. */
  private inject(
    family: FaultFamily,
    durationUs: number | null,
    particular: Particular,
    suffix = '',
  ): ActiveEpisode | null {
    const { kernel } = this.arena
    const pending: KernelEvent[] = []
    const episode = family.begin({
      ...particular,
      system: this.arena,
      ledger: this.ledger,
      durationUs: durationUs ?? max(1, this.closesUs - kernel.now),
      later: (delayUs, run) => void pending.push(kernel.schedule(this.actor, 'fault', delayUs, run)),
    })
    if (episode === null) return null
    const record: FaultRecord = {
      id: this.kept.length + 1,
      family: family.name,
      group: family.group,
      targets: episode.targets,
      text: `${episode.text}${suffix}`,
      kind: episode.kind,
      beginUs: kernel.now,
      beginStep: kernel.step,
      endUs: null,
      victims: 0,
    }
    const active: ActiveEpisode = { record, episode, pending }
    this.kept.push(record)
    this.active.add(active)
    this.epoch++
    this.onChange(record, 'begin')
    if (durationUs !== null)
      pending.push(kernel.schedule(this.actor, 'heal', durationUs, () => this.end(active)))
    return active
  }

  private end(active: ActiveEpisode): void {
    if (!this.active.delete(active)) return
    const { kernel } = this.arena
    for (const event of active.pending) kernel.cancel(event)
    active.episode.end()
    active.record.endUs = kernel.now
    active.record.victims = active.episode.victims()
    this.epoch++
    this.onChange(active.record, 'end')
  }
}
