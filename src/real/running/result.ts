/**
 * What a real test found, as versioned plain data: everything that the report says is in here. A run holds only if
 * something was checked, every checker says valid, no invariant is violated, and every fault that was asked for landed.
 */
import type { CheckResult } from '../../checkers/result.ts'
import type { EventLog } from '../../sim/authoring/event-log.ts'
import type { GapKind } from '../../sim/authoring/gap-kinds.ts'
import type { OperationCounts } from '../../sim/campaign/result.ts'
import type { FailureCategory } from '../../sim/running/failure.ts'
import { SCRIPT } from '../nemeses/scripted.ts'
import type { LoadResult } from './load.ts'
import type { RealFaultRecord } from '../nemeses/nemesis.ts'

export type RealVerdict = 'held' | 'violated' | 'unknown'

export interface RealFailure {
  readonly category: FailureCategory
  readonly title: string
  readonly message: string
  readonly timeUs: number
}

export interface RealInvariant {
  readonly name: string
  readonly checks: number
  /** `left out`: it needs what only the tank knows. */
  readonly status: 'held' | 'violated' | 'left out'
  readonly reason: string | null
}

export interface RealResult {
  readonly version: 1
  readonly name: string
  readonly file: string
  readonly seed: number
  readonly nodes: readonly string[]
  readonly concurrency: number
  readonly rate: number
  readonly timeLimitS: number
  readonly nemeses: readonly string[]
  readonly durationS: number
  readonly operations: readonly OperationCounts[]
  readonly load: LoadResult
  readonly checks: readonly CheckResult[]
  readonly invariants: readonly RealInvariant[]
  readonly faults: readonly RealFaultRecord[]
  readonly failures: readonly RealFailure[]
  /** Reasons why nothing can be said although nothing is violated. */
  readonly doubts: readonly string[]
  readonly verdict: RealVerdict
}

/** A kind of operation that was tried less often may have had bad luck. */
const MANY_TRIES = 30

/** Failures that say nothing about the system. */
const NO_VERDICT: ReadonlySet<FailureCategory> = new Set(['mistake', 'workload', 'unsupported'])

export function verdictOf({ failures, doubts }: Pick<RealResult, 'failures' | 'doubts'>): RealVerdict {
  if (failures.some(({ category }) => !NO_VERDICT.has(category))) return 'violated'
  return failures.length + doubts.length === 0 ? 'held' : 'unknown'
}

/** What keeps a run without a violation from being a pass. */
export function doubtsOf(
  result: Pick<RealResult, 'operations' | 'checks' | 'invariants' | 'faults' | 'nemeses'>,
  {
    okInTime,
    allowGaps = [],
  }: { readonly okInTime: number; readonly allowGaps?: readonly GapKind[] | undefined },
): string[] {
  const { operations, checks, invariants, faults, nemeses } = result
  const doubts: string[] = []
  if (operations.every(({ ok }) => ok === 0)) doubts.push('no operation succeeded')
  else if (okInTime === 0) doubts.push('nothing succeeded that clients began before the faults were undone')
  else if (!allowGaps.includes('no-success')) doubts.push(...operations.flatMap(unsuccessful))
  for (const { checker, verdict, reason } of checks)
    if (verdict === 'unknown') doubts.push(`${checker} is unknown: ${reason}`)
  if (
    checks.length === 0 &&
    !invariants.some(({ status, checks: times }) => status !== 'left out' && times > 0)
  )
    doubts.push('nothing was checked: there is no checker, and no invariant that a real cluster can check')
  for (const name of nemeses.filter((each) => each !== SCRIPT)) {
    const [plain] = name.split(':')
    const injected = faults.filter(({ nemesis }) => nemesis === name || nemesis.split(':')[0] === plain)
    if (injected.length === 0) doubts.push(`${name} found no moment or nothing to hit`)
  }
  for (const { id, text, landed } of faults) if (!landed) doubts.push(`fault #${id} (${text}) did not land`)
  return doubts
}

function unsuccessful({ f, ok, fail, info }: OperationCounts): string[] {
  if (ok > 0 || fail + info < MANY_TRIES) return []
  const how = `(${fail} failed, ${info} unknown; allowGaps: ['no-success'] accepts this)`
  return [`operation '${f}' never succeeded ${how}`]
}

/** Successes of what clients began before the faults were undone: final reads say nothing about that time. */
export function successesInTime(events: EventLog): number {
  const heal = events.named('phase').find(({ data }) => data === 'heal')?.seq ?? Infinity
  const operations = events.named('operation')
  const begun = new Set(
    operations.filter(({ seq, data }) => data.type === 'invoke' && seq < heal).map(({ data }) => data.id),
  )
  return operations.filter(({ data }) => data.type === 'ok' && begun.has(data.id)).length
}
