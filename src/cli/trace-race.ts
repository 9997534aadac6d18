/** `wavetank trace FILE` for a race: its finding is in the file, so nothing is run. */
import { findingText } from '../explore/finding-text.ts'
import type { RaceFinding } from '../explore/finding.ts'

export type TraceFormat = 'text' | 'events' | 'json'

export const TRACE_FORMATS: readonly TraceFormat[] = ['text', 'events', 'json']

export interface RaceTraceView {
  /** Every step, not only the slice. */
  readonly all: boolean
  readonly format: TraceFormat
}

export function raceTraceText(finding: RaceFinding, { all, format }: RaceTraceView): string {
  const slice = all ? finding.schedule.map(({ step }) => step) : finding.slice
  const shown = new Set(slice)
  switch (format) {
    case 'text':
      return `${findingText({ ...finding, slice })}\n`
    case 'events':
      return finding.schedule
        .filter(({ step }) => shown.has(step))
        .map((row) => `${JSON.stringify(row)}\n`)
        .join('')
    case 'json':
      return `${JSON.stringify({ ...finding, schedule: finding.schedule.filter(({ step }) => shown.has(step)) }, null, 1)}\n`
  }
}
