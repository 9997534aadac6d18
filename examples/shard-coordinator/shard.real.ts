/**
 * Nine tests of the coordinator on real processes, each about one promise, under the names that tests of this kind have
 * with Jepsen. All keep the rules of the simulation; most check something more at the end, against what was really
 * asked for or planted. `npm run real:all` runs them under the standard faults.
 *
 *     npx wavetank real test shard --workload crash-recovery --nemesis kill-random-node --nodes 3
 */
import { always, simulation, type CheckContext, type Simulation, type SimulationDefinition } from 'wavetank'
import { linearizable, type CheckResult } from 'wavetank/checkers'
import { RUN, clientOf, type WorkerState } from './shard-client.ts'
import { shardCluster } from './shard-cluster.ts'
import { shardLeases } from './shard-leases.ts'
import { shardScan } from './shard-scan.ts'
import { workloadOf, type Turns } from './shard-workload.ts'
import type { Finding, Shard } from './types.ts'

/** Records that the workers scan: 2,000 take some 10 s. */
const SCANNED = Number(process.env.SHARD_RECORDS ?? 2000)

type Check = (context: CheckContext) => void | CheckResult | Promise<void | CheckResult>

/** Clients for as long as the run lasts: shards are not used up where nothing is completed. */
function about(name: string, turns: Turns, check: Check): Simulation<WorkerState> {
  const { workload: _, ...definition }: SimulationDefinition<WorkerState> = shardCluster()
  const base = workloadOf(turns)
  return simulation(name, { ...definition, workload: { ...base, clients: [4, 6], check } })
}

/** Of shards, leases and fences. Other operations of the history have no part in it. */
const leases: Check = ({ history }) =>
  linearizable(
    history.filter((position) => shardLeases.functions!.includes(history.operation(position).f)),
    shardLeases,
  )

export const shardAcquisition = about('shard-acquisition', { acquire: 6, renew: 2, scan: 2 }, leases)

export const leaseExclusivity = about(
  'lease-exclusivity',
  { acquire: 4, renew: 3, impostor: 3, zombie: 3, scan: 3 },
  leases,
)

export const checkpointFence = about('checkpoint-fence', { acquire: 3, scan: 6, zombie: 5 }, leases)

export const splitCorrectness = about(
  'split-correctness',
  { claim: 4, residual: 4, replace: 3, nonsense: 2, forgotten: 1, scan: 3, complete: 1 },
  wholeKeySpace,
)

/** All ask for the same few shards, as often as they can. */
export const concurrentAcquisition = about('concurrent-acquisition', { acquire: 1 }, leases)

export const crashRecovery = about('crash-recovery', { acquire: 2, scan: 10 }, acknowledgedIsThere)

/** Workers scan a data set while the network is cut or processes stand still; then all is compared with what was planted. */
export const fullPartition = simulation('full-partition', shardScan({ count: SCANNED }))
export const asymmetricPartition = simulation('asymmetric-partition', shardScan({ count: SCANNED }))
export const processPause = simulation('process-pause', shardScan({ count: SCANNED }))

/** What is not split any more covers every key once. */
async function wholeKeySpace({ hosts }: CheckContext): Promise<void> {
  const client = clientOf(hosts, RUN, 20_000)
  const { shards } = (await client.ask('shards', { filter: 'all' })) as { shards: Shard[] }
  client.close()
  const leaves = shards.filter(({ state }) => state !== 'split').sort((a, b) => (a.start < b.start ? -1 : 1))
  const gaps = leaves.slice(1).filter(({ start }, at) => start !== leaves[at].end)
  always(gaps.length === 0, 'what is left of the shards covers the keys without gap or overlap', {
    gaps: gaps.map(({ start, end }) => `${start}..${end}`),
  })
}

/** What was acknowledged before a crash is there after it, and nothing is there that was not asked for. */
async function acknowledgedIsThere({ hosts, history }: CheckContext): Promise<CheckResult | void> {
  const client = clientOf(hosts, RUN, 20_000)
  const { findings } = (await client.ask('findings')) as { findings: Finding[] }
  client.close()
  const there = new Set(findings.map(({ key }) => key))
  const asked = new Set<string>()
  const lost: string[] = []
  for (let position = 0; position < history.length; position++) {
    const { f, type, input } = history.operation(position)
    if (f !== 'record') continue
    for (const key of (input as { keys: string[] }).keys) {
      asked.add(key)
      if (type === 'ok' && !there.has(key)) lost.push(key)
    }
  }
  const invented = [...there].filter((key) => !asked.has(key))
  always(lost.length === 0, 'a finding that was acknowledged is in the ledger', { lost })
  always(invented.length === 0, 'the ledger has no finding that was not asked for', { invented })
}
