/**
 * What goes in must come out: is every acknowledged element dequeued by the end, and nothing else, and no element
 * more often than it went in?
 *
 * The workload must drain the queue at the end: `drain` gives a list, and a dequeue that finds nothing says the same.
 * Order does not matter. Jepsen's `total-queue` counts every element that did not come out as lost. But what was
 * acknowledged after the queue was last seen empty may still be in it, and a dequeue of unknown outcome may have taken
 * an element that no client saw, so as many missing elements as there are such dequeues are only *possibly* lost: that is
 * unknown, not invalid. Where null was enqueued, a dequeue that gives null is such a dequeue: it may have found the queue
 * empty, or the null.
 */
import { FAIL, INFO, OK, type History } from '../../history/history.ts'
import { Interner, show } from '../../history/value.ts'
import { AnomalyCollector } from '../anomaly-collector.ts'
import { ofEachObject } from '../compose.ts'
import { checkOptions, named, type OptionSchema } from '../options.ts'
import { conclude, type CheckResult } from '../result.ts'
import { positionsOf, scopeOf } from '../scope.ts'

export interface TotalQueueOptions {
  readonly enqueue?: string
  readonly dequeue?: string
  readonly drain?: string
}

export const TOTAL_QUEUE_OPTIONS: OptionSchema<TotalQueueOptions> = {
  enqueue: named('puts an element in', 'enqueue'),
  dequeue: named('takes an element out', 'dequeue'),
  drain: named('takes out all that is left, as a list', 'drain'),
}

/** One element's counts. */
interface Tally {
  attempted: number
  acknowledged: number
  /** Of those, acknowledged before the queue was last emptied. */
  due: number
  failed: number
  dequeued: number
  readonly puts: number[]
  readonly takes: number[]
  /** When those that did not fail began, and when it came out. */
  readonly began: number[]
  readonly tookAt: number[]
}

export interface TotalQueueDetails {
  readonly attempted: number
  readonly acknowledged: number
  readonly ok: number
  /** Acknowledged and not seen to come out; the first 100. */
  readonly missing: readonly unknown[]
  readonly certainlyLost: number
  readonly recovered: readonly unknown[]
  readonly recoveredCount: number
  readonly unknownDequeues: number
  /** Anomalies found, by type; `anomalies` keeps the first few of each. */
  readonly counts: Readonly<Record<string, number>>
}

export function totalQueue(
  history: History,
  options: TotalQueueOptions = {},
): CheckResult<TotalQueueDetails> {
  checkOptions('total-queue', TOTAL_QUEUE_OPTIONS, options)
  const { enqueue = 'enqueue', dequeue = 'dequeue', drain = 'drain' } = options
  const functions = [enqueue, dequeue, drain]
  const several = ofEachObject(history, functions, (part) => totalQueue(part, options), 'total-queue')
  if (several !== null) return several
  const elements = new Interner()
  const tallies: Tally[] = []
  const tallyOf = (value: unknown): Tally =>
    (tallies[elements.number(value)] ??= {
      attempted: 0,
      acknowledged: 0,
      due: 0,
      failed: 0,
      dequeued: 0,
      puts: [],
      takes: [],
      began: [],
      tookAt: [],
    })
  let unknownTakes = 0
  let unknownDrains = 0
  const nulls = isNullEnqueued(history, enqueue)
  const emptied = lastEmptied(history, { dequeue: nulls ? null : dequeue, drain })
  for (let i = 0; i < history.length; i++) {
    const f = history.functions[history.f[i]]
    const type = history.type[i]
    if (f === enqueue) {
      const tally = tallyOf(history.input[i])
      tally.puts.push(history.id[i])
      if (type === FAIL) tally.failed++
      else {
        tally.attempted++
        tally.began.push(history.invokeIndex[i])
      }
      if (type !== OK) continue
      tally.acknowledged++
      if (history.completeIndex[i] < emptied) tally.due++
    } else if (f === dequeue || f === drain) {
      const isUnknown = type === INFO || (nulls && type === OK && history.output[i] === null)
      if (isUnknown && f === dequeue) unknownTakes++
      if (type === INFO && f === drain) unknownDrains++
      if (type !== OK || history.output[i] === null) continue
      const values = f === drain ? list(history.output[i]) : [history.output[i]]
      for (const value of values) {
        const tally = tallyOf(value)
        tally.dequeued++
        tally.takes.push(history.id[i])
        tally.tookAt.push(history.completeIndex[i])
      }
    }
  }
  return judge(history, elements, tallies, { unknownTakes, unknownDrains }, functions)
}

