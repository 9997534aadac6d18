/**
 * The steps of a recorded failure: those that causally reach it, or all; for people, as JSON, or as events, which are one
 * JSON object per line and step.
 */
import type { FailureSteps } from '../../failures/recorded-failure.ts'
import type { RecordedRun } from '../../failures/recorded-run.ts'
import type { ScheduleStep } from '../../explore/running/recording.ts'
import type { RecordedStep } from '../../sim/running/step-recorder.ts'
import { findingText, slicedSchedule, wholeFindingText } from '../race/finding-text.ts'
import { foldLoading } from '../race/loading.ts'
import { printable } from '../form/printable.ts'
import { count, counted } from '../form/quantity.ts'
import { collapseRepeats, scheduleLines, STEP_WIDTH } from '../race/schedule-lines.ts'

export type StepsFormat = 'text' | 'events' | 'json'

export const STEPS_FORMATS: readonly StepsFormat[] = ['text', 'events', 'json']

export interface StepsView {
  /** Every step by itself: not only the slice, and repeated ones as often as they came. */
  readonly all: boolean
  readonly format: StepsFormat
}

export function stepsText(steps: FailureSteps, { all, format }: StepsView): string {
  if (format === 'text') return steps.kind === 'race' ? raceText(steps, all) : runText(steps.run, all)
  const rows = rowsOf(steps, all)
  if (format === 'events') return rows.map((row) => `${JSON.stringify(row)}\n`).join('')
  const whole =
    steps.kind === 'race'
      ? { ...steps.trace.config.finding, schedule: rows }
      : { ...steps.run, report: { ...steps.run.report, hashes: null }, steps: rows }
  return `${JSON.stringify(whole, null, 1)}\n`
}

function rowsOf(steps: FailureSteps, all: boolean): readonly object[] {
  if (steps.kind === 'race') {
    const { finding } = steps.trace.config
    return all ? finding.schedule : slicedSchedule(finding)
  }
  return all ? steps.run.steps : slicedSteps(steps.run)
}

function slicedSteps({ steps, slice }: RecordedRun): RecordedRun['steps'] {
  const wanted = new Set(slice)
  return steps.filter((row) => wanted.has(row.step))
}

function raceText({ trace }: FailureSteps & { kind: 'race' }, all: boolean): string {
  const { finding } = trace.config
  return `${all ? wholeFindingText(finding) : findingText(finding)}\n`
}

/** Turns of event loops and of clients: they say something only by what was published in them. */
const UNSAID: ReadonlySet<string> = new Set(['turn', 'workload', 'ack'])
/** What was published says all about these. */
const PUBLISHED: ReadonlySet<string> = new Set([...UNSAID, 'fault', 'heal', 'supervisor'])
/** Characters of a line's text. */
const LONGEST = 200

function runText(run: RecordedRun, all: boolean): string {
  const { steps, report } = run
  const { failure } = report.result
  const words = new Map<number, string[]>()
  for (const [step, text] of run.words) words.set(step, [...(words.get(step) ?? []), text])
  const isUnsaid = ({ step, what }: RecordedStep): boolean =>
    UNSAID.has(what) && !words.has(step) && step !== failure?.step
  const rows = all ? steps : slicedSteps(run).filter((row) => !isUnsaid(row))
  const shown = rows.map((row) => shownStep(row, words.get(row.step) ?? []))
  const apart = new Set(failure === null ? [] : [failure.step])
  const folded = all ? shown : collapseRepeats(foldLoading(shown, apart), apart)
  const unsaid = new Set(steps.filter(isUnsaid).map(({ step }) => step))
  const lines = scheduleLines(folded, failure, unsaid, { timed: true })
  if (failure !== null) lines.push(`${' '.repeat(STEP_WIDTH)}  ← ${printable(failure.message)}`)
  const left =
    rows.length === steps.length
      ? ''
      : ` of ${count(steps.length)}: calls, messages, files and boots are followed, the memory of processes is not; --all shows every step`
  return `${[...lines, `${counted(rows.length, 'step')}${left}`].join('\n')}\n`
}

/** A step of a simulation as a row of a schedule: its process is the task. */
function shownStep(row: RecordedStep, words: readonly string[]): ScheduleStep {
  const { step, time, actor, what, position, inside, via, cause, access } = row
  const text = (PUBLISHED.has(what) && words.length > 0 ? words : [what, ...words]).join('; ')
  return {
    step,
    timeUs: time,
    task: actor,
    process: actor,
    strand: null,
    what: printable(text.replaceAll('\n', '\\n'), LONGEST),
    position,
    inside,
    via,
    cause,
    access,
    ready: [],
    readySteps: [],
  }
}
