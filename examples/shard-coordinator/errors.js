// @ts-check
/**
 * Every error that the coordinator knows, and no other. The class says what a worker does about it:
 *
 * - `retryable`: the same request, or another shard, may succeed later;
 * - `fatal`: this request never succeeds; the worker drops its lease;
 * - `escalation`: a person must look, because a limit is too low or a program sends nonsense.
 *
 * An error names no owner, no key and nothing of another tenant.
 */

/** @typedef {{ status: number, class: 'retryable' | 'fatal' | 'escalation', message: string }} ErrorKind */

/** @type {Readonly<Record<string, ErrorKind>>} */
export const ERRORS = {
  'run-not-found': { status: 404, class: 'fatal', message: 'there is no such run' },
  'run-exists': { status: 409, class: 'fatal', message: 'a run with this name exists' },
  'run-not-active': { status: 409, class: 'retryable', message: 'the run has no shards yet' },
  'run-registered': { status: 409, class: 'fatal', message: 'the run has its shards already' },
  'run-terminal': { status: 409, class: 'fatal', message: 'the run is over' },
  'run-unfinished': { status: 409, class: 'retryable', message: 'a shard of the run is not done' },
  'shard-not-found': { status: 404, class: 'fatal', message: 'the run has no such shard' },
  'tenant-mismatch': { status: 403, class: 'fatal', message: 'the run belongs to another tenant' },
  'lease-held': { status: 409, class: 'retryable', message: 'another lease is in force' },
  'none-available': { status: 409, class: 'retryable', message: 'no shard is free' },
  throttled: { status: 429, class: 'retryable', message: 'a worker waits between two claims' },
  'stale-fence': { status: 409, class: 'fatal', message: 'the shard has had another lease since' },
  'lease-expired': { status: 409, class: 'fatal', message: 'the lease is over' },
  'not-owner': { status: 409, class: 'fatal', message: 'the lease belongs to another worker' },
  'shard-terminal': { status: 409, class: 'fatal', message: 'the shard is done, split or parked' },
  'not-parked': { status: 409, class: 'fatal', message: 'the shard is not parked' },
  'operation-conflict': { status: 409, class: 'escalation', message: 'this id was used for something else' },
  'cursor-missing-key': { status: 422, class: 'escalation', message: 'a cursor has a key' },
  'cursor-key-too-large': { status: 422, class: 'escalation', message: 'the key of the cursor is too long' },
  'cursor-token-too-large': {
    status: 422,
    class: 'escalation',
    message: 'the token of the cursor is too long',
  },
  'cursor-regression': { status: 422, class: 'escalation', message: 'a cursor never goes back' },
  'cursor-out-of-bounds': { status: 422, class: 'escalation', message: 'the cursor is outside the shard' },
  'split-invalid': { status: 422, class: 'escalation', message: 'the parts are not exactly the shard' },
  'finding-out-of-bounds': {
    status: 422,
    class: 'escalation',
    message: 'a finding lies outside the shard',
  },
  'resource-exhausted': { status: 429, class: 'escalation', message: 'a limit of shards is reached' },
}
