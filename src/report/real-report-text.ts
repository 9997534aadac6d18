/**
 * The JEPSEN REPORT of a real test: what was asked, what was answered, what was done to the system with the evidence
 * that it landed, and how to run it again. A pure function of the result.
 */
import type { PublishedEvent } from '../sim/authoring/event-log.ts'
import type { CheckResult } from '../checkers/result.ts'
import type { OperationEvent } from '../sim/authoring/operations.ts'
import type { RealFaultRecord } from '../real/nemeses/nemesis.ts'
import type { Percentiles } from '../real/running/load.ts'
import type { RealResult } from '../real/running/result.ts'
import { PLAIN, type Paint } from './form/paint.ts'
import { printable } from './form/printable.ts'

const MOST_FAULTS = 12
const MOST_ANOMALIES = 5
const LINES_BEFORE = 6
const WIDTH = 110
const LONGEST = 500

export interface RealReport {
  readonly result: RealResult
  /** Operations and faults, for the failing excerpt. */
  readonly events: readonly Omit<PublishedEvent, 'seq'>[]
  /** The command that runs it again. */
  readonly again: string
  /** The folder of the results; null if nothing was stored. */
  readonly folder: string | null
}

export function realReportText({ result, events, again, folder }: RealReport, paint: Paint = PLAIN): string {
  const { name, nodes, durationS, nemeses, concurrency, verdict } = result
  const [ok, fail, info] = (['ok', 'fail', 'info'] as const).map((type) =>
    result.operations.reduce((sum, counts) => sum + counts[type], 0),
  )
  const words = {
    held: paint.good('PASS'),
    violated: paint.bad('FAIL'),
    unknown: paint.warn('UNKNOWN'),
  }
  return [
    paint.bold('JEPSEN REPORT'),
    `  workload      ${name}`,
    `  nodes         ${nodes.length} (${nodes.join(', ')})`,
    `  duration      ${durationS.toFixed(1)} s, ${result.timeLimitS} s of them with faults`,
    `  operations    ${ok + fail + info} (${ok} ok, ${fail} fail, ${info} info)`,
    ...result.operations.map((each) => `                ${operationLine(each)}`),
    `  nemesis       ${nemeses.length === 0 ? 'none' : nemeses.join(', ')}`,
    `  concurrency   ${concurrency}`,
    ...loadLines(result, paint),
    `  result        ${words[verdict]}`,
    ...result.doubts
      .slice(0, MOST_ANOMALIES)
      .map((doubt) => `                ${paint.warn(printable(doubt, LONGEST))}`),
    ...linearizableLines(result, paint),
    ...checkLines(result, paint),
    ...invariantLines(result, paint),
    ...faultLines(result.faults, paint),
    ...failureLines(result, events, paint),
    `  again         ${again}`,
    ...(folder === null ? [] : [`  results       ${folder}`]),
    '',
  ].join('\n')
}

function operationLine({ f, ok, fail, info }: RealResult['operations'][number]): string {
  return `${f.padEnd(12)} ${ok} ok, ${fail} fail, ${info} info`
}

/** How fast it was, from the moment at which turns were due: what waits for a busy client is late as well. */
function loadLines({ load, rate, timeLimitS }: RealResult, paint: Paint): string[] {
  const { loop, turns, notBegun, fromDueMs, fromBeginMs } = load
  const asked = loop === 'open' ? `open loop, ${rate} turns per second asked` : 'closed loop'
  const reached = `${((turns - notBegun) / timeLimitS).toFixed(0)} per second begun`
  const missed = notBegun === 0 ? '' : paint.warn(`, ${notBegun} found no free client`)
  const lines = [`  load          ${asked}, ${reached}${missed}`]
  if (fromDueMs !== null)
    lines.push(`  latency       ${percentilesText(fromDueMs)}${loop === 'open' ? ', from the time due' : ''}`)
  if (loop === 'open' && fromBeginMs !== null)
    lines.push(`                ${percentilesText(fromBeginMs)}, from the time begun`)
  return lines
}

function percentilesText({ p50, p95, p99, most }: Percentiles): string {
  const ms = (value: number): string => `${value < 10 ? value.toFixed(1) : value.toFixed(0)} ms`
  return `p50 ${ms(p50)}, p95 ${ms(p95)}, p99 ${ms(p99)}, longest ${ms(most)}`
}

/** Whether the history is linearizable, which is what people look for first. */
function linearizableLines({ checks }: RealResult, paint: Paint): string[] {
  const asked = checks.filter(isLinearizability)
  if (asked.length === 0) return ['  linearizable  not checked: no checker of this workload asks for it']
  return asked.flatMap((check) => checkText('linearizable', check, paint))
}

