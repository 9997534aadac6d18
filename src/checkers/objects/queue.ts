/**
 * Does a queue give out only what was put in, each no more often than it was put in?
 *
 * Order does not matter here (for that, `linearizable` with a FIFO model). Every enqueue that did not certainly fail
 * counts as possible from its invocation on; a dequeue must find one of them when it completes. A dequeue of unknown
 * outcome took at most an element that no client saw, which proves nothing. Follows Jepsen's `queue`.
 */
import { FAIL, OK, type History } from '../../history/history.ts'
import { Interner, show } from '../../history/value.ts'
import { AnomalyCollector } from '../anomaly-collector.ts'
import { ofEachObject } from '../compose.ts'
import { checkOptions, named, type OptionSchema } from '../options.ts'
import { conclude, type CheckResult } from '../result.ts'
import { scopeOf, weakness } from '../scope.ts'

export interface QueueOptions {
  readonly enqueue?: string
  readonly dequeue?: string
}

export const QUEUE_OPTIONS: OptionSchema<QueueOptions> = {
  enqueue: named('puts an element in', 'enqueue'),
  dequeue: named('takes an element out', 'dequeue'),
}

export interface QueueDetails {
  readonly dequeued: number
  /** Elements that may still be inside; the first 100. */
  readonly pending: readonly unknown[]
  readonly pendingCount: number
  /** Anomalies found, by type; `anomalies` keeps the first few of each. */
  readonly counts: Readonly<Record<string, number>>
}

export function queue(history: History, options: QueueOptions = {}): CheckResult<QueueDetails> {
  checkOptions('queue', QUEUE_OPTIONS, options)
  const { enqueue = 'enqueue', dequeue = 'dequeue' } = options
  const several = ofEachObject(history, [enqueue, dequeue], (part) => queue(part, options), 'queue')
  if (several !== null) return several
  const scope = scopeOf(history, [enqueue, dequeue])
  const weak = weakness(history, ['real-time'])
  if (weak !== null) return conclude({ checker: 'queue', scope, checks: 0, anomalies: [], doubt: weak })
  const puts = history.functionIndex(enqueue)
  const takes = history.functionIndex(dequeue)
  const elements = new Interner()
  const failed = new Map<number, number>()
  /** How often an element can still be taken. */
  const left: number[] = []
  const put = (i: number) => {
    const element = elements.number(history.input[i])
    left[element] = (left[element] ?? 0) + 1
  }
  // An enqueue without invocation may have begun before everything.
  for (let i = 0; i < history.length; i++) {
    if (history.f[i] !== puts) continue
    if (history.type[i] === FAIL) failed.set(elements.number(history.input[i]), history.id[i])
    else if (history.invokeIndex[i] < 0) put(i)
  }
  const found = new AnomalyCollector()
  let checks = 0
  /** Enqueues that succeeded: what they put in may still be inside. */
  let acknowledged = 0
  for (const event of history.events()) {
    const i = Math.floor(event / 2)
    const completion = event % 2 === 1
    if (!completion && history.f[i] === puts && history.type[i] !== FAIL) put(i)
    if (completion && history.f[i] === puts && history.type[i] === OK) acknowledged++
    if (!completion || history.f[i] !== takes || history.type[i] !== OK || history.output[i] === null)
      continue
    checks++
    const element = elements.number(history.output[i])
    const available = left[element] ?? 0
    if (available > 0) left[element] = available - 1
    else report(history, i, left[element] !== undefined, failed.get(element), found)
  }
  const pending = left.flatMap((count, element) =>
    Array.from({ length: count }, () => elements.values[element]),
  )
  return conclude({
    checker: 'queue',
    scope,
    checks: checks + acknowledged,
    anomalies: found.anomalies,
    details: {
      dequeued: checks,
      pending: pending.slice(0, 100),
      pendingCount: pending.length,
      counts: found.counts,
    },
  })
}

function report(
  history: History,
  i: number,
  wasThere: boolean,
  failed: number | undefined,
  found: AnomalyCollector,
): void {
  const value = show(history.output[i])
  if (wasThere) {
    found.add('duplicated', [history.id[i]], () => `${value} was dequeued more often than it was enqueued`)
  } else if (failed !== undefined) {
    found.add(
      'failed-but-dequeued',
      [failed, history.id[i]],
      () => `${value} was dequeued, but enqueuing it failed`,
    )
  } else {
    found.add(
      'unexpected',
      [history.id[i]],
      () => `${value} was dequeued before a client began to enqueue it`,
    )
  }
}
