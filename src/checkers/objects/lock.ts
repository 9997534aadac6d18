/**
 * Does at most one client hold a lock at a time, and do its fencing tokens only grow?
 *
 * `acquire` and `release` work on the operation's key, one lock per key. A client *certainly* holds a lock from the
 * completion of its acquire to the beginning of its release, whatever came of that release: an unknown one may have
 * let go at once, a failed one may mean that it had lost the lock. As an unknown release may also happen later, and then
 * ends a newer hold, nothing that this client acquires afterwards is certain, unless releases name a fencing token. An acquire of unknown outcome proves nothing. With a lease (`ttlUs`) the certain holding also ends
 * that long after the acquire began; `renew` begins it anew. Two certain holdings that overlap break exclusion.
 *
 * A fencing token is the acquire's output when it is a number, or its `fence` or `token`. A later acquire must get a
 * larger one. An operation that uses a token (`guarded`: input with `fence` or `token`) and succeeds must not do so
 * after one with a larger token had already succeeded.
 */
import { INFO, NEVER, OK, type History } from '../../history/history.ts'
import { show } from '../../history/value.ts'
import { AnomalyCollector } from '../anomaly-collector.ts'
import { checkOptions, flag, limit, named, names, type OptionSchema } from '../options.ts'
import { conclude, type CheckResult } from '../result.ts'
import { scopeOf, weakness } from '../scope.ts'

export interface LockOptions {
  readonly acquire?: string
  readonly release?: string
  readonly renew?: string
  /** Functions that use a fencing token. */
  readonly guarded?: readonly string[]
  /** How long a lease lasts, in microseconds. Absent: a lock is held until it is released. */
  readonly ttlUs?: number
  /** True: its holder may acquire a lock again; it then holds it until as many releases. */
  readonly reentrant?: boolean
}

export const LOCK_OPTIONS: OptionSchema<LockOptions> = {
  acquire: named('acquires a lock', 'acquire'),
  release: named('releases it', 'release'),
  renew: named('renews a lease', 'renew'),
  guarded: names('functions that use a fencing token; `write` by default'),
  ttlUs: limit('how long a lease lasts; without it a lock is held until it is released'),
  reentrant: flag('its holder may acquire a lock again, and then holds it until as many releases'),
}

export interface LockDetails {
  readonly locks: number
  readonly holdings: number
  readonly fences: number
  readonly guardedUses: number
  /** Anomalies found, by type; `anomalies` keeps the first few of each. */
  readonly counts: Readonly<Record<string, number>>
}

export function lock(history: History, options: LockOptions = {}): CheckResult<LockDetails> {
  checkOptions('lock', LOCK_OPTIONS, options)
  const { acquire = 'acquire', release = 'release', renew = 'renew', guarded = ['write'], ttlUs } = options
  const functions = [acquire, release, renew, ...guarded]
  const scope = scopeOf(history, functions)
  const checker = ttlUs === undefined ? 'lock' : 'lease'
  const needs =
    ttlUs === undefined
      ? (['real-time', 'processes'] as const)
      : (['real-time', 'processes', 'times'] as const)
  const weak = weakness(history, needs, functions)
  if (weak !== null) return conclude({ checker, scope, checks: 0, anomalies: [], doubt: weak })
  const found = new AnomalyCollector()
  const holdings = holdingsOf(history, options)
  for (const ofKey of holdings.values()) findOverlaps(history, ofKey, found)
  const fences = checkAcquiredFences(history, acquire, found)
  const uses = checkUsedFences(history, guarded, found)
  const count = [...holdings.values()].reduce((sum, ofKey) => sum + ofKey.length, 0)
  return conclude({
    checker,
    scope,
    checks: count + fences + uses,
    anomalies: found.anomalies,
    details: { locks: holdings.size, holdings: count, fences, guardedUses: uses, counts: found.counts },
  })
}

/** One client's certain hold on a lock; indexes of events, and times for leases. */
interface Holding {
  readonly position: number
  readonly process: number
  readonly from: number
  until: number
  readonly fromTime: number
  untilTime: number
  /** Acquires not yet released, for reentrant locks. */
  depth: number
}

