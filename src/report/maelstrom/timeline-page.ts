/**
 * The history of a Maelstrom test as an HTML page: a column per thread, a box per operation, from its invocation down
 * to its completion. Order is what counts, so one event is one row. The page has no script.
 */
import type { LoggedOperation } from '../../maelstrom/running/operation-log.ts'
import { show } from '../../history/value.ts'
import { attribute, escapeMarkup } from '../form/markup.ts'
import { operationSpans, type OperationSpan } from './operation-spans.ts'
import { OUTCOME_COLOURS } from './plots.ts'

const MOST_OPERATIONS = 10_000
const ROW = 18
const COLUMN = 150
const GAP = 6
const LABEL = 44
const TITLE = 2000

export function timelinePage(operations: readonly LoggedOperation[], threads: number): string {
  const all = operationSpans(operations)
  const spans = all.slice(0, MOST_OPERATIONS)
  const last = spans.reduce(
    (most, { invoke, complete }) => Math.max(most, complete?.index ?? invoke.index),
    0,
  )
  const faults = operations.filter(({ process, index }) => process === 'nemesis' && index <= last)
  const cut =
    all.length > spans.length
      ? `<p>Only the first ${MOST_OPERATIONS} of ${all.length} operations are shown.</p>`
      : ''
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>timeline</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>${STYLE}</style></head><body>
<h1>Timeline</h1>
<p>A column is a thread, a box an operation from its invocation to its completion, a row an event of the history.
<span class="ok">ok</span> <span class="info">info</span> <span class="fail">fail</span></p>${cut}
<div class="head" style="width:${(threads + 1) * COLUMN}px">${heads(spans, threads)}</div>
<div class="columns" style="height:${(last + 2) * ROW}px;width:${(threads + 1) * COLUMN}px">
${faults.map(fault).join('\n')}
${spans.map((span) => box(span, threads, last)).join('\n')}
</div></body></html>
`
}

/** A name over each column, which stays in view: the thread, and the node that it asks. */
function heads(spans: readonly OperationSpan[], threads: number): string {
  const nodes = new Map(spans.map(({ process, invoke }) => [(process as number) % threads, invoke.node]))
  const names = Array.from({ length: threads }, (_, thread) => {
    const node = nodes.get(thread)
    return node === undefined ? `thread ${thread}` : `thread ${thread} → ${node}`
  })
  return ['faults', ...names].map((name) => `<span>${escapeMarkup(name)}</span>`).join('')
}

function box({ process, f, invoke, complete }: OperationSpan, threads: number, last: number): string {
  const type = complete?.type ?? 'info'
  const value = (complete ?? invoke).value
  const error = complete?.error === undefined ? '' : ` ${show(complete.error, TITLE)}`
  const times = `${milliseconds(invoke)} to ${complete === null ? 'the end' : milliseconds(complete)}`
  const title = `process ${process}${invoke.node === undefined ? '' : ` on ${invoke.node}`} ${type} ${f} ${show(value, TITLE)}${error}\n${times}`
  const height = ((complete?.index ?? last + 1) - invoke.index) * ROW - 2
  const left = ((process as number) % threads) * COLUMN + COLUMN
  const label = `${process} ${f} ${show(value, LABEL)}`
  return `<div class="${type}" style="left:${left}px;top:${invoke.index * ROW}px;height:${height}px" title=${attribute(title)}>${escapeMarkup(label)}</div>`
}

function fault(operation: LoggedOperation): string {
  const text = `${operation.f} ${show(operation.value, TITLE)}`
  return `<div class="fault" style="left:0;top:${operation.index * ROW}px;height:${ROW - 2}px" title=${attribute(`${text}\n${milliseconds(operation)}`)}>${escapeMarkup(text)}</div>`
}

function milliseconds({ time }: LoggedOperation): string {
  return `${(time / 1e6).toFixed(3)} ms`
}

const STYLE = `
body{font:13px/1.4 system-ui,sans-serif;margin:1em;color:#222;background:#fff}
.columns{position:relative}
.head{position:sticky;top:0;z-index:1;display:flex;padding:4px 0;background:#fff;border-bottom:1px solid #ccc;font-weight:bold}
.head span{width:${COLUMN}px;overflow:hidden;white-space:nowrap}
.columns div{position:absolute;box-sizing:border-box;width:${COLUMN - GAP}px;min-height:${ROW - 2}px;padding:0 4px;border-radius:3px;overflow:hidden;white-space:nowrap;font:11px/${ROW - 2}px ui-monospace,monospace}
.ok{background:${OUTCOME_COLOURS.ok}}.info{background:${OUTCOME_COLOURS.info}}.fail{background:${OUTCOME_COLOURS.fail}}.fault{background:#ddd}
`
