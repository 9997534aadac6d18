/**
 * A fault family: one way in which the world can go wrong. It knows how to begin an episode and how to end it, what to
 * call it, and by which signal on the victim's side it shows that it landed. When it strikes and for how long is the
 * nemesis's business; what it hits are choices of the strike, always drawn from ranges that do not depend on the state of the
 * run, so that a fault removed elsewhere leaves them as they are.
 */
import type { ChoiceStream } from '../kernel/choices.ts'
import type { Arena } from './arena.ts'
import type { BudgetLedger } from './budget.ts'
import type { FaultGroup } from './fault-record.ts'
import type { FamilyName, Weather } from './levels.ts'

/** What a strike asks of a choice. */
export type Draw = Pick<ChoiceStream, 'below' | 'between' | 'chance' | 'pick' | 'weighted'>

/** One strike of a family: its own choices, and what it may do. */
export interface Strike {
  readonly arena: Arena
  /** All that may be hit, also where this strike is aimed at a part of it. */
  readonly system: Pick<Arena, 'victims' | 'hosts'>
  readonly ledger: BudgetLedger
  readonly weather: Weather
  /** How long it lasts unless the chaos window ends before. */
  readonly durationUs: number
  /** The choices of this strike, by label. */
  choose(label: string): Draw
  /** Runs something later, as long as the episode lasts; healing cancels it. */
  later(delayUs: number, run: () => void): void
}

/** A fault in force. */
export interface Episode {
  readonly targets: readonly string[]
  /** One phrase for people. */
  readonly text: string
  /** Which of its kinds it is, for a family that has several: a reboot may be a `kill` or a `power-loss`. */
  readonly kind?: string
  /** Undoes it. Called exactly once. */
  end(): void
  /** Victim-side signals so far. */
  victims(): number
}

export interface FaultFamily {
  readonly name: FamilyName
  readonly group: FaultGroup
  /** Begins an episode, or returns null when the budget or the state of the world allows no victim. */
  begin(strike: Strike): Episode | null
}

/**
 * An element of a list that passes, searched from a chosen place on: the choice's range is the whole list whatever the
 * state of the run is.
 */
export function chooseAllowed<T>(stream: Draw, list: readonly T[], allowed: (item: T) => boolean): T | null {
  if (list.length === 0) return null
  const start = stream.below(list.length)
  for (let i = 0; i < list.length; i++) {
    const item = list[(start + i) % list.length]
    if (allowed(item)) return item
  }
  return null
}
