/** The cluster as a simulation, with a mutant or without: gossip.sim.ts, gossip.mutants.ts and false-deaths.ts declare it. */
import type { LevelName, SimulationDefinition, WeatherChanges } from 'wavetank'
import {
  deliversOnce,
  incarnationsAreOnesOwn,
  newsOverridesByTheRules,
  noDeathWithoutFault,
  spreadsInLogarithmicRounds,
} from './gossip-invariants.ts'
import { recoveryRules } from './gossip-recovery.ts'
import { gossipRules, INTERVAL_MS, tap } from './gossip-rules.ts'
import { workload } from './gossip-workload.ts'

/** A failure detector shows what it is worth when members are out of reach for longer than a suspicion lasts. */
const LONG: Partial<Record<LevelName, WeatherChanges>> = {
  stormy: {
    windowMs: [5_000, 20_000],
    families: {
      partition: { everyMs: 2_000, chance: 0.3, durationMs: [500, 15_000] },
      reboot: { everyMs: 1_000, chance: 0.3, durationMs: [50, 8_000] },
    },
    attrition: { scope: { process: 4, machine: 1, zone: 1 } },
  },
}

export interface ClusterOptions {
  readonly mutant?: string
  readonly lifeguard?: boolean
  /** Every start is a new member at the old address. */
  readonly freshIds?: boolean
  readonly levels?: Partial<Record<LevelName, WeatherChanges>>
}

export function gossipCluster({
  mutant = '',
  lifeguard = true,
  freshIds = false,
  levels = LONG,
}: ClusterOptions = {}): SimulationDefinition<null> {
  let members = 0
  return {
    processes: {
      member: {
        entry: './node.js',
        count: [3, 8],
        // Probes every 200 ms: accusations, refutations and deaths fit into a short storm.
        args: ({ name, host, hosts }) => {
          members = hosts.member.length
          const join = hosts.member.map((peer) => `${peer}:${tap.port}`).join(',')
          const switches = { interval: INTERVAL_MS, trace: 'on', lifeguard: lifeguard ? 'on' : 'off' }
          const more = { ...switches, 'fresh-id': freshIds ? 'on' : 'off' }
          return [
            '--id',
            name,
            '--host',
            host,
            '--join',
            join,
            ...Object.entries(more).flatMap(([option, value]) => [`--${option}`, String(value)]),
          ]
        },
        env: { WAVETANK_MUTANT: mutant },
        locality: ({ index }) => ({ zone: `zone${index % 2}` }),
      },
    },
    workload,
    taps: { gossip: tap },
    invariants: {
      ...gossipRules(lifeguard),
      'news overrides by the rules': newsOverridesByTheRules,
      'only a member raises its incarnation': incarnationsAreOnesOwn,
      'no death without a fault': noDeathWithoutFault,
      'a message is delivered once': deliversOnce,
      'messages spread in logarithmic rounds': spreadsInLogarithmicRounds(() => members),
      ...recoveryRules(() => members),
    },
    budget: { dead: 'all' },
    limits: { settleVirtualMs: 180_000 },
    levels,
  }
}
