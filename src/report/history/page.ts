/**
 * The answer of a checker as one HTML page that opens from disk: verdict, anomalies, and what proves them: for
 * linearizability its picture, for a cycle of transactions the cycle, else the operations on a time line, one row per
 * client. Everything from the history is escaped text; the page has no script.
 */
import type { Anomaly, CheckResult } from '../../checkers/result.ts'
import type { History } from '../../history/history.ts'
import type { Operation } from '../../history/operation.ts'
import { printJson } from '../../history/formats/json.ts'
import { show } from '../../history/value.ts'
import { cycleOf, cyclePicture } from './cycle-picture.ts'
import type { CheckReport } from './verdict.ts'
import { FIGURE_STYLE, linearizabilityFigure } from './linearizability-picture.ts'
import { escapeMarkup } from '../form/markup.ts'
import { counted } from '../form/quantity.ts'

/** Anomalies drawn; the text of all others is in the JSON report. */
const DRAWN = 20
/** Operations drawn for one anomaly. */
const BARS = 40

export function checkPage({ file, history, isRead, result }: CheckReport): string {
  const positions = positionsById(history, result.anomalies.slice(0, DRAWN))
  const problems = history.problems.map(
    ({ message, line }) => `<li>${line === null ? '' : `line ${line}: `}${escapeMarkup(message)}</li>`,
  )
  const linearizability = result.checker.startsWith('linearizable')
  const sections = linearizability
    ? [messages(result), linearizabilityFigure(history, result)]
    : result.anomalies.slice(0, DRAWN).map((anomaly) => anomalySection(anomaly, history, positions))
  const rest = result.anomalies.length > DRAWN ? `<p>and ${result.anomalies.length - DRAWN} more</p>` : ''
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeMarkup(`${result.verdict}: ${result.checker}`)}</title><style>${linearizability ? FIGURE_STYLE : STYLE}</style></head><body>
<h1 class="${result.verdict}">${escapeMarkup(result.checker)}: ${result.verdict}</h1>
<p>${escapeMarkup(isRead ? summary(file, history, result) : `${file}, not read to its end`)}</p>
${result.reason === null ? '' : `<p>${escapeMarkup(result.reason)}</p>`}
${result.assumptions.map((assumption) => `<p>assumed: ${escapeMarkup(assumption)}</p>`).join('')}
${problems.length === 0 ? '' : `<details><summary>${counted(history.problemCount, 'problem')} of the history</summary><ul>${problems.join('')}</ul></details>`}
${sections.join('\n')}${rest}
<details><summary>details</summary><pre>${escapeMarkup(printJson(result.details, 2))}</pre></details>
</body></html>
`
}

function summary(file: string, history: History, { checks, scope, method }: CheckResult): string {
  const how = method === null ? '' : `, by ${method}`
  return `${file}, read as ${history.format ?? 'an empty file'}: ${counted(checks, 'check')} over ${counted(scope.operations, 'operation')}${how}`
}

function messages({ anomalies }: CheckResult): string {
  return anomalies
    .slice(0, DRAWN)
    .map(({ message }) => `<p class="message">${escapeMarkup(message)}</p>`)
    .join('\n')
}

function positionsById(history: History, anomalies: readonly Anomaly[]): Map<number, number> {
  const wanted = new Set(anomalies.flatMap(({ operations }) => operations))
  const positions = new Map<number, number>()
  for (let i = 0; i < history.length; i++) if (wanted.has(history.id[i])) positions.set(history.id[i], i)
  return positions
}

function anomalySection(anomaly: Anomaly, history: History, positions: ReadonlyMap<number, number>): string {
  const operations = anomaly.operations
    .slice(0, BARS)
    .flatMap((id) => (positions.has(id) ? [history.operation(positions.get(id)!)] : []))
  const cycle = cycleOf(anomaly.details)
  const drawing = (cycle === null ? '' : cyclePicture(cycle)) + timeline(operations)
  return `<section><h2>${escapeMarkup(anomaly.type)}</h2><p class="message">${escapeMarkup(anomaly.message)}</p>${drawing}</section>`
}

const WIDTH = 960
const ROW = 34
const LEFT = 110

/** Bars by event index: order is what matters to a proof, and every history has it. */
function timeline(operations: readonly Operation[]): string {
  if (operations.length === 0) return ''
  const rows = [...new Set(operations.map(({ process }) => process))]
  const indexes = operations.flatMap(({ invokeIndex, completeIndex }) => [
    invokeIndex,
    completeIndex ?? invokeIndex,
  ])
  const order = [...new Set(indexes)].sort((a, b) => a - b)
  const step = (WIDTH - LEFT - 20) / Math.max(1, order.length)
  const x = (index: number) => LEFT + order.indexOf(index) * step
  const names = rows.map(
    (process, row) =>
      `<text x="4" y="${row * ROW + 22}" class="name">process ${escapeMarkup(String(process))}</text>`,
  )
  const bars = operations.map((operation) => {
    const open = operation.type === 'info' || operation.completeIndex === null
    const from = x(operation.invokeIndex)
    const to = open ? WIDTH - 10 : x(operation.completeIndex) + step * 0.8
    const y = rows.indexOf(operation.process) * ROW + 4
    const title = `${operation.id}: ${describe(operation)}`
    return `<g><title>${escapeMarkup(title)}</title><rect x="${from.toFixed(1)}" y="${y}" width="${Math.max(4, to - from).toFixed(1)}" height="${ROW - 8}" rx="3" class="${operation.type}"/><text x="${(from + 4).toFixed(1)}" y="${y + 17}">${escapeMarkup(clip(title))}</text></g>`
  })
  return `<svg viewBox="0 0 ${WIDTH} ${rows.length * ROW + 4}" role="img">${names.join('')}${bars.join('')}</svg>`
}

function describe({ f, key, input, output, type }: Operation): string {
  const of = key === null ? '' : `${show(key, 20)} `
  const asked = input === null ? '' : show(input, 60)
  return `${f} ${of}${asked} → ${type === 'ok' ? show(output, 60) : type}`
}

function clip(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 59)}…`
}

const STYLE = `
body{font:15px/1.45 system-ui,sans-serif;max-width:1000px;margin:2em auto;padding:0 1em;color:#222;background:#fff}
h1.valid{color:#1a7f37}h1.invalid{color:#cf222e}h1.unknown{color:#9a6700}
h2{font-size:1.05em;margin:1.6em 0 .2em}.message{white-space:pre-wrap;margin:.2em 0 .6em}
svg{width:100%;height:auto;font:12px ui-monospace,monospace}svg .name{fill:#666}
svg.cycle{width:auto;max-width:100%;background:#fff;border-radius:6px}
rect.ok{fill:#bfe3c6}rect.fail{fill:#f3c1c6}rect.info{fill:#fbe3a6}
pre{overflow:auto;font-size:12px;background:#f6f8fa;padding:.8em}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#16181d}svg:not(.cycle) text{fill:#ddd}svg .name{fill:#999}
rect.ok{fill:#1f5a32}rect.fail{fill:#7a2630}rect.info{fill:#6b5416}pre{background:#22252c}}
`
