// @ts-check
/**
 * Every error that the coordinator knows, and no other. The class says what a worker does about it:
 *
 * - `retryable`: the same request, or another shard, may succeed later;
 * - `fatal`: this request never succeeds; the worker drops its lease;
 * - `escalation`: a person must look, because a limit is too low or a program sends nonsense.
 *
 * An error names no owner, no key and nothing of another tenant. Beside its message it has the fields in `details`, and
 * no others.
 */

/** @typedef {{ status: number, class: 'retryable' | 'fatal' | 'escalation', message: string, details?: readonly string[] }} ErrorKind */

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
  'lease-held': {
    status: 409,
    class: 'retryable',
    message: 'another lease is in force',
    details: ['retryAfterMs'],
  },
  'none-available': {
    status: 409,
    class: 'retryable',
    message: 'no shard is free',
    details: ['retryAfterMs'],
  },
  throttled: {
    status: 429,
    class: 'retryable',
    message: 'a worker waits between two claims',
    details: ['retryAfterMs'],
  },
  'stale-fence': {
    status: 409,
    class: 'fatal',
    message: 'the shard has had another lease since',
    details: ['presented', 'current'],
  },
  'lease-expired': {
    status: 409,
    class: 'fatal',
    message: 'the lease is over',
    details: ['deadlineMs', 'nowMs'],
  },
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
  'ranges-invalid': {
    status: 422,
    class: 'escalation',
    message: 'two ranges overlap, or one has no room for a key',
  },
  'split-invalid': { status: 422, class: 'escalation', message: 'the parts are not exactly the shard' },
  'finding-out-of-bounds': {
    status: 422,
    class: 'escalation',
    message: 'a finding lies outside the shard',
  },
  'resource-exhausted': { status: 429, class: 'escalation', message: 'a limit of shards is reached' },
}

const RUN = ['run-not-found', 'tenant-mismatch', 'run-terminal']
const ACTIVE = [...RUN, 'run-not-active']
const LEASE = [...ACTIVE, 'shard-not-found', 'shard-terminal', 'stale-fence', 'lease-expired', 'not-owner']
const ID = 'operation-conflict'
const CURSOR = [
  'cursor-missing-key',
  'cursor-key-too-large',
  'cursor-token-too-large',
  'cursor-regression',
  'cursor-out-of-bounds',
]

/** The errors of every command. A query has only the first two of `RUN`. @type {Readonly<Record<string, readonly string[]>>} */
export const ERRORS_OF = {
  'create-run': ['run-exists', ID],
  'register-shards': [...RUN, ID, 'run-registered', 'ranges-invalid', 'resource-exhausted'],
  'complete-run': [...ACTIVE, ID, 'run-unfinished'],
  'fail-run': [...ACTIVE, ID],
  'cancel-run': [...RUN, ID],
  unpark: [...ACTIVE, ID, 'shard-not-found', 'not-parked'],
  claim: [...ACTIVE, 'throttled', 'none-available'],
  acquire: [...ACTIVE, 'shard-not-found', 'shard-terminal', 'lease-held'],
  renew: LEASE,
  record: [...LEASE, 'finding-out-of-bounds'],
  checkpoint: [...LEASE, ID, ...CURSOR],
  complete: [...LEASE, ID, ...CURSOR],
  park: [...LEASE, ID],
  'split-replace': [...LEASE, ID, 'split-invalid', 'resource-exhausted'],
  'split-residual': [...LEASE, ID, 'split-invalid', 'resource-exhausted'],
}
