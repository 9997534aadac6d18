/** What is left of a run when it is over: the parts of its result that are counted or judged from what it left. */
import type { CheckResult } from '../../checkers/result.ts'
import type { Buggify } from '../../faults/buggify.ts'
import type { FaultRecord } from '../../faults/fault-record.ts'
import type { Choice, Choices } from '../../kernel/choices.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { EventLog } from '../authoring/event-log.ts'
import { signatureOf, type Failure } from './failure.ts'
import { countOutcomes } from '../campaign/reasons.ts'
import type { CheckerCount, FaultCount, LogLine, OutcomeCount } from '../campaign/result.ts'

/** The failure of a replay that asked for other choices than the recorded ones; null where it did not. */
export function divergenceOf(kernel: Kernel, misfit: 'diverge' | 'bend' | undefined): Failure | null {
  const { choices } = kernel
  const unasked = misfit === 'bend' ? [] : choices.unasked().filter((choice) => !isMoot(choice))
  if (choices.diverged === null && unasked.length === 0) return null
  const identity = { category: 'divergence', title: 'replay' } as const
  return {
    ...identity,
    ...describeDivergence(choices, unasked, kernel.step),
    signature: signatureOf({ ...identity, message: '' }),
    timeUs: kernel.now,
    process: null,
    stack: null,
    details: null,
  }
}

/**
 * What a power loss leaves is only asked for where something was not synced. A program that syncs now is not asked any
 * more: that is how such a failure is fixed, and the recorded schedule fits it all the same.
 */
function isMoot({ entity, label }: Choice): boolean {
  return entity.startsWith('disk ') && label.endsWith(' survival')
}

function describeDivergence(
  { diverged }: Choices,
  unasked: readonly Choice[],
  lastStep: number,
): { readonly message: string; readonly step: number } {
  if (diverged !== null) return { message: diverged.message, step: diverged.step }
  const [first] = unasked as (Choice & { readonly step?: number })[]
  const step = first.step ?? lastStep
  const name = `${first.entity} ${first.label} #${first.index}`
  return { message: `choice ${name}, recorded at step ${step}, was never asked for`, step }
}

/** What processes printed. */
export function linesOf(events: EventLog): LogLine[] {
  const lines: LogLine[] = []
  for (const { name, timeUs, step, source, data } of events.entries()) {
    if (name === 'stdout' || name === 'stderr')
      lines.push({ timeUs, step, process: source, stream: name, text: String(data) })
  }
  return lines
}

/** Why operations did not succeed. */
export function outcomesIn(events: EventLog): OutcomeCount[] {
  const rows: OutcomeCount[] = []
  for (const { data } of events.named('operation')) {
    const { type, f, error } = data
    if (type === 'fail' || type === 'info') rows.push({ f, type, reason: reasonOf(error), times: 1 })
  }
  return countOutcomes(rows)
}

const LONGEST_REASON = 200

function reasonOf(error: unknown): string {
  const text = typeof error === 'string' ? error : (JSON.stringify(error) ?? String(error))
  return text.length > LONGEST_REASON ? `${text.slice(0, LONGEST_REASON - 1)}…` : text
}

export function checkerCount({ checker, verdict, checks, reason, scope }: CheckResult): CheckerCount {
  return { name: checker, verdict, checks, reason, operations: scope.operations, ignored: scope.ignored }
}

export function faultCounts(records: readonly FaultRecord[], buggify: Buggify): FaultCount[] {
  const counts = new Map<
    string,
    { injected: number; landed: number; victims: number; kinds?: Record<string, number> }
  >()
  for (const { family, victims, kind } of records) {
    let count = counts.get(family)
    if (count === undefined) counts.set(family, (count = { injected: 0, landed: 0, victims: 0 }))
    count.injected++
    count.victims += victims
    if (victims === 0) continue
    count.landed++
    if (kind !== undefined) (count.kinds ??= {})[kind] = (count.kinds[kind] ?? 0) + 1
  }
  const fired = buggify.counts().filter(({ victims }) => victims > 0)
  return [
    ...[...counts].map(([family, count]) => ({ family, ...count })),
    ...fired.map(({ family, victims }) => ({ family, injected: victims, landed: victims, victims })),
  ]
}
