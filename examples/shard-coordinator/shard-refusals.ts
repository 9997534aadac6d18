/**
 * What a refusal must be: which error is due comes from the records as they were before the command, by the order of
 * checks that coordinator.js promises. Written a second time, from the promise and not from the code.
 */
import { ERRORS, ERRORS_OF } from './errors.js'
import type { Run, Shard, Step } from './types.ts'

/** Operations that only the holder of a lease may do. */
export const LEASED: ReadonlySet<string> = new Set([
  'renew',
  'record',
  'checkpoint',
  'complete',
  'park',
  'split-replace',
  'split-residual',
])

/** The checks that every operation of a lease has, in their order. The id of the operation comes before all of them. */
const ORDER = [
  'run-not-found',
  'tenant-mismatch',
  'run-terminal',
  'run-not-active',
  'shard-not-found',
  'shard-terminal',
  'stale-fence',
  'lease-expired',
  'not-owner',
] as const

/** The first check that an operation of a lease does not pass; null when it passes all. */
export function dueRefusal(
  { command, nowMs }: Step,
  run: Run | undefined,
  shard: Shard | undefined,
): string | null {
  const lease = shard?.lease ?? null
  const failed = {
    'run-not-found': run === undefined,
    'tenant-mismatch': run?.tenant !== command.tenant,
    'run-terminal': run?.state !== 'initializing' && run?.state !== 'active',
    'run-not-active': run?.state === 'initializing',
    'shard-not-found': shard === undefined,
    'shard-terminal': shard?.state !== 'active',
    'stale-fence': shard?.fence !== command.fence,
    'lease-expired': lease === null || nowMs >= lease.deadlineMs,
    'not-owner': lease?.owner !== command.worker,
  }
  return ORDER.find((error) => failed[error]) ?? null
}

/** What is wrong with the order of checks that led to this refusal; null when nothing is. */
export function orderProblem(step: Step, run: Run | undefined, shard: Shard | undefined): string | null {
  const { error } = step.result
  if (error === undefined || error === 'operation-conflict' || !LEASED.has(step.command.op)) return null
  const due = dueRefusal(step, run, shard)
  if (due === null)
    return (ORDER as readonly string[]).includes(error) ? `${error}, but nothing is wrong` : null
  return error === due ? null : `${error}, but ${due} comes first`
}

/** What a refusal has that its operation does not document; null when there is nothing. */
export function undocumented({ command: { op }, result }: Step): string | null {
  const { error, ...details } = result
  if (error === undefined) return null
  if (!ERRORS_OF[op].includes(error)) return `${error} is no error of ${op}`
  const extra = Object.keys(details).filter((name) => !(ERRORS[error].details ?? []).includes(name))
  return extra.length === 0 ? null : `${error} with ${extra.join(', ')}`
}
