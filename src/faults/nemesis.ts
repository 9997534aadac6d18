/**
 * The nemesis: decides when which fault family strikes during the chaos window, begins the episodes and ends them, and
 * keeps their records with the landing evidence. It injects nothing outside the window, and `close` heals everything
 * that is still in force.
 *
 * Every decision is a choice of an entity of its own, `nemesis <family> #<beat>`, and 0 is no fault: shrinking removes
 * one episode and moves nothing else.
 */
import type { Actor } from '../kernel/actor.ts'
import type { ChoiceStream } from '../kernel/choices.ts'
import type { KernelEvent } from '../kernel/event.ts'
import type { Arena } from './arena.ts'
import type { BudgetLedger } from './budget.ts'
import type { Episode, FaultFamily, Strike } from './family.ts'
import type { FaultRecord } from './fault-record.ts'
import { ppmOf, type Rate, type Weather } from './levels.ts'
import { FAMILIES } from './families.ts'
import { familyIsOff } from './swarm.ts'

export type FaultChange = 'begin' | 'end'

interface ActiveEpisode {
  readonly record: FaultRecord
  readonly episode: Episode
  readonly pending: KernelEvent[]
}

export class Nemesis {
  private readonly kept: FaultRecord[] = []
  /** How many episodes have begun or ended: operations note it. */
  epoch = 0
  private readonly arena: Arena
  private readonly weather: Weather
  private readonly ledger: BudgetLedger
  private readonly actor: Actor
  private readonly onChange: (record: FaultRecord, change: FaultChange) => void
  private readonly strikes: KernelEvent[] = []
  private readonly active = new Set<ActiveEpisode>()
  private isOpen = false

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
    const { choices } = this.arena.kernel
    for (const family of FAMILIES) {
      const rate = this.weather.families[family.name]
      if (rate === undefined || rate === null || rate.chance === 0) continue
      if (this.weather.swarm && familyIsOff(choices, family.name)) continue
      this.plan(family, rate, windowUs)
    }
  }

  /** Ends every episode and injects nothing more. */
  close(): void {
    this.isOpen = false
    for (const event of this.strikes) this.arena.kernel.cancel(event)
    this.strikes.length = 0
    for (const active of this.active) this.end(active) // a set may shrink while it is walked
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
    const { kernel } = this.arena
    const pending: KernelEvent[] = []
    const strike: Strike = {
      arena: this.arena,
      ledger: this.ledger,
      weather: this.weather,
      durationUs,
      choose: (label: string): ChoiceStream => kernel.choices.stream(entity, label),
      later: (delayUs, run) => void pending.push(kernel.schedule(this.actor, 'fault', delayUs, run)),
    }
    const episode = family.begin(strike)
    if (episode === null) return
    const record: FaultRecord = {
      id: this.kept.length + 1,
      family: family.name,
      group: family.group,
      targets: episode.targets,
      text: episode.text,
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
    pending.push(kernel.schedule(this.actor, 'heal', durationUs, () => this.end(active)))
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
