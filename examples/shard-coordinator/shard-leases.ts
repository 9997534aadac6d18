/**
 * The leases of a shard as one copy of it would give them: every new lease has the next fence, and what its holder does
 * has the newest one. Time is not part of it: a lease may end at any moment. A history of `acquire`, `renew`, `record`
 * and `checkpoint` is linearizable by this model or the coordinator has two minds.
 */
import { ILLEGAL, type Model } from 'wavetank/checkers'
import type { Operation } from 'wavetank/history'

/** A shard begins with this one, and its first lease has the next. */
const FIRST_FENCE = 1

export const shardLeases: Model<number> = {
  name: 'leases with fences',
  functions: ['acquire', 'renew', 'record', 'checkpoint'],
  partition: 'key',
  anonymous: true,
  init: () => FIRST_FENCE,
  step: (fence, operation) =>
    operation.f === 'acquire' ? acquire(fence, operation) : held(fence, operation),
  readOnly: ({ f }) => f !== 'acquire',
}

/** Without an answer the lease has the next fence all the same. */
function acquire(fence: number, { type, output }: Operation): number | typeof ILLEGAL {
  const given = (output as { fence: number } | null)?.fence
  return type === 'info' || given === fence + 1 ? fence + 1 : ILLEGAL
}

function held(fence: number, { type, input }: Operation): number | typeof ILLEGAL {
  return type === 'info' || (input as { fence: number }).fence === fence ? fence : ILLEGAL
}
