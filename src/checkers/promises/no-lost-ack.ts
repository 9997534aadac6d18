/**
 * Is everything that a client was told had happened still there at the end?
 *
 * A write (`add`, `append`, `write`, …) is acknowledged only by an ok: a time-out is no acknowledgement, and neither
 * is any other unknown outcome. The final reads (see {@link finalReads}) say what is there: a list of elements, or a
 * map from key to value. With a map, the last acknowledged write of each key must be there, unless a write that was
 * concurrent with it, came later or is of unknown outcome may have replaced it.
 */
import { FAIL, OK, type History } from '../../history/history.ts'
import { keyText, show, valueKey, type ValueKey } from '../../history/value.ts'
import { AnomalyCollector } from '../anomaly-collector.ts'
import { finalReads } from '../final-reads.ts'
import { checkOptions, flag, named, type OptionSchema } from '../options.ts'
import { conclude, type CheckResult } from '../result.ts'
import { positionsOf, scopeOf, weakness } from '../scope.ts'

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

export function noLostAck(history: History, options: NoLostAckOptions = {}): CheckResult<NoLostAckDetails> {
  checkOptions('no-lost-ack', NO_LOST_ACK_OPTIONS, options)
  const { write = 'write', read = 'read', requireMarkers = false } = options
  const scope = scopeOf(history, [write, read])
  const weak = weakness(history, requireMarkers ? ['real-time', 'time-out-markers'] : ['real-time'], [write])
  const finals = finalReads(history, [write], read)
  if (weak !== null || finals.length === 0) {
    const doubt = weak ?? 'no read began after the last write had ended'
    return conclude({ checker: 'no-lost-ack', scope, checks: 0, anomalies: [], doubt })
  }
  const writes = positionsOf(history, write).filter((i) => history.type[i] !== FAIL)
  const acknowledged = writes.filter((i) => history.type[i] === OK && history.timedOut[i] !== 1)
  const found = new AnomalyCollector()
  let checks = 0
  for (const { position, replica } of finals) {
    const output = history.output[position]
    const before = acknowledged.filter((i) => history.completeIndex[i] < history.invokeIndex[position])
    const missing = Array.isArray(output)
      ? missingElements(history, before, output)
      : missingValues(history, before, writes, Object(output) as Record<string, unknown>)
    checks += before.length
    for (const i of missing) {
      const what = history.keys[history.key[i]] === null ? '' : ` to ${show(history.keys[history.key[i]])}`
      const message = () =>
        `${write} of ${show(history.input[i])}${what} was acknowledged; the final read of ${replica} lacks it`
      found.add('lost', [history.id[i], history.id[position]], message, { replica })
    }
  }
  return conclude({
    checker: 'no-lost-ack',
    scope,
    checks,
    anomalies: found.anomalies,
    details: {
      acknowledged: acknowledged.length,
      unknown: writes.length - acknowledged.length,
      finalReads: finals.length,
      counts: found.counts,
    },
  })
}

function missingElements(history: History, writes: readonly number[], list: readonly unknown[]): number[] {
  const has = new Set<ValueKey>(list.map(valueKey))
  return writes.filter((i) => !has.has(valueKey(history.input[i])))
}

/** Per key, the acknowledged write that nothing can have replaced and that is not there. */
function missingValues(
  history: History,
  acknowledged: readonly number[],
  writes: readonly number[],
  map: Record<string, unknown>,
): number[] {
  const lastBegin = new Map<number, number>()
  const unknown = new Map<number, Set<ValueKey>>()
  for (const i of writes) {
    const key = history.key[i]
    lastBegin.set(key, Math.max(lastBegin.get(key) ?? -1, history.invokeIndex[i]))
  }
  // What may be there instead: any write that did not end before the acknowledged one began.
  const missing: number[] = []
  for (const i of acknowledged) {
    const key = history.key[i]
    if (history.completeIndex[i] < (lastBegin.get(key) ?? -1)) continue
    let possible = unknown.get(key)
    if (possible === undefined) {
      possible = new Set(
        writes
          .filter((w) => history.key[w] === key && history.endOf(w) > history.invokeIndex[i])
          .map((w) => valueKey(history.input[w])),
      )
      unknown.set(key, possible)
    }
    const name = keyText(history.keys[key])
    const there = Object.hasOwn(map, name) ? valueKey(map[name]) : undefined
    if (there === undefined || !possible.has(there)) missing.push(i)
  }
  return missing
}
