/**
 * The critical pair: the two events whose order matters most. In a schedule shrunk to the end, every preemption is
 * needed; undoing the last one (the event that was overtaken goes first after all) makes the failure vanish, and the two
 * events concerned say why it happens. A schedule that fails without any preemption has no order that was *chosen*; there
 * the latest swap of two ready events that makes it pass is looked for.
 */
import type { Choice } from '../kernel/choices.ts'
import { rerun, type RaceProgram } from './program.ts'
import type { RaceRunResult } from './race-run.ts'
import type { ScheduleStep } from './recording.ts'

export interface CriticalPair {
  /** What ran first, in the failing order. */
  readonly first: ScheduleStep
  /** What it overtook: with this one first, the failure is gone. */
  readonly second: string
}

const MAX_SWAPS = 200

export function criticalPair(
  program: RaceProgram,
  seed: number,
  failing: RaceRunResult,
): CriticalPair | null {
  const contested = failing.schedule.filter(({ ready }) => ready.length > 1)
  const picks = failing.choices.filter(({ entity }) => entity === 'schedule')
  let swaps = 0
  for (let i = contested.length - 1; i >= 0; i--) {
    const row = contested[i]
    const made = picks.find(({ index }) => index === i)
    for (let value = 0; value < row.ready.length && swaps < MAX_SWAPS; value++) {
      if (value === (made?.value ?? 0)) continue
      swaps++
      const swap: Choice = { entity: 'schedule', label: 'pick', index: i, n: row.ready.length, value }
      const others = failing.choices.filter((choice) => choice !== made)
      const result = rerun(program, seed, [...others, swap], 'bend')
      if (result.failure === null) return { first: row, second: row.ready[value] }
    }
  }
  return null
}
