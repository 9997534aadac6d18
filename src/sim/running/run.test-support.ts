/** One seed of a simulation that is made on the spot, in this thread. */
import type { LevelName } from '../../faults/levels.ts'
import { NodeThread } from '../../node/index.ts'
import { simulation, type SimulationDefinition } from '../authoring/definition.ts'
import type { TankHost } from './programs.ts'
import { runSeed, type RunRecord } from './run.ts'

export function inlineHost(definition: SimulationDefinition): TankHost {
  const thread = NodeThread.get()
  return {
    run: (kernel) => thread.run(kernel),
    image: [],
    hostModules: {},
    inline: simulation('toy', definition),
    traceCapacity: 4096,
  }
}

export async function runInline(
  definition: SimulationDefinition,
  seed = 1,
  level: LevelName = 'sunny',
): Promise<RunRecord> {
  const job = { simulation: { file: '', name: 'toy' }, level, seed, keepChoices: true }
  return runSeed(job, inlineHost(definition))
}
