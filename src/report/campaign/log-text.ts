/** What processes wrote, a line each, with its virtual time; a program's control characters are shown as escapes. */
import type { LogLine } from '../../sim/campaign/result.ts'
import { printable } from '../form/printable.ts'
import { duration } from '../form/quantity.ts'

export function logLines(log: readonly LogLine[]): string[] {
  if (log.length === 0) return ['  (no process wrote anything)']
  const width = Math.max(...log.map(({ process }) => process.length))
  return log.map(
    ({ timeUs, process, text }) =>
      `  ${duration(timeUs).padStart(10)}  ${process.padEnd(width)}  ${printable(text)}`,
  )
}
