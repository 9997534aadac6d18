/**
 * The critical pair: the two events whose order matters most, found by exchanging them and seeing the failure vanish.
 *
 * In a fully shrunk schedule, every preemption is needed. Undoing the last one (the overtaken event goes first) makes the
 * failure vanish, and these two events explain it. If no such exchange of two ready events is enough, because the schedule
 * fails in the simplest order too, one event is held back: until another task has later accessed the same thing, or for
 * the smallest number of other events that makes the run pass.
 */
import { max } from '../../kernel/arithmetic.ts'
import type { Choice } from '../../kernel/choices.ts'
import type { KernelEvent } from '../../kernel/event.ts'
import { picksOf } from './picks.ts'
import { rerun, type RaceProgram } from '../running/program.ts'
import type { RaceRunResult } from '../running/race-run.ts'
import { actorOf, isTurn, type ScheduleStep } from '../running/recording.ts'
import type { ExploreStrategy } from '../search/strategy.ts'

export interface CriticalPair {
  /** The event that ran first in the failing order. */
  readonly first: ScheduleStep
  /** The event that it overtook, as `who: what`: if this one runs first, the failure is gone. */
  readonly second: string
  /** The step in which the second event ran; null if it never did. */
  readonly secondStep: number | null
}

/** Runs that an exchange of neighbours, or of accesses, may take. */
const MAX_SWAPS = 200
/** The number of latest events that are held back, one at a time. */
const MAX_HOLDS = 60
/** The greatest number of events for which one is held back. */
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

/** A decision, and another event that could have been picked. */
interface Exchange {
  readonly row: ScheduleStep
  /** The number of the decision, and the position of the other event. */
  readonly index: number
  readonly value: number
  /** The step in which the other event ran, if it did. */
  readonly overtaken: ScheduleStep | undefined
  /** How near to the failure the thing is that both touch; −1 if they touch nothing together. */
  readonly nearness: number
}

/**
 * The first decision that makes the run pass if it is decided otherwise. Many may: an exchange of bystanders moves all that
 * follows. So the exchanges of two events that touch the same thing come first, nearest to the failure the thing that the
 * failing task touched last; then the others, the latest first.
 */
function neighbours(program: RaceProgram, seed: number, failing: RaceRunResult): CriticalPair | null {
  const picks = failing.choices.filter(({ entity }) => entity === 'schedule')
  for (const { row, index, value, overtaken } of exchangesOf(failing).slice(0, MAX_SWAPS)) {
    const others = failing.choices.filter((choice) => choice.entity !== 'schedule' || choice.index !== index)
    if (value === (picks.find((pick) => pick.index === index)?.value ?? 0)) continue
    const swap: Choice = { entity: 'schedule', label: 'pick', index, n: row.ready.length, value }
    if (rerun(program, seed, [...others, swap], 'bend').failure !== null) continue
    return overtaken === undefined
      ? { first: row, second: row.ready[value], secondStep: null }
      : pairOf(row, overtaken)
  }
  return null
}

function exchangesOf(failing: RaceRunResult): Exchange[] {
  const byStep = new Map(failing.schedule.map((row) => [row.step, row]))
  const lastTouch = lastTouches(failing)
  const exchanges = failing.schedule
    .filter(({ ready }) => ready.length > 1)
    .flatMap((row, index) =>
      row.ready.map((_, value): Exchange => {
        const overtaken = byStep.get(row.readySteps[value])
        const nearness = overtaken !== undefined && conflict(row, overtaken) ? lastTouch(row) : -1
        return { row, index, value, overtaken, nearness }
      }),
    )
  return exchanges.sort((a, b) => b.nearness - a.nearness || b.index - a.index || a.value - b.value)
}

/** The last step in which the failing task touched the thing that a row touches; 0 if it never did. */
function lastTouches({ schedule, failure }: RaceRunResult): (row: ScheduleStep) => number {
  const failed = schedule.find(({ step }) => step === failure?.step)
  const last = new Map<string, number>()
  for (const { step, task, access } of schedule)
    if (access !== null && task === failed?.task) last.set(access.resource, step)
  return ({ access }) => last.get(access?.resource ?? '') ?? 0
}

/** The latest access that makes the run pass if it waits for a later access of the same thing by another task. */
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
  if (a.access === null || b.access === null) return false
  if (actorOf(a) === actorOf(b)) return false
  return a.access.resource === b.access.resource && (a.access.write || b.access.write)
}

/** The latest event that makes the run pass if it comes later, and the first event that had to come before it. */
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

/** A predicate that is true for the n-th event. */
function nth(n: number): (event: KernelEvent) => boolean {
  let seen = 0
  return () => ++seen === n
}

const never = (): boolean => false

function nameOf(row: ScheduleStep): string {
  return `${actorOf(row)}: ${row.what}`
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
    /** Whether the run passes if an event waits for the one that `isSecond` accepts, and that one happens. */
    passes({ step }: ScheduleStep, isSecond: (event: KernelEvent) => boolean): boolean {
      const strategy = heldBack(picks, step, isSecond)
      return run(strategy, false).failure === null && strategy.exchanged
    },
    /** Whether the run passes if an event waits until no other event is ready. */
    passesWithout: ({ step }: ScheduleStep): boolean =>
      run(heldBack(picks, step, never), false).failure === null,
    /** The schedule of such a run. */
    schedule: ({ step }: ScheduleStep, isSecond: (event: KernelEvent) => boolean): readonly ScheduleStep[] =>
      run(heldBack(picks, step, isSecond), true).schedule,
  }
}

/** The recorded picks up to a step; its event then waits for another, or until no other event is ready. */
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
