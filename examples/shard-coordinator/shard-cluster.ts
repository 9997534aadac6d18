/** The coordinator as a simulation, with a mutant or without: shard-coordinator.sim.ts and its mutants declare it. */
import type { SimulationDefinition } from 'wavetank'
import type { WorkerState } from './shard-client.ts'
import { coordinators } from './shard-processes.ts'
import { shardRules } from './shard-rules.ts'
import { ShardSituations } from './shard-situations.ts'
import { workload } from './shard-workload.ts'

export function shardCluster({ mutant = '' }: { mutant?: string } = {}): SimulationDefinition<WorkerState> {
  const situations = new ShardSituations()
  return {
    processes: { coordinator: coordinators(mutant) },
    workload,
    invariants: {
      ...shardRules((step, shard) => situations.step(step, shard)),
      'situations are counted': (context) => situations.absorb(context),
    },
    budget: { dead: 'minority' },
    // Several leases and elections long; a longer storm shows the same situations again.
    levels: { stormy: { windowMs: [2000, 4000] } },
  }
}