/** Whether an element came out, the first time or again, before it had begun to go in as often. */
function isTooEarly({ began, tookAt }: Tally): boolean {
  began.sort((a, b) => a - b)
  tookAt.sort((a, b) => a - b)
  return tookAt.some((took, i) => took < began[i])
}

/** Whether null may be inside: then a dequeue that gave null found it, or an empty queue. */
function isNullEnqueued(history: History, enqueue: string): boolean {
  return positionsOf(history, enqueue).some((i) => history.type[i] !== FAIL && history.input[i] === null)
}

/** Index at which the last operation began that found or left the queue empty; -1 without one. */
function lastEmptied(
  history: History,
  { dequeue, drain }: { dequeue: string | null; drain: string },
): number {
  const dequeues = dequeue === null ? [] : positionsOf(history, dequeue)
  const foundNothing = dequeues.filter((i) => history.output[i] === null)
  return [...foundNothing, ...positionsOf(history, drain)]
    .filter((i) => history.type[i] === OK)
    .reduce((last, i) => Math.max(last, history.invokeIndex[i]), -1)
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value]
}

function judge(
  history: History,
  elements: Interner,
  tallies: readonly Tally[],
  unknown: { unknownTakes: number; unknownDrains: number },
  functions: readonly string[],
): CheckResult<TotalQueueDetails> {
  const found = new AnomalyCollector()
  const missing: { value: unknown; tally: Tally }[] = []
  const recovered: unknown[] = []
  const totals = { attempted: 0, acknowledged: 0, ok: 0, missing: 0, due: 0 }
  tallies.forEach((tally, element) => {
    const value = elements.values[element]
    const { attempted, acknowledged, due, failed, dequeued, puts, takes } = tally
    totals.attempted += attempted
    totals.acknowledged += acknowledged
    totals.ok += Math.min(dequeued, attempted)
    if (dequeued > 0 && attempted === 0) {
      const type = failed > 0 ? 'failed-but-dequeued' : 'unexpected'
      const why = failed > 0 ? 'but enqueuing it failed' : 'which no client enqueued'
      found.add(type, [...puts, ...takes], () => `${show(value)} was dequeued, ${why}`)
    } else if (dequeued > attempted) {
      const message = () => `${show(value)} was dequeued ${dequeued} times and enqueued ${attempted} times`
      found.add('duplicated', [...puts, ...takes], message)
    } else if (history.realTime && isTooEarly(tally)) {
      const message = () => `${show(value)} was dequeued before a client began to enqueue it`
      found.add('unexpected', [...puts, ...takes], message)
    }
    if (dequeued > acknowledged && attempted > acknowledged) recovered.push(value)
    if (dequeued < acknowledged) {
      totals.missing += acknowledged - dequeued
      totals.due += Math.max(0, due - dequeued)
      missing.push({ value, tally })
    }
  })
  const { unknownTakes, unknownDrains } = unknown
  // Each unknown dequeue explains one missing element; an unknown drain may have taken any number.
  const certainlyLost = unknownDrains > 0 ? 0 : Math.max(0, totals.due - unknownTakes)
  if (certainlyLost > 0) {
    for (const { value, tally } of missing.filter(({ tally: { due, dequeued } }) => due > dequeued)) {
      const spare =
        unknownTakes > 0 ? ` (and ${unknownTakes} dequeues of unknown outcome cannot explain all)` : ''
      found.add('lost', tally.puts, () => `${show(value)} was acknowledged and never came out${spare}`)
    }
  }
  const unseen = totals.missing === 1 ? '1 acknowledged element' : `${totals.missing} acknowledged elements`
  const possibly =
    totals.due < totals.missing
      ? `${unseen} had not come out when the history ended; drain the queue`
      : `${unseen} never came out, but dequeues of unknown outcome may have taken ${totals.missing === 1 ? 'it' : 'them'}`
  return conclude({
    checker: 'total-queue',
    scope: scopeOf(history, functions),
    checks: tallies.filter(({ acknowledged, dequeued }) => acknowledged + dequeued > 0).length,
    anomalies: found.anomalies,
    doubt: totals.missing > 0 ? possibly : null,
    details: {
      attempted: totals.attempted,
      acknowledged: totals.acknowledged,
      ok: totals.ok,
      missing: missing.map(({ value }) => value).slice(0, 100),
      certainlyLost,
      recovered: recovered.slice(0, 100),
      recoveredCount: recovered.length,
      unknownDequeues: unknownTakes + unknownDrains,
      counts: found.counts,
    },
  })
}