function checkLines({ checks }: RealResult, paint: Paint): string[] {
  return checks
    .filter((check) => !isLinearizability(check))
    .flatMap((check) => checkText('checker', check, paint))
}

function isLinearizability({ checker }: CheckResult): boolean {
  return checker.startsWith('linearizable')
}

function checkText(label: string, check: CheckResult, paint: Paint): string[] {
  const { checker, verdict, checks, anomalies, reason, method } = check
  const colour = { valid: paint.good, invalid: paint.bad, unknown: paint.warn }[verdict]
  const how = method === null ? '' : ` by ${method}`
  const why = reason === null ? '' : `; ${printable(reason, LONGEST)}`
  return [
    `  ${label.padEnd(13)} ${colour(verdict)} history, ${checks} checks, checker: ${checker}${how}${why}`,
    `  anomalies     ${anomalies.length === 0 ? 'none' : anomalies.length}`,
    ...anomalies
      .slice(0, MOST_ANOMALIES)
      .map(({ type, message }) => `                ${paint.bad(type)}: ${printable(message, LONGEST)}`),
  ]
}

function invariantLines({ invariants }: RealResult, paint: Paint): string[] {
  if (invariants.length === 0) return []
  const rows = invariants.map(({ name, checks, status, reason }) => {
    const colour = { held: paint.good, violated: paint.bad, 'left out': paint.warn }[status]
    return `    ${colour(status.padEnd(9))} ${String(checks).padStart(7)} checks  ${name}${reason === null ? '' : `: ${printable(reason, LONGEST)}`}`
  })
  return ['  invariants', ...rows]
}

function faultLines(faults: readonly RealFaultRecord[], paint: Paint): string[] {
  if (faults.length === 0) return []
  const landed = faults.filter((fault) => fault.landed).length
  const rows = faults.slice(0, MOST_FAULTS).map(({ id, text, beginUs, endUs, victim, injector }) => {
    const span = `${(beginUs / 1e6).toFixed(1)}–${(endUs / 1e6).toFixed(1)} s`
    const seen = victim === null ? paint.warn(`DID NOT LAND (${injector})`) : victim
    return `    #${id} ${span}  ${paint.fault(text)}: ${seen}`
  })
  const more = faults.length - rows.length
  return [
    `  faults        ${faults.length}, of which ${landed} landed`,
    ...rows,
    ...(more > 0 ? [`    … and ${more} more in faults.jsonl`] : []),
  ]
}

function failureLines(
  { failures, checks, verdict }: RealResult,
  events: RealReport['events'],
  paint: Paint,
): string[] {
  if (failures.length === 0) return []
  const [first] = failures
  const proof = checks.find(({ verdict }) => verdict === 'invalid')?.anomalies[0]?.operations ?? []
  return [
    '  failures',
    ...failures.map(
      ({ category, title, message }) =>
        `    ${paint.bad(category)}: ${title}: ${printable(message, LONGEST)}`,
    ),
    ...(verdict === 'violated' ? ['  excerpt', ...excerpt(events, proof, first.timeUs)] : []),
  ]
}

/** The last operations and faults before the failure, or those that prove it, with an arrow at the last one. */
function excerpt(events: RealReport['events'], proof: readonly number[], failedUs: number): string[] {
  const isProof = ({ name, data }: (typeof events)[number]): boolean =>
    name === 'operation' && proof.includes((data as OperationEvent).id)
  const operations = events.filter((event) =>
    proof.length > 0 ? isProof(event) : event.name === 'operation' && event.timeUs <= failedUs,
  )
  const faults = events.filter(({ name, timeUs }) => name === 'real-fault' && timeUs <= failedUs)
  const chosen = [...operations.slice(-2 * LINES_BEFORE), ...faults.slice(-LINES_BEFORE)].sort(
    (a, b) => a.timeUs - b.timeUs || a.step - b.step,
  )
  const last = chosen.findLastIndex((event) => event.name === 'operation')
  return chosen.map((event, index) => {
    const line = eventLine(event)
    const short = printable(line, WIDTH)
    return index === last ? `    ${short}   ← VIOLATION` : `    ${short}`
  })
}

function eventLine({ timeUs, name, data }: RealReport['events'][number]): string {
  const time = `${(timeUs / 1e6).toFixed(3)} s`.padStart(10)
  if (name === 'real-fault') {
    const { change, fault } = data as { change: string; fault: RealFaultRecord }
    return `${time}  NEMESIS  ${change} ${fault.text}`
  }
  const { client, type, f, key, value, error } = data as OperationEvent
  const what = [key, value].filter((each) => each !== null).map((each) => JSON.stringify(each))
  const why = error === null ? '' : ` (${typeof error === 'string' ? error : JSON.stringify(error)})`
  return `${time}  ${String(client).padStart(7)}  :${type.padEnd(6)} ${f} ${what.join(' ')}${why}`
}
