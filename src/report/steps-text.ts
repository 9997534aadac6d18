/**
 * The steps of a recorded failure: those that causally reach it, or all; for people, as JSON, or as events, which are one
 * JSON object per line and step.
 */
import type { FailureSteps } from '../failures/recorded-failure.ts'
import type { RecordedRun } from '../failures/recorded-run.ts'
import { findingText, slicedSchedule, wholeFindingText } from './finding-text.ts'
import { counted, moment } from './quantity.ts'

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

function runText(run: RecordedRun, all: boolean): string {
  const { steps, report } = run
  const rows = all ? steps : slicedSteps(run)
  const { failure } = report.result
  const [actorWidth, kindWidth] = (['actor', 'kind'] as const).map((column) =>
    rows.reduce((width, row) => Math.max(width, row[column].length), 0),
  )
  const lines = rows.map((row) => {
    const arrow = row.step === failure?.step ? `  ← ${failure.message}` : ''
    const what = `${row.actor.padEnd(actorWidth)}  ${row.kind.padEnd(kindWidth)}`
    return `${String(row.step).padStart(7)} ${moment(row.time)}  ${what}  after ${row.cause}${arrow}`
  })
  const left = rows.length === steps.length ? '' : `  (of ${counted(steps.length, 'step')}; --all shows them)`
  return `${[...lines, `${counted(rows.length, 'step')}${left}`].join('\n')}\n`
}
