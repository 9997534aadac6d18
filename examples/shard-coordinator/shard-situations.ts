/**
 * The situations of the coordinator: what a storm must have brought about before its silence means something. They are
 * read from what the coordinator did, never from what a client believes. The first eight are the usual templates for
 * workloads of leases; the rest are guards that must have been asked.
 */
import type { InvariantContext } from 'wavetank'
import { StormSituations } from '../storm-situations.ts'
import type { Shard, Step } from './types.ts'

const SITUATIONS = [
  'a shard is scanned to its end',
  'a lease ends during a scan',
  'a shard is split during a scan',
  'two workers want one shard',
  'an operation is answered from the log',
  'a parked shard comes back',
  'more than half of the servers start again within 3 s',
  'a lease is given while a link works in one direction only',
  'a split is repeated after the log has forgotten it',
  'a claim is throttled',
  'a claim finds nothing',
  'an id is used twice',
  'a worker with an old fence is refused',
  'a worker with the fence of another is refused',
] as const

const MASS_RESTART_MS = 3000

export class ShardSituations {
  private readonly situations = new StormSituations(SITUATIONS)
  private readonly servers = new Set<string>()
  /** When each server last started again. */
  private readonly boots = new Map<string, number>()
  private cuts = 0

  /** Faults and boots. */
  absorb({ events, nowMs }: InvariantContext): boolean {
    for (const { data } of events.fresh('fault')) {
      this.situations.fault()
      if (data.fault.family === 'one-way-cut') this.cuts += data.change === 'begin' ? 1 : -1
    }
    for (const { source, data } of events.fresh('process')) {
      if (data.change !== 'boot') continue
      this.servers.add(source)
      if (data.boot < 2) continue
      this.boots.set(source, nowMs)
      const together = [...this.boots.values()].filter((atMs) => nowMs - atMs < MASS_RESTART_MS).length
      this.situations.occurs(
        'more than half of the servers start again within 3 s',
        together > this.servers.size / 2,
      )
    }
    return true
  }

  /** What a command did, with the shard as it was before. */
  step({ command, result }: Step, shard: Shard | undefined): void {
    const { op } = command
    const { error } = result
    const { situations } = this
    const ok = error === undefined
    const late = error === 'lease-expired' || error === 'stale-fence'
    const scanned = shard !== undefined && shard.cursor !== null
    const remembered = shard?.log.some(({ id }) => id === command.operation) ?? false
    situations.occurs('a shard is scanned to its end', op === 'complete' && ok && scanned)
    situations.occurs('a lease ends during a scan', op === 'checkpoint' && late)
    situations.occurs('a shard is split during a scan', op.startsWith('split-') && ok && scanned)
    situations.occurs('two workers want one shard', error === 'lease-held')
    situations.occurs('an operation is answered from the log', result.replayed === true)
    situations.occurs('a parked shard comes back', op === 'unpark' && ok)
    situations.occurs(
      'a lease is given while a link works in one direction only',
      (op === 'claim' || op === 'acquire') && ok && this.cuts > 0,
    )
    situations.occurs(
      'a split is repeated after the log has forgotten it',
      op === 'split-residual' && result.replayed === true && !remembered,
    )
    situations.occurs('a claim is throttled', error === 'throttled')
    situations.occurs('a claim finds nothing', error === 'none-available')
    situations.occurs('an id is used twice', error === 'operation-conflict')
    situations.occurs('a worker with an old fence is refused', error === 'stale-fence')
    situations.occurs('a worker with the fence of another is refused', error === 'not-owner')
  }
}
