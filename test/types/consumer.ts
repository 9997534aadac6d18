/** A user of every public subpath. It is compiled as it stands, as CommonJS and as ESM; it never runs. */
import {
  always,
  buggify,
  defineConfig,
  event,
  fail,
  LEVELS,
  simulate,
  simulation,
  type CampaignResult,
  type Config,
  type Events,
  type Failure,
  type FaultBudget,
  type Invariant,
  type LevelName,
  type Rate,
  type SimulateOptions,
  type WeatherChanges,
} from 'wavetank'
import { linearizable, models } from 'wavetank/checkers'
import { explore, type ExploreOptions } from 'wavetank/explore'
import { readHistory } from 'wavetank/history'
import { oneLeaderPerTerm } from 'wavetank/invariants'
import { createNode, type MaelstromNode } from 'wavetank/maelstrom'
import { race as nodeRace, simulationTest as nodeSimulationTest } from 'wavetank/node-test'
import { race, simulationTest } from 'wavetank/vitest'
import { register, zipf } from 'wavetank/workloads'

const rate: Rate = { everyMs: 1000, chance: 0.5, durationMs: [100, 200] }
const storm: WeatherChanges = {
  families: { pause: rate, reset: null },
  links: { loss: 0.01 },
  attrition: { wipe: 0 },
}
const budget: FaultBudget = { dead: 'minority' }
const holds: Invariant = ({ events }) => answers(events) >= 0

function answers(events: Events): number {
  let sum = 0
  for (const { data } of events.fresh('operation')) if (data.type === 'ok') sum += data.id
  return sum + events.all('mine').length + (events.last('stdout')?.data.length ?? 0)
}

export default simulation('bank', {
  processes: {
    bank: {
      entry: './server.js',
      count: [1, 3],
      env: ({ peers }) => ({ PEERS: peers.join() }),
      onExit: 'restart',
    },
    other: { run: (identity, node) => void node.require(identity.name) },
  },
  workload: {
    open: ({ client }) => ({ number: client }),
    async run({ operation, rng, state, level, hosts }) {
      const name: LevelName = level
      const outcome = await operation('get', () => (rng.chance(0.5) ? state.number : fail('refused')))
      if (outcome.type === 'ok') always(outcome.value + 1 > 0, name)
      await operation('put', { key: 'a', input: 1, timeoutVirtualMs: 500 }, () => {
        if (buggify('slow', 0.1)) throw fail('not now')
        event('mine', hosts.bank)
      })
    },
    check: ({ history, events }) => {
      always(answers(events) >= 0, 'positive')
      return linearizable(history, models.register(), { timeoutWallMs: 1_000 })
    },
  },
  invariants: { holds },
  budget,
  levels: { stormy: storm },
  addons: ['bcrypt'],
  externals: { sqlite: './stub.js' },
  limits: { virtualMs: 60_000, settleVirtualMs: 1_000 },
})

export const config: Config = defineConfig({ level: 'stormy', seeds: LEVELS.stormy.seeds })

export async function campaign(options: SimulateOptions): Promise<Failure | undefined> {
  await readHistory('history.edn')
  const result: CampaignResult = await simulate('./bank.sim.js', { firstSeed: 3, seeds: 2, ...options })
  return result.failures[0]?.failure
}

const options: ExploreOptions = { iterations: 3 }
void explore(async (t) => t.assert(true, 'holds'), options)
race('a race', async (t) => t.assert(true, 'holds'))
nodeRace('a race', async (t) => t.assert(true, 'holds'))
simulationTest('a campaign', './bank.sim.js', { seed: 42, timeoutWallMs: 1_000 })
nodeSimulationTest('a campaign', './bank.sim.js', { allowGaps: true })

export const kv = simulation('kv', {
  processes: { kv: { entry: './server.js' } },
  workload: register<string>({
    connect: ({ hosts }) => `http://${hosts.kv[0]}/`,
    read: async (url, key) => (await fetch(`${url}${key}`)).json(),
    write: async (url, key, value) =>
      void (await fetch(`${url}${key}`, { method: 'PUT', body: String(value) })),
    keys: zipf(20),
  }),
  invariants: {
    'one leader per term': oneLeaderPerTerm({
      event: 'elected',
      read: (data: { term: number; leader: string }) => data,
    }),
  },
})

export const node: MaelstromNode = createNode()
node.on('echo', ({ body }) => ({ ...body, type: 'echo_ok' }))
