/** Results of a conformance run as data, and the table a person reads. Pure functions. */
import { OVERALL_BAR, SUBSYSTEMS } from './subsystems.ts'

export interface FileResult {
  readonly file: string
  readonly subsystem: string
  /** `inapplicable`: it does not pass on real Node here, or skips itself. */
  readonly status: 'pass' | 'fail' | 'inapplicable' | 'excluded'
  /** Why it is excluded or inapplicable, or the first line of what went wrong. */
  readonly reason: string | null
}

export interface SubsystemTotals {
  readonly name: string
  readonly applicable: number
  readonly pass: number
  readonly fail: number
  readonly excluded: number
  readonly percent: number
  readonly barPercent: number
}

export function totals(results: readonly FileResult[]): SubsystemTotals[] {
  return SUBSYSTEMS.map(({ name, barPercent }) => {
    const of = results.filter((result) => result.subsystem === name)
    const pass = of.filter(({ status }) => status === 'pass').length
    const fail = of.filter(({ status }) => status === 'fail').length
    const excluded = of.filter(({ status }) => status === 'excluded').length
    return {
      name,
      applicable: pass + fail,
      pass,
      fail,
      excluded,
      percent: percent(pass, pass + fail),
      barPercent,
    }
  }).filter(({ applicable, excluded }) => applicable + excluded > 0)
}

/** The files that fail, each with the line that says most. */
export function failures(results: readonly FileResult[]): Pick<FileResult, 'file' | 'reason'>[] {
  return results.filter(({ status }) => status === 'fail').map(({ file, reason }) => ({ file, reason }))
}

export function table(results: readonly FileResult[]): string {
  const rows = totals(results)
  const lines = [row(['subsystem', 'applicable', 'pass', 'fail', 'excluded', '%', 'bar'])]
  for (const t of rows) {
    const mark = t.percent < t.barPercent ? '  below' : ''
    lines.push(
      row([t.name, t.applicable, t.pass, t.fail, t.excluded, t.percent.toFixed(1), t.barPercent]) + mark,
    )
  }
  const reasons = new Map<string, number>()
  for (const { status, reason } of results) {
    if (status === 'excluded' && reason !== null) reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
  }
  if (reasons.size > 0) lines.push('', 'excluded:')
  for (const [reason, count] of [...reasons].sort(([, a], [, b]) => b - a))
    lines.push(`  ${count}  ${reason}`)
  const applicable = rows.reduce((sum, t) => sum + t.applicable, 0)
  const pass = rows.reduce((sum, t) => sum + t.pass, 0)
  lines.push('', `${pass} of ${applicable} applicable files pass; the bar is ${OVERALL_BAR} %`)
  lines.push(`overall ${percent(pass, applicable).toFixed(1)} %`)
  return lines.join('\n')
}

function percent(part: number, whole: number): number {
  return whole === 0 ? 100 : (part / whole) * 100
}

function row(cells: readonly (string | number)[]): string {
  return cells.map((cell, i) => (i === 0 ? String(cell).padEnd(20) : String(cell).padStart(11))).join('')
}
