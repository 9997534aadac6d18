/** `wavetank trace FILE` for a race: its finding is in the file, so nothing is run. */
import { findingText, slicedSchedule, wholeFindingText } from '../explore/finding-text.ts'
import type { RaceFinding } from '../explore/finding.ts'

export type TraceFormat = 'text' | 'events' | 'json'

export const TRACE_FORMATS: readonly TraceFormat[] = ['text', 'events', 'json']

export interface RaceTraceView {
  /** Every step by itself: not only the slice, and repeated ones as often as they came. */
  readonly all: boolean
  readonly format: TraceFormat
}

export function raceTraceText(finding: RaceFinding, { all, format }: RaceTraceView): string {
  const schedule = all ? finding.schedule : slicedSchedule(finding)
  switch (format) {
    case 'text':
      return `${all ? wholeFindingText(finding) : findingText(finding)}\n`
    case 'events':
      return schedule.map((row) => `${JSON.stringify(row)}\n`).join('')
    case 'json':
      return `${JSON.stringify({ ...finding, schedule }, null, 1)}\n`
  }
}
