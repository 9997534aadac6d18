/**
 * npm run bench:systems -- [--json] [--only PATTERN]
 *
 * The example systems in the tank: one row per promise, each with its bar and measured in a process of its own. `kv` is
 * there to compare machines: docs/benchmarks.md has its figure.
 */
import { runSubjects } from './subjects.ts'
import { coordinatorSeeds, gossipOfHundred, idleRaft } from './systems/systems.ts'
import { kvSeeds } from './tank/campaigns.ts'

await runSubjects(import.meta.filename, {
  raft: idleRaft,
  gossip: gossipOfHundred,
  coordinator: coordinatorSeeds,
  kv: kvSeeds,
})
