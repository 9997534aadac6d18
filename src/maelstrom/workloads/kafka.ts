/**
 * kafka: logs by key. Clients send to keys and poll the keys they are assigned; now and then one is assigned other keys,
 * or crashes. At the end every thread begins with a new client, is assigned all keys from their beginning, and polls
 * until it has seen every offset that is known, so that what no client has seen is lost.
 */
import { kafka as checkKafka } from '../../checkers/kafka/index.ts'
import { shuffled, type Decisions } from '../decisions.ts'
import { KAFKA } from '../protocol/rpcs.ts'
import { findings, validity } from './judgement.ts'
import { invoke, positionsOf, progressOf, type Progress } from './kafka-client.ts'
import { worstRealtimeLag } from './kafka-lag.ts'
import { KeyPool } from './key-pool.ts'
import type { Generator, Request, Workload, WorkloadSettings } from './workload.ts'

/** One of this many requests is an assignment. */
const ASSIGN_ONE_IN = 64
/** Mean time between two crashes of clients. */
const CRASH_EVERY_SECONDS = 30
/** Keys of an assignment at most. */
const MOST_ASSIGNED = 16
/** Requests in a row that show nothing new, after which a thread gives up its last polls. */
const MOST_IN_VAIN = 16

const POLL: Request = { f: 'poll', value: [['poll']] }
const CRASH: Request = { f: 'crash', value: null }

export const kafka: Workload = {
  rpcs: KAFKA,
  idempotent: new Set(['assign']),
  generator,
  finals,
  invoke,
  check(history) {
    const result = checkKafka(history, { drained: true })
    const { counts = {}, tolerated = [] } = result.details
    const byType = Object.entries(counts).map(([type, count]) => [
      type,
      { count, errs: result.anomalies.filter((each) => each.type === type).map(({ message }) => message) },
    ])
    const bad = [...new Set(result.anomalies.map(({ type }) => type))].sort()
    return {
      'valid?': validity(result),
      'worst-realtime-lag': worstRealtimeLag(history),
      'bad-error-types': bad,
      'error-types': [...new Set([...bad, ...tolerated.map(({ type }) => type)])].sort(),
      'info-txn-causes': [],
      ...Object.fromEntries(byType),
      ...findings(result),
    }
  },
}

function generator(
  { keyCount, maxWritesPerKey, rate }: WorkloadSettings,
  decisions: Decisions,
  shared: Map<string, unknown>,
): Generator {
  const keys = new KeyPool(keyCount, maxWritesPerKey, decisions)
  const draw = (n: number): number => decisions.below(n, 'generator')
  const crashOneIn = Math.max(2, Math.round(CRASH_EVERY_SECONDS * rate))
  return ({ state }): Request => {
    if (draw(crashOneIn) === crashOneIn - 1) return CRASH
    if (positionsOf(state) === null || draw(ASSIGN_ONE_IN) === ASSIGN_ONE_IN - 1)
      return { f: 'assign', value: assignment(keys, progressOf(shared), decisions) }
    if (draw(2) === 1) return POLL
    const [key, value] = keys.write()
    return { f: 'send', value: [['send', String(key), value]] }
  }
}

/** Keys of which something was sent that no client has polled, or some that are in use. */
function assignment(keys: KeyPool, { sent, polled }: Progress, decisions: Decisions): string[] {
  const unseen = [...sent.keys()].filter((key) => sent.get(key)! > (polled.get(key) ?? -1))
  if (unseen.length > 0 && decisions.below(2, 'generator') === 0)
    return shuffled(decisions, unseen, 'generator').slice(0, MOST_ASSIGNED)
  const count = 1 + decisions.below(MOST_ASSIGNED, 'generator')
  return [...new Set(Array.from({ length: count }, () => String(keys.key())))]
}

/** A crash, an assignment of all keys from their beginning, and polls until all known offsets have been seen. */
function finals(shared: Map<string, unknown>): Generator {
  const { sent } = progressOf(shared)
  const ends = new Map<number, { reached: number; inVain: number }>()
  return ({ thread, state }) => {
    const end = ends.get(thread)
    if (end === undefined) {
      ends.set(thread, { reached: -1, inVain: 0 })
      return CRASH
    }
    const positions = positionsOf(state)
    const reached = [...(positions?.values() ?? [])].reduce((sum, next) => sum + next, 0)
    end.inVain = reached > end.reached ? 0 : end.inVain + 1
    end.reached = Math.max(end.reached, reached)
    if (end.inVain > MOST_IN_VAIN) return null
    if (positions === null) return { f: 'assign', value: [...sent.keys()], final: true }
    return [...sent].some(([key, offset]) => (positions.get(key) ?? 0) <= offset) ? POLL : null
  }
}
