/** The coordinator as a simulation, with a mutant or without: shard-coordinator.sim.ts and its mutants declare it. */
import type { SimulationDefinition } from 'wavetank'
import { coordinators } from './shard-processes.ts'
import { shardRules } from './shard-rules.ts'
import type { WorkerState } from './shard-client.ts'
import { situations } from './shard-situations.ts'
import { workload } from './shard-workload.ts'

export function shardCluster({ mutant = '' }: { mutant?: string } = {}): SimulationDefinition<WorkerState> {
  return {
    processes: { coordinator: coordinators(mutant) },
    workload,
    invariants: shardRules(situations),
    budget: { dead: 'minority' },
  }
}
