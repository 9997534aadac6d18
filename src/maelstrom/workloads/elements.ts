/**
 * broadcast and g-set: elements that were added stay, and reach every node. Judged as Jepsen's set-full, with what that
 * misses: duplicates inside a read, elements that no client added, and final reads compared node by node.
 */
import { broadcast as checkBroadcast } from '../../checkers/objects/broadcast.ts'
import { setFull, type SetFullDetails, type StaleElement } from '../../checkers/objects/set-full.ts'
import type { CheckResult } from '../../checkers/result.ts'
import { OK, type History } from '../../history/history.ts'
import type { Operation } from '../../history/operation.ts'
import { keyText } from '../../history/value.ts'
import { topology } from '../network/topologies.ts'
import type { Decisions } from '../decisions.ts'
import { BROADCAST, G_SET } from '../protocol/rpcs.ts'
import { completion, invocation } from './events.ts'
import { findings, latencies, strictly, validity } from './judgement.ts'
import {
  finalReads,
  NOTHING_IDEMPOTENT,
  type Generator,
  type Workload,
  type WorkloadResult,
} from './workload.ts'

export const broadcast: Workload = {
  rpcs: BROADCAST,
  idempotent: new Set(['read']),
  open: async ({ rpc }, settings) => {
    await rpc({ type: 'topology', topology: topology(settings.topology, settings.nodes) })
  },
  generator: (_, decisions) => addsAndReads('broadcast', decisions),
  finals: finalReads,
  async invoke({ rpc }, { f, value }) {
    if (f === 'read') return (await rpc({ type: 'read' })).messages
    await rpc({ type: 'broadcast', message: value })
    return value
  },
  check: (history, { strict }) => judged(checkBroadcast(history), history, strict),
}

export const gSet: Workload = {
  rpcs: G_SET,
  idempotent: NOTHING_IDEMPOTENT,
  generator: (_, decisions) => addsAndReads('add', decisions),
  finals: finalReads,
  async invoke({ rpc }, { f, value }) {
    if (f === 'read') return (await rpc({ type: 'read' })).value
    await rpc({ type: 'add', element: value })
    return value
  },
  check: (history, { strict }) => judged(setFull(history), history, strict),
}

function addsAndReads(add: string, decisions: Decisions): Generator {
  let next = 0
  return () =>
    decisions.below(2, 'generator') === 0 ? { f: add, value: next++ } : { f: 'read', value: null }
}

function judged(result: CheckResult<SetFullDetails>, history: History, strict: boolean): WorkloadResult {
  const { attempted = 0, stable = 0, lost = [], stale = [], neverRead = [], counts = {} } = result.details
  const { stableLatenciesMs, lostLatenciesMs } = result.details
  const duplicates = duplicated(history)
  const upstream = lost.length > 0 ? false : stable === 0 ? 'unknown' : true
  const why =
    'Maelstrom does not compare the final reads of the nodes, and finds no duplicates and no unexpected elements'
  return {
    ...strictly(strict, validity(result), upstream, why),
    'attempt-count': attempted,
    'stable-count': stable,
    'lost-count': lost.length,
    lost,
    'stale-count': stale.length,
    stale,
    'worst-stale': worstStale(result.details.worstStale ?? [], history),
    'never-read-count': neverRead.length,
    'never-read': neverRead,
    'duplicated-count': duplicates.size,
    duplicated: Object.fromEntries(duplicates),
    'unexpected-count': counts.unexpected ?? 0,
    'missing-on-replica-count': counts['missing-on-replica'] ?? 0,
    ...(stableLatenciesMs ? { 'stable-latencies': latencies(stableLatenciesMs) } : {}),
    ...(lostLatenciesMs ? { 'lost-latencies': latencies(lostLatenciesMs) } : {}),
    ...findings(result),
  }
}

/** Elements that one read had more than once: how often, at most. */
function duplicated(history: History): Map<string, number> {
  const most = new Map<string, number>()
  for (let i = 0; i < history.length; i++) {
    const elements = history.output[i]
    if (history.type[i] !== OK || !Array.isArray(elements)) continue
    const times = new Map<string, number>()
    for (const element of elements.map(keyText)) times.set(element, (times.get(element) ?? 0) + 1)
    for (const [element, count] of times)
      if (count > 1) most.set(element, Math.max(count, most.get(element) ?? 0))
  }
  return most
}

function worstStale(elements: readonly StaleElement[], history: History): unknown[] {
  const wanted = new Set(elements.flatMap(({ knownBy, lastAbsent }) => [knownBy, lastAbsent]))
  const operations = new Map<number, Operation>()
  history.id.forEach((id, position) => {
    if (wanted.has(id)) operations.set(id, history.operation(position))
  })
  return elements.map(({ element, latencyMs, knownBy, lastAbsent }) => {
    const known = completion(operations.get(knownBy)!)
    return {
      element,
      outcome: 'stable',
      'stable-latency': latencyMs,
      'lost-latency': null,
      known: known.f === 'broadcast' ? { ...known, f: 'add' } : known,
      'last-absent': invocation(operations.get(lastAbsent)!),
    }
  })
}
