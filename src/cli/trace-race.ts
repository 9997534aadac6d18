/** `wavetank trace FILE` for a race: its finding is in the file, so nothing is run. */
import { findingText } from '../explore/finding-text.ts'
import type { RaceFinding } from '../explore/finding.ts'
import { UsageError } from '../kernel/errors.ts'

export interface RaceTraceView {
  /** Every step, not only the slice. */
  readonly all: boolean
  readonly format: string
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
    default:
      throw new UsageError(
        'ERR_WAVETANK_FORMAT',
        `trace: there is no format "${format}"; choose text, events or json`,
      )
  }
}
