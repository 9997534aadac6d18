/**
 * broadcast and g-set: elements that were added stay, and reach every node. Judged as Jepsen's set-full, with what that
 * misses: duplicates inside a read, elements that no client added, and final reads compared node by node.
 */
import { broadcast as checkBroadcast } from '../../checkers/objects/broadcast.ts'
import { setFull, type SetFullDetails } from '../../checkers/objects/set-full.ts'
import type { CheckResult } from '../../checkers/result.ts'
import { topology } from '../network/topologies.ts'
import type { Decisions } from '../decisions.ts'
import { BROADCAST, G_SET } from '../protocol/rpcs.ts'
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
  check: (history, { strict }) => judged(checkBroadcast(history), strict),
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
  check: (history, { strict }) => judged(setFull(history), strict),
}

function addsAndReads(add: string, decisions: Decisions): Generator {
  let next = 0
  return () =>
    decisions.below(2, 'generator') === 0 ? { f: add, value: next++ } : { f: 'read', value: null }
}

function judged(result: CheckResult<SetFullDetails>, strict: boolean): WorkloadResult {
  const { attempted = 0, stable = 0, lost = [], stale = [], neverRead = [], counts = {} } = result.details
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
    'never-read-count': neverRead.length,
    'never-read': neverRead,
    'duplicated-count': counts.duplicated ?? 0,
    'unexpected-count': counts.unexpected ?? 0,
    'missing-on-replica-count': counts['missing-on-replica'] ?? 0,
    'stable-latencies': latencies(result.details.stableLatenciesMs),
    'lost-latencies': latencies(result.details.lostLatenciesMs),
    ...findings(result),
  }
}
