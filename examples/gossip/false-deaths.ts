/**
 * How often a member that runs is held for dead when links fail in one direction only, with Lifeguard and without: two
 * simulations that differ in one switch. `npm run false-deaths` runs both over the same seeds and prints the table.
 */
import { LEVELS, simulation, sometimes, type FamilyName, type Invariant, type Simulation } from 'wavetank'
import { gossipCluster } from './gossip-cluster.ts'
import { lineOf } from './gossip-lines.ts'

export const DEATHS = 'a member that runs is held for dead'
export const BELIEFS = 'a member holds another that runs for dead'
export const ACCUSATIONS = 'a member that runs is suspected'

/** Every family off but one. Cuts are many and long: several at once, and longer than SWIM's suspicion. */
const ONE_WAY_CUTS = {
  swarm: false,
  windowMs: [20_000, 20_000] as const,
  families: {
    ...Object.fromEntries(
      (Object.keys(LEVELS.stormy.families) as FamilyName[]).map((family) => [family, null]),
    ),
    'one-way-cut': { everyMs: 500, chance: 0.9, durationMs: [1_000, 8_000] as const },
  },
}

/** No process ever ends here, so every death is false. A death counts once per incarnation, a belief once per observer. */
function countsDeaths(): Invariant {
  const deaths = new Set<string>()
  const suspected = new Set<string>()
  return ({ events }) => {
    for (const { data } of events.fresh('stdout')) {
      const line = lineOf(data)
      if (line?.type !== 'member' || line.observer === line.id) continue
      const key = `${line.id} ${line.incarnation}`
      if (line.status === 'suspect') {
        sometimes(!suspected.has(key), ACCUSATIONS)
        suspected.add(key)
      }
      if (line.status !== 'dead') continue
      sometimes(true, BELIEFS)
      sometimes(!deaths.has(key), DEATHS)
      deaths.add(key)
    }
    return true
  }
}

function oneWayCuts(lifeguard: boolean): Simulation<null> {
  const cluster = gossipCluster({ lifeguard, levels: { stormy: ONE_WAY_CUTS } })
  return simulation(`gossip one-way Lifeguard ${lifeguard ? 'on' : 'off'}`, {
    ...cluster,
    invariants: { ...cluster.invariants, 'false deaths are counted': countsDeaths() },
  })
}

export const withLifeguard = oneWayCuts(true)
export const withoutLifeguard = oneWayCuts(false)
