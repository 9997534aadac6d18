/**
 * A finding as a person reads it: what broke, the shrunk and sliced schedule with an arrow at the failing step, the two
 * events whose order matters, the command that replays it.
 *
 * What one line of the program asked for and got in several steps in a row (`readFile` is open, fstat, read and close) is
 * one line here.
 */
import type { RaceFailure } from './failure.ts'
import type { RaceFinding } from './finding.ts'
import { whoOf, type ScheduleStep } from './recording.ts'

const STEP_WIDTH = 7
const ARROW = '← FAILED HERE'
const LAST_ARROW = '← FAILED HERE: nothing follows'

export function findingText(finding: RaceFinding, replayCommand: string | null = null): string {
  const { failure, shrunk, criticalPair } = finding
  const wanted = new Set(finding.slice)
  const shown = finding.schedule.filter(
    (row) => wanted.has(row.step) && (!isTurn(row) || row.step === failure.step),
  )
  const left = finding.schedule.length - shown.length
  const lines = [
    `✗ ${finding.title}`,
    ...failureLines(failure.message, failure.category),
    `  seed ${finding.seed}  iteration ${finding.iteration}/${finding.iterations}  strategy ${finding.strategy}  ` +
      `shrunk ${shrunk.fromSteps} → ${shrunk.toSteps} steps, ${plural(finding.preemptions, 'preemption')}, in ${plural(shrunk.runs, 'run')}`,
    '',
    ...scheduleLines(shown, failure),
  ]
  if (left > 0)
    lines.push(`${' '.repeat(STEP_WIDTH)}  (${plural(left, 'step')} that did not matter left out)`)
  lines.push('', ...orderLines(criticalPair))
  if (replayCommand !== null) lines.push('', `  replay  ${replayCommand}`)
  return lines.join('\n')
}

/** A turn of an event loop that says nothing about the program. */
function isTurn({ what, position }: ScheduleStep): boolean {
  return what === 'turn' && position === null
}

function orderLines(pair: RaceFinding['criticalPair']): string[] {
  if (pair === null) return ['  what matters: no two events alone; the other orders of them fail as well']
  const { first, second } = pair
  return [
    `  what matters: ${whoOf(first.task, first.strand)}: ${first.what}`,
    `   came before: ${second}`,
    '                the other way round it passes',
  ]
}

/** Rows of a schedule as lines, with an arrow at the failing one. */
export function scheduleLines(rows: readonly ScheduleStep[], failure: RaceFailure | null): string[] {
  const told = fold(rows)
  const whoWidth = Math.max(4, ...told.map(({ who }) => who.length))
  const whatWidth = Math.max(4, ...told.map(({ what }) => what.length))
  const arrow = failure?.category === 'deadlock' ? LAST_ARROW : ARROW
  const failing = failure?.step ?? 0
  return told.map(({ from, to, who, what, where }) =>
    [
      (from === to ? String(from) : `${from}–${to}`).padStart(STEP_WIDTH),
      who.padEnd(whoWidth),
      what.padEnd(whatWidth),
      from <= failing && failing <= to ? `${arrow}  ${where}` : where,
    ]
      .join('  ')
      .trimEnd(),
  )
}

/** A deadlock says of everybody what they wait for: a line each. */
function failureLines(message: string, category: string): string[] {
  const [first, ...rest] = message.split(/; (?=[^;]* waits for )/)
  const lines = rest.length === 0 ? [first] : [`${first};`, ...rest.map((line) => `  ${line}`)]
  return lines.map((line, i) => `  ${line}${i === lines.length - 1 ? `  (${category})` : ''}`)
}

interface Told {
  readonly from: number
  readonly to: number
  readonly who: string
  readonly what: string
  readonly where: string
}

function fold(rows: readonly ScheduleStep[]): Told[] {
  const groups: ScheduleStep[][] = []
  for (const row of rows) {
    const last = groups.at(-1)
    if (
      last !== undefined &&
      belongs(last.at(-1)!, row) &&
      !last.some(({ what }) => verbOf(what) === verbOf(row.what))
    )
      last.push(row)
    else groups.push([row])
  }
  return groups.map((group) => ({
    from: group[0].step,
    to: group.at(-1)!.step,
    who: group[0].process ?? whoOf(group[0].task, group[0].strand),
    what: wordsOf(group.map(({ what }) => what)),
    where: whereOf(group[0]),
  }))
}

/** The next step of the same line of the same task, about the same thing and with nothing in between. */
function belongs(before: ScheduleStep, row: ScheduleStep): boolean {
  return (
    row.step === before.step + 1 &&
    row.task === before.task &&
    row.strand === before.strand &&
    row.process === before.process &&
    row.position !== null &&
    lineOf(row.position) === lineOf(before.position ?? '') &&
    longerName(subjectOf(before.what), subjectOf(row.what)) !== null
  )
}

function lineOf(position: string): string {
  return position.replace(/:\d+$/, '')
}

/** What a step is about, where it says so in two words: `open /data/x`. */
function subjectOf(what: string): string | null {
  return /^\S+ (\S+)$/.exec(what)?.[1] ?? null
}

function verbOf(what: string): string {
  return what.split(' ', 1)[0]
}

/** The fuller of two names of one file; null where they name two things. */
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

function whereOf({ position, inside, via }: ScheduleStep): string {
  if (position === null) return ''
  if (via !== null) return `${position} ← ${via.position}`
  return inside === null ? position : `${inside} (${position})`
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
