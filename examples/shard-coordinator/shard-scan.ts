/**
 * The whole system as a simulation: coordinators, and workers that scan a data set while both are killed. The workload
 * only starts the run and ends it when every shard is done. Then what was found is compared with what was planted: nothing is missed, nothing is reported twice.
 */
import { always, type Invariant, type SimulationDefinition } from 'wavetank'
import { StormSituations } from '../storm-situations.ts'
import { CoordinatorClient } from './client.js'
import { keyOf, truthOf } from './dataset.js'
import { isIn } from './ranges.js'
import { API_PORT, CLUSTER, COOLDOWN_MS, coordinators, LEASE_MS } from './shard-processes.ts'
import { shardRules } from './shard-rules.ts'
import type { Cursor, Finding, Shard, Step } from './types.ts'

const DATA_SEED = 7
const RECORDS = 120
const TENANT = 'acme'
const RUN = 'scan'

const serversOf = (hosts: Readonly<Record<string, readonly string[]>>): string[] =>
  hosts.coordinator.map((host) => `${host}:${API_PORT}`)

function clientOf(hosts: Readonly<Record<string, readonly string[]>>): CoordinatorClient {
  return new CoordinatorClient({
    cluster: CLUSTER,
    servers: serversOf(hosts),
    tenant: TENANT,
    run: RUN,
    totalMs: 20_000,
  })
}

export interface ScanOptions {
  readonly mutant?: string
  /** Records of the data set. */
  readonly count?: number
}

export function shardScan({ mutant = '', count = RECORDS }: ScanOptions = {}): SimulationDefinition<null> {
  const data = { seed: DATA_SEED, count }
  const planted = truthOf(data)
  const passed = new PassedKeys(planted)
  return {
    processes: {
      coordinator: coordinators(mutant),
      worker: {
        entry: './worker.js',
        count: [2, 4],
        onExit: 'restart',
        args: ({ name, hosts }) => [
          CLUSTER,
          serversOf(hosts).join(),
          TENANT,
          RUN,
          name,
          '/data',
          String(data.seed),
          String(data.count),
        ],
        env: { WAVETANK_MUTANT: mutant },
      },
    },
    workload: {
      clients: 1,
      operations: 1,
      open: () => null,
      async run({ hosts, operation }) {
        await operation('start', async () => {
          const client = clientOf(hosts)
          await client.ask('create-run', {
            operation: 'create',
            leaseMs: 2 * LEASE_MS,
            cooldownMs: COOLDOWN_MS,
          })
          const shards = [
            { start: '', end: keyOf(count / 2) },
            { start: keyOf(count / 2), end: '' },
          ]
          await client.ask('register-shards', { operation: 'register', shards })
          for (;;) {
            const { active } = await client.ask('progress')
            if (active === 0) break
            await new Promise((resolve) => setTimeout(resolve, 200))
          }
          client.close()
        })
      },
      settled: async ({ hosts }) => {
        const client = clientOf(hosts)
        const { state, active } = await client.ask('progress')
        if (active === 0 && state === 'active') await client.ask('complete-run', { operation: 'complete' })
        client.close()
        return state === 'done'
      },
      async check({ hosts }) {
        const client = clientOf(hosts)
        const { findings } = (await client.ask('findings')) as { findings: Finding[] }
        client.close()
        const found = findings.map(({ key }) => key).sort()
        const missed = planted.filter((key) => !found.includes(key))
        const wrong = found.filter((key, at) => !planted.includes(key) || found[at + 1] === key)
        always(missed.length === 0, 'nothing is missed', { missed })
        always(wrong.length === 0, 'nothing is reported twice, or without being there', { wrong })
      },
    },
    invariants: {
      ...shardRules((step, shard) => passed.step(step, shard)),
      [FINDINGS_FIRST]: () => passed.broken ?? true,
      'situations are counted': workerSituations(),
    },
    budget: { dead: 'minority' },
    levels: { stormy: { families: { reboot: { everyMs: 400, chance: 0.8, durationMs: [50, 2000] } } } },
  }
}

export const FINDINGS_FIRST = 'findings are recorded before the cursor passes them'

/** What was planted behind a cursor, or in a shard that is done, is in the ledger: a crash at this moment loses nothing. */
class PassedKeys {
  broken: string | null = null
  private readonly planted: readonly string[]
  private readonly found = new Set<string>()

  constructor(planted: readonly string[]) {
    this.planted = planted
  }

  step({ command, result, findings }: Step, shard: Shard | undefined): void {
    for (const { key } of findings) this.found.add(key)
    const { op, cursor } = command
    const moves = (op === 'checkpoint' || op === 'complete') && result.error === undefined
    if (!moves || shard === undefined) return
    const isPassed = (key: string): boolean =>
      isIn(shard, key) && (op === 'complete' || key <= (cursor as Cursor).key)
    const missing = this.planted.filter((key) => isPassed(key) && !this.found.has(key))
    if (missing.length > 0)
      this.broken ??= `${op} of ${shard.id} by ${command.worker} passes ${missing.join(', ')}`
  }
}

const MASS_RESTART_MS = 3000

/** What a storm must bring about among workers. */
function workerSituations(): Invariant {
  const situations = new StormSituations(['a worker starts again', 'most workers start again within 3 s'])
  const boots = new Map<string, number>()
  return ({ events, nowMs }) => {
    for (const _ of events.fresh('fault')) situations.fault()
    for (const { data, source } of events.fresh('process')) {
      if (data.change !== 'boot' || !source.startsWith('worker')) continue
      boots.set(source, data.boot > 1 ? nowMs : -Infinity)
      situations.occurs('a worker starts again', data.boot > 1)
      const together = [...boots.values()].filter((atMs) => nowMs - atMs < MASS_RESTART_MS).length
      situations.occurs('most workers start again within 3 s', together > boots.size / 2)
    }
    return true
  }
}
