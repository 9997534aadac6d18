/**
 * A finding as a person reads it: what broke, the shrunk and sliced schedule with an arrow at the failing step, the two
 * events whose order matters, the command that replays it.
 */
import type { RaceFinding } from './finding.ts'
import { whoOf } from './recording.ts'
import { collapseRepeats, isTurn, scheduleLines, STEP_WIDTH, type ToldStep } from './schedule-lines.ts'

/** Of a finding, at its beginning and at its end. */
const MOST_LINES = 40

export function findingText(finding: RaceFinding, replayCommand: string | null = null): string {
  const { failure, schedule, slice } = finding
  const wanted = new Set(slice)
  const shown = schedule.filter((row) => wanted.has(row.step) && (!isTurn(row) || row.step === failure.step))
  const rows = collapseRepeats(shown, stepsThatMatter(finding))
  return textOf(finding, shortened(linesOf(finding, rows)), shown.length, replayCommand)
}

/** The same with every step of the schedule. */
export function wholeFindingText(finding: RaceFinding): string {
  return textOf(finding, linesOf(finding, finding.schedule), finding.schedule.length, null)
}

function linesOf({ schedule, failure }: RaceFinding, rows: readonly ToldStep[]): string[] {
  const turns = new Set(schedule.filter(isTurn).map(({ step }) => step))
  return scheduleLines(rows, failure, turns)
}

/** The rows of a slice as data, those that repeat told once, as the text tells them. */
export function slicedSchedule(finding: RaceFinding): ToldStep[] {
  const wanted = new Set(finding.slice)
  const rows = finding.schedule.filter(({ step }) => wanted.has(step))
  return collapseRepeats(rows, stepsThatMatter(finding))
}

/** Never among those that repeat. */
function stepsThatMatter({ failure, criticalPair }: RaceFinding): ReadonlySet<number> {
  const { first, secondStep } = criticalPair ?? {}
  return new Set([failure.step, first?.step ?? 0, secondStep ?? 0])
}

function textOf(
  finding: RaceFinding,
  told: readonly string[],
  shown: number,
  replayCommand: string | null,
): string {
  const { failure, shrunk, schedule } = finding
  const left = schedule.length - shown
  const lines = [
    `✗ ${finding.title}`,
    ...failureLines(failure.message, failure.category),
    `  seed ${finding.seed}  iteration ${finding.iteration}/${finding.iterations}  strategy ${finding.strategy}  ` +
      `shrunk ${shrunk.fromSteps} → ${shrunk.toSteps} steps, ${plural(finding.preemptions, 'preemption')}, in ${plural(shrunk.runs, 'run')}`,
    '',
    ...told,
  ]
  if (left > 0)
    lines.push(`${' '.repeat(STEP_WIDTH)}  (${plural(left, 'step')} that did not matter left out)`)
  lines.push('', ...orderLines(finding))
  if (replayCommand !== null) lines.push('', `  replay  ${replayCommand}`)
  return lines.join('\n')
}

function orderLines(finding: RaceFinding): string[] {
  const { criticalPair: pair, otherSchedules: others } = finding
  const pieces = pieceLines(finding)
  if (pair === null && pieces.length > 0) return pieces
  if (pair === null) {
    if (others != null && others.failing === others.runs)
      return [
        `  what matters: no order of events, it seems: ${others.runs} of ${others.runs} other schedules fail alike`,
      ]
    const share = others == null ? '' : `; ${others.failing} of ${others.runs} random schedules fail`
    return [`  what matters: no two events alone, the other orders of them fail as well${share}`]
  }
  const { first, second, secondStep } = pair
  const came = secondStep === null ? 'which never came' : `step ${secondStep}`
  return [
    `  what matters: ${whoOf(first.task, first.strand)}: ${first.what} (step ${first.step})`,
    `   came before: ${second} (${came})`,
    '                the other way round it passes',
    ...pieces,
  ]
}

/** In a minimal schedule, what arrived in two pieces had to: in one, it passes. */
function pieceLines({ choices, shrunk }: RaceFinding): string[] {
  const split = choices.filter(({ label }) => label === 'segment').length
  if (split === 0 || !shrunk.minimal) return []
  return [`  what matters: ${plural(split, 'write')} arrived in two pieces; in one piece it passes`]
}

/** Nobody reads thousands of lines: what came first, and what came last. */
function shortened(lines: readonly string[]): readonly string[] {
  const left = lines.length - 2 * MOST_LINES
  if (left <= 0) return lines
  const gap = `${' '.repeat(STEP_WIDTH)}  … ${left} more lines …`
  return [...lines.slice(0, MOST_LINES), gap, ...lines.slice(-MOST_LINES)]
}

/** A deadlock says of everybody what they wait for: a line each. */
function failureLines(message: string, category: string): string[] {
  const [first, ...rest] = message.split(/; (?=[^;]* waits for )/)
  const lines = rest.length === 0 ? [first] : [`${first};`, ...rest.map((line) => `  ${line}`)]
  return lines.map((line, i) => `  ${line}${i === lines.length - 1 ? `  (${category})` : ''}`)
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
