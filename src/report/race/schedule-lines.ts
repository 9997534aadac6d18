/**
 * Rows of a schedule as lines. Several steps in a row for one line of the program (`readFile` is open, fstat, read and close)
 * are one line here. An interval that fires repeatedly is one line too, and so is each line of a poll: they have a count
 * and the time of the last round.
 */
import { max, min, round } from '../../kernel/arithmetic.ts'
import { withRepeats } from '../../failures/repetition.ts'
import { moment } from '../form/quantity.ts'
import { actorOf, type ScheduleStep } from '../../explore/running/recording.ts'

/** A row that may stand for several: if it is part of a block of rows, the whole block was repeated. */
export interface ShownStep extends ScheduleStep {
  readonly repeats?: {
    readonly times: number
    /** The number of rows in the block. */
    readonly rows: number
    /** The last time of this row. */
    readonly untilStep: number
    readonly untilUs: number
  }
}

export const STEP_WIDTH = 7
const ARROW = '← FAILED HERE'
const LAST_ARROW = '← FAILED HERE: nothing follows'

/** Collapses repeated rows, except those in `apart`: the failing step and the steps that matter. */
export function collapseRepeats(
  rows: readonly ScheduleStep[],
  apart: ReadonlySet<number> = new Set(),
): ShownStep[] {
  return withRepeats(rows, isSame, ({ step }) => apart.has(step)).map(({ row, times, last, period }) =>
    times === 1
      ? row
      : { ...row, repeats: { times, rows: period, untilStep: last.step, untilUs: last.timeUs } },
  )
}

function isSame(a: ScheduleStep, b: ScheduleStep): boolean {
  return (
    a.what === b.what &&
    a.task === b.task &&
    a.strand === b.strand &&
    a.process === b.process &&
    a.position === b.position &&
    a.via?.position === b.via?.position
  )
}

/** What a line is about, if times are shown: longer ones reach into the next column. */
const TIMED_WIDTH = 56

/** The lines, with an arrow at the failing row. `unsaid` are the steps that may lie between two rows of one line; `timed` shows virtual times. */
export function scheduleLines(
  rows: readonly ShownStep[],
  failure: { readonly category: string; readonly step: number } | null,
  unsaid: ReadonlySet<number> = new Set(),
  { timed = false }: { readonly timed?: boolean } = {},
): string[] {
  const lines = fold(rows, unsaid)
  const whoWidth = max(4, ...lines.map(({ who }) => who.length))
  const longest = max(4, ...lines.map(({ what }) => what.length))
  const whatWidth = timed ? min(longest, TIMED_WIDTH) : longest
  const arrow = failure?.category === 'deadlock' ? LAST_ARROW : ARROW
  const failing = failure?.step ?? 0
  return lines.map(({ from, to, timeUs, who, what, where }) =>
    [
      (from === to ? String(from) : `${from}–${to}`).padStart(STEP_WIDTH),
      ...(timed ? [moment(timeUs)] : []),
      who.padEnd(whoWidth),
      what.padEnd(whatWidth),
      from <= failing && failing <= to ? `${arrow}  ${where}` : where,
    ]
      .join('  ')
      .trimEnd(),
  )
}

interface Line {
  readonly from: number
  readonly to: number
  readonly timeUs: number
  readonly who: string
  readonly what: string
  readonly where: string
}

function fold(rows: readonly ShownStep[], unsaid: ReadonlySet<number>): Line[] {
  const groups: ShownStep[][] = []
  for (const row of rows) {
    const last = groups.at(-1)
    if (
      last !== undefined &&
      follows(last.at(-1)!, row, unsaid) &&
      belongs(last.at(-1)!, row) &&
      !last.some(({ what }) => verbOf(what) === verbOf(row.what))
    )
      last.push(row)
    else groups.push([row])
  }
  return groups.map((group) => {
    const [first] = group
    const last = group.at(-1)!
    return {
      from: first.step,
      timeUs: first.timeUs,
      to: last.repeats?.rows === 1 ? last.repeats.untilStep : last.step,
      who: actorOf(first),
      what: stallOf(group) + wordsOf(group.map(({ what }) => what)) + countOf(last),
      where: whereOf(first),
    }
  })
}

/** Nothing that is shown came between. */
function follows(before: ScheduleStep, row: ScheduleStep, unsaid: ReadonlySet<number>): boolean {
  for (let step = before.step + 1; step < row.step; step++) if (!unsaid.has(step)) return false
  return true
}

/** The next step of the same line of the same task, about the same thing. */
function belongs(before: ShownStep, row: ShownStep): boolean {
  return (
    row.task === before.task &&
    row.strand === before.strand &&
    row.process === before.process &&
    row.repeats?.times === before.repeats?.times &&
    row.position !== null &&
    lineOf(row.position) === lineOf(before.position ?? '') &&
    longerName(subjectOf(before.what), subjectOf(row.what)) !== null
  )
}

function lineOf(position: string): string {
  return position.replace(/:\d+$/, '')
}

/** What a step is about, if it consists of two words: `open /data/x`. */
function subjectOf(what: string): string | null {
  return /^\S+ (\S+)$/.exec(what)?.[1] ?? null
}

function verbOf(what: string): string {
  return what.split(' ', 1)[0]
}

/** The fuller of two names of one file; null if they name two things. */
function longerName(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return null
  if (a === b || a.endsWith(`/${b}`)) return a
  return b.endsWith(`/${a}`) ? b : null
}

/** `open /data/x`, `fstat x`, `read x` in one: `open, fstat, read /data/x`. */
function wordsOf(details: readonly string[]): string {
  if (details.length === 1) return details[0]
  const name = details.map(subjectOf).reduce(longerName)
  return `${details.map(verbOf).join(', ')} ${name}`
}

/** `2 ms later: `, if the process stalled before one of the rows. */
function stallOf(rows: readonly ShownStep[]): string {
  const us = rows.reduce((total, { stalledUs = 0 }) => total + stalledUs, 0)
  return us === 0 ? '' : `${round(us / 1000)} ms later: `
}

/** ` × 12, until 480 ms`. */
function countOf({ repeats }: ShownStep): string {
  return repeats === undefined ? '' : ` × ${repeats.times}, until ${round(repeats.untilUs / 1000)} ms`
}

function whereOf({ position, inside, via }: ScheduleStep): string {
  if (position === null) return ''
  if (via !== null) return `${position} ← ${via.position}`
  return inside === null ? position : `${inside} (${position})`
}
