/**
 * The critical pair: the two events whose order matters most, found by exchanging them and seeing the failure vanish.
 *
 * In a schedule shrunk to the end, every preemption is needed; undoing the last one (the event that was overtaken goes
 * first after all) makes the failure vanish, and the two events concerned say why it happens. Where no such exchange of
 * two ready events is enough, because the schedule fails in the simplest order too, accesses of one thing by two tasks
 * are exchanged: the earlier one is held back until the later one has happened.
 */
import { max } from '../kernel/arithmetic.ts'
import type { Choice } from '../kernel/choices.ts'
import type { Access, KernelEvent } from '../kernel/event.ts'
import { picksOf } from './picks.ts'
import { rerun, type RaceProgram } from './program.ts'
import type { RaceRunResult } from './race-run.ts'
import { whoOf, type ScheduleStep } from './recording.ts'
import type { ExploreStrategy } from './strategy.ts'

export interface CriticalPair {
  /** What ran first, in the failing order. */
  readonly first: ScheduleStep
  /** What it overtook, as `task: what`: with this one first, the failure is gone. */
  readonly second: string
}

const MAX_SWAPS = 200

export function criticalPair(
  program: RaceProgram,
  seed: number,
  failing: RaceRunResult,
): CriticalPair | null {
  return neighbours(program, seed, failing) ?? accesses(program, seed, failing)
}

/** The latest decision that, decided otherwise, makes it pass. */
function neighbours(program: RaceProgram, seed: number, failing: RaceRunResult): CriticalPair | null {
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

/** The latest access that makes it pass when it waits for a later one of the same thing by another task. */
function accesses(program: RaceProgram, seed: number, failing: RaceRunResult): CriticalPair | null {
  const { schedule, bodyStep } = failing
  const candidates = schedule.filter(({ step, access }) => step > bodyStep && access !== null)
  const picks = picksOf(failing)
  const overrides = failing.choices.filter(({ entity }) => entity !== 'schedule')
  let swaps = 0
  for (const first of candidates.toReversed()) {
    if (!picks.has(first.step)) continue
    for (const second of candidates) {
      if (second.step <= first.step || !conflict(first, second) || swaps >= MAX_SWAPS) continue
      swaps++
      const between = candidates.filter(({ step }) => step > first.step && step <= second.step)
      const alike = between.filter(
        (row) => conflict(first, row) && row.access!.write === second.access!.write,
      )
      const strategy = heldBack(picks, first.step, second.access!, alike.length)
      const { failure } = program({ seed, strategy, base: 'zero', overrides, misfit: 'bend' })
      if (failure === null && strategy.exchanged)
        return { first, second: `${whoOf(second.task, second.strand)}: ${second.what}` }
    }
  }
  return null
}

function conflict(a: ScheduleStep, b: ScheduleStep): boolean {
  if (whoOf(a.task, a.strand) === whoOf(b.task, b.strand)) return false
  return a.access!.resource === b.access!.resource && (a.access!.write || b.access!.write)
}

/** The recorded picks up to a step; its event then waits for the n-th access from there, or until nobody else can move. */
function heldBack(
  picks: ReadonlyMap<number, number>,
  at: number,
  until: Access,
  nth: number,
): ExploreStrategy & { readonly exchanged: boolean } {
  let held: KernelEvent | null = null
  let exchanged = false
  let seen = 0
  return {
    name: 'exchange',
    get exchanged() {
      return exchanged
    },
    begin() {},
    pick(ready, step) {
      if (step < at) return picks.get(step) ?? 0
      if (step === at) held = ready[picks.get(step) ?? 0] ?? null
      return held === null
        ? 0
        : max(
            0,
            ready.findIndex((event) => event !== held),
          )
    },
    ran(event) {
      if (held === null) return
      const access = event.access ?? event.also
      if (event === held) held = null
      else if (access?.resource === until.resource && access.write === until.write && ++seen === nth) {
        exchanged = true
        held = null
      }
    },
  }
}
