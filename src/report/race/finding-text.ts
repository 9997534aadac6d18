/**
 * A finding as text: what broke, the shrunk and sliced schedule with an arrow at the failing step, the two events whose
 * order matters, and the command that replays it.
 */
import type { RaceFinding } from '../../explore/finding/finding.ts'
import { actorOf, isTurn } from '../../explore/running/recording.ts'
import { round } from '../../kernel/arithmetic.ts'
import { count, counted } from '../form/quantity.ts'
import { foldLoading } from './loading.ts'
import { collapseRepeats, scheduleLines, STEP_WIDTH, type ShownStep } from './schedule-lines.ts'

/** Lines of the schedule that are shown at its beginning, and at its end. */
const MOST_LINES = 40

export function findingText(finding: RaceFinding, replayCommand: string | null = null): string {
  const { failure, schedule, slice } = finding
  const wanted = new Set(slice)
  const shown = schedule.filter((row) => wanted.has(row.step) && (!isTurn(row) || row.step === failure.step))
  const apart = stepsThatMatter(finding)
  const rows = collapseRepeats(foldLoading(shown, apart), apart)
  return textOf(finding, shortened(linesOf(finding, rows)), shown.length, replayCommand)
}

/** A finding as text, with every step of the schedule. */
export function wholeFindingText(finding: RaceFinding): string {
  return textOf(finding, linesOf(finding, finding.schedule), finding.schedule.length, null)
}

function linesOf({ schedule, failure }: RaceFinding, rows: readonly ShownStep[]): string[] {
  const turns = new Set(schedule.filter(isTurn).map(({ step }) => step))
  return scheduleLines(rows, failure, turns)
}

/** The rows of a slice as data; repeated rows are collapsed as in the text. */
export function slicedSchedule(finding: RaceFinding): ShownStep[] {
  const wanted = new Set(finding.slice)
  const rows = finding.schedule.filter(({ step }) => wanted.has(step))
  return collapseRepeats(rows, stepsThatMatter(finding))
}

/** Steps that are never collapsed. */
function stepsThatMatter({ failure, criticalPair, schedule }: RaceFinding): ReadonlySet<number> {
  const { first, secondStep } = criticalPair ?? {}
  const stalled = schedule.filter(({ stalledUs }) => stalledUs !== undefined).map(({ step }) => step)
  return new Set([failure.step, first?.step ?? 0, secondStep ?? 0, ...stalled])
}

function textOf(
  finding: RaceFinding,
  steps: readonly string[],
  shown: number,
  replayCommand: string | null,
): string {
  const { failure, shrunk, schedule } = finding
  const left = schedule.length - shown
  const lines = [
    `✗ ${finding.title}`,
    ...failureLines(failure.message, failure.category),
    `  seed ${finding.seed}  iteration ${finding.iteration}/${finding.iterations}  strategy ${finding.strategy}  ` +
      `shrunk ${count(shrunk.before)} → ${count(shrunk.after)} choices, ${counted(schedule.length, 'step')}, ${counted(finding.preemptions, 'preemption')}, in ${counted(shrunk.runs, 'run')}`,
    '',
    ...steps,
  ]
  if (left > 0)
    lines.push(`${' '.repeat(STEP_WIDTH)}  (${counted(left, 'step')} that did not matter left out)`)
  lines.push('', ...orderLines(finding))
  if (replayCommand !== null) lines.push('', `  replay  ${replayCommand}`)
  return lines.join('\n')
}

function orderLines(finding: RaceFinding): string[] {
  const { criticalPair: pair, otherSchedules: others } = finding
  const pieces = [...chanceLines(finding), ...stallLines(finding), ...pieceLines(finding)]
  if (pair === null && pieces.length > 0) return pieces
  if (pair === null && finding.cutShort === true)
    return ['  what matters: not known, the time budget ended the search; `wavetank shrink` goes on with it']
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
    `  what matters: ${actorOf(first)}: ${first.what} (step ${first.step})`,
    `   came before: ${second} (${came})`,
    '                the other way round it passes',
    ...pieces,
  ]
}

/** The same order of events with other random values does not always fail. */
function chanceLines({ otherEntropy }: RaceFinding): string[] {
  if (otherEntropy === undefined) return []
  const { runs, failing } = otherEntropy
  return [
    `  what matters: random values that the program draws; in the same order with others, ${runs - failing} of ${runs} runs pass`,
  ]
}

/** In a minimal schedule every stall is needed: without it, it passes. */
function stallLines({ schedule, shrunk }: RaceFinding): string[] {
  if (!shrunk.minimal) return []
  return schedule.flatMap(({ step, process, stalledUs }) => {
    if (stalledUs === undefined) return []
    return [
      `  what matters: ${process ?? 'the process'} stalls for ${round(stalledUs / 1000)} ms before step ${step}; if it does not, it passes`,
    ]
  })
}

/** In a minimal schedule every split write is needed: in one piece, it passes. */
function pieceLines({ choices, shrunk }: RaceFinding): string[] {
  const split = choices.filter(({ label }) => label === 'segment').length
  if (split === 0 || !shrunk.minimal) return []
  return [`  what matters: ${counted(split, 'write')} arrived in two pieces; in one piece it passes`]
}

/** Of thousands of lines, the first and the last. */
function shortened(lines: readonly string[]): readonly string[] {
  const left = lines.length - 2 * MOST_LINES
  if (left <= 0) return lines
  const gap = `${' '.repeat(STEP_WIDTH)}  … ${left} more lines …`
  return [...lines.slice(0, MOST_LINES), gap, ...lines.slice(-MOST_LINES)]
}

/** A deadlock says what each task waits for: one line each. */
function failureLines(message: string, category: string): string[] {
  const [first, ...rest] = message.split(/; (?=[^;]* waits for )/)
  const lines = rest.length === 0 ? [first] : [`${first};`, ...rest.map((line) => `  ${line}`)]
  return lines.map((line, i) => `  ${line}${i === lines.length - 1 ? `  (${category})` : ''}`)
}
