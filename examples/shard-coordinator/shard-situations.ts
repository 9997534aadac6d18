/**
 * The situations of the coordinator: what a campaign must have brought about before its silence means something. They are
 * read from what the coordinator did, never from what a client believes.
 */
import { sometimes } from 'wavetank'
import type { Shard, Step } from './types.ts'

/** What a campaign should bring about, from what the coordinator did. */
export function situations({ command, result }: Step, shard: Shard | undefined): void {
  const { op } = command
  const { error } = result
  const late = error === 'lease-expired' || error === 'stale-fence'
  const scanned = shard !== undefined && shard.cursor !== null
  sometimes(op === 'complete' && error === undefined && scanned, 'a shard is scanned to its end')
  sometimes(op === 'checkpoint' && late, 'a lease ends during a scan')
  sometimes(op.startsWith('split-') && error === undefined && scanned, 'a shard is split during a scan')
  sometimes(error === 'lease-held', 'two workers want one shard')
  sometimes(result.replayed === true, 'an operation is answered from the log')
  sometimes(op === 'unpark' && error === undefined, 'a parked shard comes back')
  sometimes(
    op === 'split-residual' &&
      result.replayed === true &&
      !shard?.log.some(({ id }) => id === command.operation),
    'a split is repeated after the log has forgotten it',
  )
  sometimes(error === 'throttled', 'a claim is throttled')
  sometimes(error === 'none-available', 'a claim finds nothing')
  sometimes(error === 'operation-conflict', 'an id is used twice')
  sometimes(error === 'stale-fence', 'a worker with an old fence is refused')
  sometimes(error === 'not-owner', 'a worker with the fence of another is refused')
}
