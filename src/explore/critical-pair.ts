/**
 * The critical pair: the two events whose order matters most, found by exchanging them and seeing the failure vanish.
 *
 * In a schedule shrunk to the end, every preemption is needed; undoing the last one (the event that was overtaken goes
 * first after all) makes the failure vanish, and the two events concerned say why it happens. Where no such exchange of
 * two ready events is enough, because the schedule fails in the simplest order too, one event is held back: until a later
 * access of the same thing by another task has happened, or until as few other events have as will do.
 */
import { max } from '../kernel/arithmetic.ts'
import type { Choice } from '../kernel/choices.ts'
import type { KernelEvent } from '../kernel/event.ts'
import { picksOf } from './picks.ts'
import { rerun, type RaceProgram } from './program.ts'
import type { RaceRunResult } from './race-run.ts'
import { whoOf, type ScheduleStep } from './recording.ts'
import { isTurn } from './schedule-lines.ts'
import type { ExploreStrategy } from './strategy.ts'

export interface CriticalPair {
  /** What ran first, in the failing order. */
  readonly first: ScheduleStep
  /** What it overtook, as `task: what`: with this one first, the failure is gone. */
  readonly second: string
  /** The step in which that one ran after all; null if it never did. */
  readonly secondStep: number | null
}

/** Runs that an exchange of neighbours, or of accesses, may take. */
const MAX_SWAPS = 200
/** Of the latest events, how many are held back to see what follows. */
const MAX_HOLDS = 60
/** Events for which another is held back at most. */
const LONGEST_HOLD = 64

export function criticalPair(
  program: RaceProgram,
  seed: number,
  failing: RaceRunResult,
): CriticalPair | null {
  return (
    neighbours(program, seed, failing) ?? accesses(program, seed, failing) ?? delays(program, seed, failing)
  )
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
      if (result.failure !== null) continue
      const overtaken = failing.schedule.find(({ step }) => step === row.readySteps[value])
      return overtaken === undefined
        ? { first: row, second: row.ready[value], secondStep: null }
        : pairOf(row, overtaken)
    }
  }
  return null
}

/** The latest access that makes it pass when it waits for a later one of the same thing by another task. */
function accesses(program: RaceProgram, seed: number, failing: RaceRunResult): CriticalPair | null {
  const { schedule, bodyStep } = failing
  const candidates = schedule.filter(({ step, access }) => step > bodyStep && access !== null)
  const exchange = exchanging(program, seed, failing)
  let swaps = 0
  for (const first of candidates.toReversed()) {
    if (!exchange.isChosen(first)) continue
    for (const second of candidates) {
      if (second.step <= first.step || !conflict(first, second) || swaps >= MAX_SWAPS) continue
      swaps++
      const between = candidates.filter(({ step }) => step > first.step && step <= second.step)
      const { resource, write } = second.access!
      const alike = between.filter((row) => conflict(first, row) && row.access!.write === write)
      let seen = 0
      const isSecond = ({ access, also }: KernelEvent): boolean => {
        const { resource: touched, write: writes } = access ?? also ?? { resource: null, write: false }
        return touched === resource && writes === write && ++seen === alike.length
      }
      if (exchange.passes(first, isSecond)) return pairOf(first, second)
    }
  }
  return null
}

function conflict(a: ScheduleStep, b: ScheduleStep): boolean {
  if (whoOf(a.task, a.strand) === whoOf(b.task, b.strand)) return false
  return a.access!.resource === b.access!.resource && (a.access!.write || b.access!.write)
}

/** The latest event that makes it pass when it comes later, and the first of those that had to come before it. */
function delays(program: RaceProgram, seed: number, failing: RaceRunResult): CriticalPair | null {
  const { schedule, bodyStep } = failing
  const exchange = exchanging(program, seed, failing)
  const candidates = schedule.filter((row) => row.step > bodyStep && !isTurn(row) && exchange.isChosen(row))
  for (const first of candidates.slice(-MAX_HOLDS).toReversed()) {
    if (!exchange.passesWithout(first)) continue
    for (let events = 1; events <= LONGEST_HOLD; events++) {
      if (!exchange.passes(first, nth(events))) continue
      const waited = exchange
        .schedule(first, nth(events))
        .find(({ step }) => step === first.step + events - 1)
      if (waited === undefined || isTurn(waited)) continue
      const name = nameOf(waited)
      const there = schedule.find((row) => row.step > first.step && nameOf(row) === name)
      return { first, second: name, secondStep: there?.step ?? null }
    }
  }
  return null
}

/** True for the n-th event that it is asked about. */
function nth(n: number): (event: KernelEvent) => boolean {
  let seen = 0
  return () => ++seen === n
}

const never = (): boolean => false

function nameOf({ task, strand, what }: ScheduleStep): string {
  return `${whoOf(task, strand)}: ${what}`
}

function pairOf(first: ScheduleStep, second: ScheduleStep): CriticalPair {
  return { first, second: nameOf(second), secondStep: second.step }
}

/** Runs the failing schedule again with one of its events held back. */
function exchanging(program: RaceProgram, seed: number, failing: RaceRunResult) {
  const picks = picksOf(failing)
  const overrides = failing.choices.filter(({ entity }) => entity !== 'schedule')
  const run = (strategy: ExploreStrategy, record: boolean) =>
    program({ seed, strategy, base: 'zero', overrides, misfit: 'bend', record })
  return {
    /** Whether something else could have run in its place. */
    isChosen: ({ step }: ScheduleStep): boolean => picks.has(step),
    /** Whether it passes if an event waits for the one that `isSecond` says is the other, which then happens. */
    passes({ step }: ScheduleStep, isSecond: (event: KernelEvent) => boolean): boolean {
      const strategy = heldBack(picks, step, isSecond)
      return run(strategy, false).failure === null && strategy.exchanged
    },
    /** Whether it passes if an event waits until nobody else can move. */
    passesWithout: ({ step }: ScheduleStep): boolean =>
      run(heldBack(picks, step, never), false).failure === null,
    /** The schedule of such a run. */
    schedule: ({ step }: ScheduleStep, isSecond: (event: KernelEvent) => boolean): readonly ScheduleStep[] =>
      run(heldBack(picks, step, isSecond), true).schedule,
  }
}

/** The recorded picks up to a step; its event then waits for another, or until nobody else can move. */
function heldBack(
  picks: ReadonlyMap<number, number>,
  at: number,
  isSecond: (event: KernelEvent) => boolean,
): ExploreStrategy & { readonly exchanged: boolean } {
  let held: KernelEvent | null = null
  let exchanged = false
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
      if (event === held) held = null
      else if (isSecond(event)) {
        exchanged = true
        held = null
      }
    },
  }
}