function holdingsOf(history: History, options: LockOptions): Map<number, Holding[]> {
  const { acquire = 'acquire', release = 'release', renew = 'renew', ttlUs, reentrant = false } = options
  const byKey = new Map<number, Holding[]>()
  const held = new Map<string, Holding>()
  /** Clients and keys with a release that may still happen, and would then end whatever the client holds by then. */
  const doubtful = new Set<string>()
  const lease = (i: number) =>
    ttlUs === undefined ? Number.POSITIVE_INFINITY : history.invokeTime[i] + ttlUs
  for (const event of history.events()) {
    const i = Math.floor(event / 2)
    const completion = event % 2 === 1
    const f = history.functions[history.f[i]]
    const name = `${history.key[i]} ${history.process[i]}`
    const current = held.get(name)
    if (f === release && history.type[i] === INFO && fenceOf(history.input[i]) === null) doubtful.add(name)
    if (doubtful.has(name) && f === acquire) continue
    if (f === acquire && completion && history.type[i] === OK && granted(history.output[i])) {
      if (reentrant && current !== undefined) {
        current.depth++
        current.untilTime = Math.max(current.untilTime, lease(i))
        continue
      }
      const holding: Holding = {
        position: i,
        process: history.process[i],
        from: history.completeIndex[i],
        until: NEVER,
        fromTime: history.completeTime[i],
        untilTime: lease(i),
        depth: 1,
      }
      held.set(name, holding)
      const ofKey = byKey.get(history.key[i])
      if (ofKey === undefined) byKey.set(history.key[i], [holding])
      else ofKey.push(holding)
    } else if (current === undefined) continue
    else if (f === renew && completion && history.type[i] === OK) {
      current.untilTime = Math.max(current.untilTime, lease(i))
    } else if (f === release && !completion && --current.depth === 0) {
      current.until = history.invokeIndex[i]
      held.delete(name)
    }
  }
  return byKey
}

/** An acquire that answered `false` found the lock held by another client. */
function granted(output: unknown): boolean {
  return output !== false
}

/** Holdings come in order of their beginning, so that one that has ended before a later one begins is done with. */
function findOverlaps(history: History, holdings: readonly Holding[], found: AnomalyCollector): void {
  let current: Holding[] = []
  for (const holding of holdings) {
    current = current.filter(
      ({ until, untilTime }) => until > holding.from && !(untilTime <= holding.fromTime),
    )
    for (const other of current) {
      const [first, second] = [other, holding].map(({ position }) => history.operation(position))
      const key = first.key === null ? 'the lock' : `lock ${show(first.key)}`
      const message = () =>
        first.process === second.process
          ? `process ${second.process} acquired ${key} again while it held it`
          : `process ${second.process} acquired ${key} while process ${first.process} held it`
      found.add('not-exclusive', [first.id, second.id], message)
    }
    if (current.length < MAX_CURRENT) current.push(holding)
  }
}

/** Holders of one lock at the same time that a new holder is compared with: a broken lock may have any number. */
const MAX_CURRENT = 8

function fenceOf(value: unknown): number | null {
  if (typeof value === 'number') return value
  const { fence, token } = Object(value) as { fence?: unknown; token?: unknown }
  return typeof fence === 'number' ? fence : typeof token === 'number' ? token : null
}

/** A token must be larger than all tokens of acquires that completed before this one began. */
function checkAcquiredFences(history: History, acquire: string, found: AnomalyCollector): number {
  return checkGrowth(history, [acquire], (i) => fenceOf(history.output[i]), {
    strict: true,
    report(before, i, largest, fence) {
      const how = largest === fence ? 'the same fencing token' : `the fencing token ${fence}`
      const message = () => `an acquire got ${how} after an earlier one had got ${largest}`
      found.add('fence-not-monotonic', [history.id[before], history.id[i]], message)
    },
  })
}

/** A used token may repeat, but may not succeed after a larger one has. */
function checkUsedFences(history: History, guarded: readonly string[], found: AnomalyCollector): number {
  const fence = (i: number) => (typeof history.input[i] === 'object' ? fenceOf(history.input[i]) : null)
  return checkGrowth(history, guarded, fence, {
    strict: false,
    report(before, i, largest, used) {
      const message = () =>
        `${history.operation(i).f} with fencing token ${used} succeeded after one with ${largest} had`
      found.add('stale-fence-accepted', [history.id[before], history.id[i]], message)
    },
  })
}

interface Growth {
  readonly strict: boolean
  report(before: number, i: number, largest: number, fence: number): void
}

function checkGrowth(
  history: History,
  functions: readonly string[],
  fenceAt: (i: number) => number | null,
  { strict, report }: Growth,
): number {
  /** Per key, the largest token of a completed operation and which one that was. */
  const largest = new Map<number, { fence: number; position: number }>()
  /** What was largest when an operation began. */
  const atStart = new Map<number, { fence: number; position: number }>()
  let checks = 0
  for (const event of history.events()) {
    const i = Math.floor(event / 2)
    if (history.type[i] !== OK || !functions.includes(history.functions[history.f[i]])) continue
    const known = largest.get(history.key[i])
    if (event % 2 === 0) {
      if (known !== undefined) atStart.set(i, known)
      continue
    }
    const fence = fenceAt(i)
    if (fence === null) continue
    checks++
    const before = atStart.get(i)
    if (before !== undefined && (strict ? fence <= before.fence : fence < before.fence)) {
      report(before.position, i, before.fence, fence)
    }
    if (known === undefined || fence > known.fence) largest.set(history.key[i], { fence, position: i })
  }
  return checks
}
