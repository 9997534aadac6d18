/** What one real test is asked to do, as data: the same settings and the same seed draw the same choices again. */
import type { Simulation } from '../../sim/authoring/definition.ts'
import type { ScriptedFault } from '../nemeses/scripted.ts'
import type { ChosenNemesis } from '../nemeses/index.ts'

export interface RealSettings {
  readonly simulation: Simulation
  /** The simulation file, and the root of its project. */
  readonly file: string
  readonly project: string
  readonly seed: number
  /** Names of the nodes of the largest group, or how many; null: as the seed draws. */
  readonly nodes: readonly string[] | number | null
  readonly nemeses: readonly ChosenNemesis[]
  /** Faults of the simulation's script, if they were asked for. */
  readonly script: readonly ScriptedFault[]
  readonly schedule: 'interval' | 'phases'
  /** Mean seconds between faults, and of a fault's length. */
  readonly intervalS: number
  /** How long clients ask. */
  readonly timeLimitS: number
  /** Clients; null: as many as the workload has at most. */
  readonly concurrency: number | null
  /** Operations per second in all; 0: as fast as they are answered. */
  readonly rate: number
  /** The folder of the run's results. */
  readonly store: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly say: (text: string) => void
}
