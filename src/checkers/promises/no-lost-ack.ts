/**
 * Is everything that a client was told had happened still there at the end?
 *
 * A write (`add`, `append`, `write`, …) is acknowledged only by an ok: a time-out is no acknowledgement, and neither
 * is any other unknown outcome. The final reads (see {@link finalReads}) say what is there: a list of elements, a map
 * from key to value, or, where they read one key or writes have none, a value. A value must be of a write that no
 * acknowledged one can have replaced: one that began after it had ended. A read of one key says nothing about others.
 */
import { FAIL, OK, type History } from '../../history/history.ts'
import { keyText, sameValue, show, valueKey, type ValueKey } from '../../history/value.ts'
import { AnomalyCollector } from '../anomaly-collector.ts'
import { finalReads, ofKeyRead, type FinalRead } from '../final-reads.ts'
import { checkOptions, flag, named, type OptionSchema } from '../options.ts'
import { conclude, type CheckResult } from '../result.ts'
import { otherChanges, positionsByKey, positionsOf, REMOVALS, scopeOf, weakness } from '../scope.ts'

export interface NoLostAckOptions {
  readonly write?: string
  readonly read?: string
  /** True: an operation that does not say whether it timed out makes the history too weak. */
  readonly requireMarkers?: boolean
}

export const NO_LOST_ACK_OPTIONS: OptionSchema<NoLostAckOptions> = {
  write: named('writes', 'write'),
  read: named('reads the final state', 'read'),
  requireMarkers: flag('an operation that does not say whether it timed out makes the answer unknown'),
}

export interface NoLostAckDetails {
  readonly acknowledged: number
  /** Writes of unknown outcome. */
  readonly unknown: number
  readonly finalReads: number
  /** Anomalies found, by type; `anomalies` keeps the first few of each. */
  readonly counts: Readonly<Record<string, number>>
}

/** What else may replace what was written, or take it away. */
const CHANGES: readonly string[] = ['write', 'put', 'append', 'add', 'cas', 'txn', ...REMOVALS]

export function noLostAck(history: History, options: NoLostAckOptions = {}): CheckResult<NoLostAckDetails> {
  checkOptions('no-lost-ack', NO_LOST_ACK_OPTIONS, options)
  const { write = 'write', read = 'read', requireMarkers = false } = options
  const scope = scopeOf(history, [write, read])
  const weak =
    weakness(history, requireMarkers ? ['real-time', 'time-out-markers'] : ['real-time'], [write]) ??
    otherChanges(history, CHANGES, [write, read])
  const finals = finalReads(history, [write], read)
  if (weak !== null || finals.length === 0) {
    const doubt = weak ?? 'no read began after the last write had ended'
    return conclude({ checker: 'no-lost-ack', scope, checks: 0, anomalies: [], doubt })
  }
  const writes = positionsOf(history, write).filter((i) => history.type[i] !== FAIL)
  const isAcknowledged = (i: number) => history.type[i] === OK && history.timedOut[i] !== 1
  const acknowledged = writes.filter(isAcknowledged).length
  const byKey = positionsByKey(history, writes)
  const found = new AnomalyCollector()
  let checks = 0
  let unreadable: string | null = null
  for (const final of finals) {
    const { position, replica, key } = final
    const concerned = history.keys[key] === null ? writes : (byKey.get(key) ?? [])
    const before = concerned.filter(
      (i) => isAcknowledged(i) && history.completeIndex[i] < history.invokeIndex[position],
    )
    const missing = missingIn(history, final, before, concerned)
    if (missing === null) {
      unreadable ??= `the final read${ofKeyRead(history, final)} of ${replica} gave ${show(history.output[position])}, which is neither a list nor a map`
      continue
    }
    checks += before.length
    for (const i of missing) {
      const what = history.keys[history.key[i]] === null ? '' : ` to ${show(history.keys[history.key[i]])}`
      const message = () =>
        `${write} of ${show(history.input[i])}${what} was acknowledged; the final read of ${replica} lacks it`
      found.add('lost', [history.id[i], history.id[position]], message, { replica })
    }
  }
  const readKeys = new Set(finals.map(({ key }) => key))
  const isAllRead = finals.some(({ key }) => history.keys[key] === null)
  const unread = isAllRead
    ? undefined
    : [...byKey].find(([key, ofKey]) => !readKeys.has(key) && ofKey.some(isAcknowledged))
  const hidden =
    unread === undefined ? null : `no final read of key ${show(history.keys[unread[0]])} succeeded`
  return conclude({
    checker: 'no-lost-ack',
    scope,
    checks,
    anomalies: found.anomalies,
    doubt: unreadable ?? hidden,
    details: {
      acknowledged,
      unknown: writes.length - acknowledged,
      finalReads: finals.length,
      counts: found.counts,
    },
  })
}

/** Acknowledged writes that a final read lacks; null where what it gave cannot be understood. */
function missingIn(
  history: History,
  { position, key }: FinalRead,
  acknowledged: readonly number[],
  writes: readonly number[],
): readonly number[] | null {
  const output = history.output[position]
  const ofOne = history.keys[key] !== null || writes.every((i) => history.keys[history.key[i]] === null)
  const replaced = () => missingValues(history, acknowledged, writes, () => output)
  if (Array.isArray(output)) {
    const missing = missingElements(history, acknowledged, output)
    // The value of a register may be a list, too.
    return ofOne && missing.length > 0 && replaced().length === 0 ? [] : missing
  }
  if (ofOne) return replaced()
  if (typeof output !== 'object') return null
  const map = asRecord(output)
  return missingValues(history, acknowledged, writes, (name) => (Object.hasOwn(map, name) ? map[name] : null))
}

/** A map from key to value; empty where nothing was read. */
function asRecord(value: object | null): Readonly<Record<string, unknown>> {
  if (value instanceof Map)
    return Object.fromEntries([...value].map(([key, item]) => [keyText(key), item as unknown]))
  return Object(value) as Record<string, unknown>
}

function missingElements(history: History, writes: readonly number[], list: readonly unknown[]): number[] {
  const has = new Set<ValueKey>(list.map(valueKey))
  return writes.filter((i) => !has.has(valueKey(history.input[i])))
}

/** The acknowledged writes of each key that no other acknowledged one replaced, where what is there is of no such write. */
function missingValues(
  history: History,
  acknowledged: readonly number[],
  writes: readonly number[],
  valueOf: (key: string) => unknown,
): number[] {
  /** Per key, when the last acknowledged write began: what had ended by then was replaced. */
  const lastBegin = new Map<number, number>()
  for (const i of acknowledged) {
    const before = lastBegin.get(history.key[i]) ?? -1
    lastBegin.set(history.key[i], Math.max(before, history.invokeIndex[i]))
  }
  const isThere = new Set<number>()
  for (const i of writes) {
    const key = history.key[i]
    if (isThere.has(key) || history.endOf(i) < (lastBegin.get(key) ?? -1)) continue
    if (sameValue(valueOf(keyText(history.keys[key])) ?? null, history.input[i])) isThere.add(key)
  }
  return acknowledged.filter((i) => {
    const key = history.key[i]
    return !isThere.has(key) && history.endOf(i) >= lastBegin.get(key)!
  })
}
