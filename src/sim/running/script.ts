/**
 * Runs the aimed faults of a simulation during the chaos window: waits for their moments, finds their targets, and hands
 * them to the nemesis. At the end it says which of them struck nothing, and why.
 */
import type { Arena, Victim } from '../../faults/arena.ts'
import type { AimedStrike, Nemesis } from '../../faults/nemesis.ts'
import { round } from '../../kernel/arithmetic.ts'
import type { ProcessIdentity } from '../authoring/definition.ts'
import { EventCursor, type EventLog, type PublishedEvent } from '../authoring/event-log.ts'
import type { AimedFault, FaultTarget } from '../authoring/script.ts'

export interface ScriptHost {
  readonly nemesis: Nemesis
  readonly arena: Arena
  readonly events: EventLog
  identityOf(process: string): ProcessIdentity
  /** A fault is aimed at nothing: the simulation has a mistake. */
  missed(title: string, reason: string): void
}

interface Aim {
  readonly index: number
  readonly fault: AimedFault
  /** Events that matched so far. */
  seen: number
  /** What came of it: 'struck', 'left-out' by shrinking, or why it struck nothing. */
  outcome: string | null
  /** The fault in force, of a `while`. */
  strike: AimedStrike | null
}

export class Script {
  private readonly host: ScriptHost
  private readonly aims: readonly Aim[]
  private open = false
  private openedUs = 0

  constructor(faults: readonly AimedFault[], host: ScriptHost) {
    this.host = host
    this.aims = faults.map((fault, index) => ({ index, fault, seen: 0, outcome: null, strike: null }))
  }

  /** The chaos window opens. */
  begin(): void {
    this.open = true
    this.openedUs = this.host.arena.kernel.now
    for (const aim of this.aims) {
      const { atMs } = aim.fault
      if (atMs !== undefined) this.schedule(aim, atMs)
      else if (aim.fault.while !== undefined) this.reconsider(aim)
    }
  }

  /** Something was published. */
  saw(event: PublishedEvent): void {
    if (!this.open) return
    for (const aim of this.aims) {
      const { after, nth = 1, delayMs = 0 } = aim.fault
      if (aim.fault.while !== undefined) this.reconsider(aim)
      else if (after !== undefined && matches(after, event) && ++aim.seen === nth) this.schedule(aim, delayMs)
    }
  }

  /** The chaos window closes: what has not struck by now never will. */
  close(): void {
    if (!this.open) return
    this.open = false
    const windowMs = round((this.host.arena.kernel.now - this.openedUs) / 1000)
    for (const aim of this.aims) {
      aim.outcome ??= neverCame(aim, windowMs)
      if (aim.outcome === 'struck' || aim.outcome === 'left-out' || aim.fault.mayMiss === true) continue
      this.host.missed(titleOf(aim), `${titleOf(aim)} is aimed at nothing: ${aim.outcome}`)
    }
  }

  /** Faults come between the steps of processes, never inside one. */
  private schedule(aim: Aim, delayMs: number): void {
    this.host.nemesis.later(round(delayMs * 1000), () => {
      if (this.open) this.strike(aim)
    })
  }

  private reconsider(aim: Aim): void {
    this.host.nemesis.later(0, () => {
      if (!this.open) return
      const events = new EventCursor(this.host.events)
      events.advance()
      const holds = aim.fault.while!({ events })
      if (holds && aim.strike === null) this.strike(aim)
      else if (!holds && aim.strike !== null) {
        aim.strike.end()
        aim.strike = null
      }
    })
  }

  private strike(aim: Aim): void {
    const { fault } = aim
    const victims = this.victimsOf(fault.target)
    if (victims.length === 0) {
      aim.outcome ??= this.noTarget(fault.target)
      return
    }
    const result = this.host.nemesis.aim({
      family: fault.fault,
      index: aim.index,
      durationUs: fault.forMs === undefined ? null : round(fault.forMs * 1000),
      victims: fault.target === undefined ? null : victims,
      given: fault.with ?? {},
    })
    if (typeof result === 'string') {
      if (aim.outcome !== 'struck') aim.outcome = result
      return
    }
    aim.outcome = 'struck'
    aim.strike = result
  }

  private victimsOf(target: FaultTarget | undefined): readonly Victim[] {
    const { victims, holders } = this.host.arena
    if (target === undefined) return victims
    if (typeof target === 'string') return victims.filter(({ name }) => name === target)
    if (typeof target === 'function') return victims.filter(({ name }) => target(this.host.identityOf(name)))
    if ('role' in target) return holders(target.role)
    if ('tag' in target) return victims.filter(({ tags }) => tags.includes(target.tag))
    return victims.filter(({ group }) => group === target.group)
  }

  private noTarget(target: FaultTarget | undefined): string {
    const names = this.host.arena.victims.map(({ name }) => name).join(', ')
    const among = `; the processes that faults may hit are ${names === '' ? 'none' : names}`
    if (typeof target === 'string') return `no process '${target}'${among}`
    if (typeof target === 'function') return `its function is true for no process${among}`
    if (target === undefined) return 'faults may hit no process'
    const [[what, name]] = Object.entries(target)
    const how =
      what === 'role' ? `no process has the role '${name}' now` : `no process with ${what} '${name}'`
    return `${how}${among}`
  }
}

function matches(after: NonNullable<AimedFault['after']>, event: PublishedEvent): boolean {
  return typeof after === 'string' ? event.name === after : after(event)
}

function titleOf({ index, fault }: Aim): string {
  return `script[${index}] (${fault.fault})`
}

function neverCame({ fault, seen }: Aim, windowMs: number): string {
  const { atMs, after, nth = 1 } = fault
  if (atMs !== undefined)
    return `its moment, ${atMs} ms, is after the chaos window, which was ${windowMs} ms long`
  if (after === undefined) return '`while` was never true in the chaos window'
  const what = typeof after === 'string' ? `event '${after}'` : 'event for which `after` is true'
  const came =
    seen === 0 ? `no ${what} was published` : `only ${seen} of ${nth} times an ${what} was published`
  return `${came} in the chaos window (${windowMs} ms), or the window closed before the fault was due`
}
