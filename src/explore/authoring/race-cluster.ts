/** Several processes of one program, with a network between them that can be cut. */
import type { CutMode } from '../../world/network/link.ts'
import type { World } from '../../world/world.ts'
import type { ProcessOptions, RaceProcess } from './race-process.ts'

export interface ClusterOptions extends Omit<ProcessOptions, 'name' | 'env'> {
  readonly entry: string
  /** The names of the processes are this and a number from 1; `n` by default. */
  readonly prefix?: string
  readonly env?: (name: string, names: readonly string[]) => Readonly<Record<string, string>>
}

export class RaceCluster {
  readonly processes: readonly RaceProcess[]
  private readonly world: World

  constructor(world: World, processes: readonly RaceProcess[]) {
    this.world = world
    this.processes = processes
  }

  get names(): string[] {
    return this.processes.map(({ name }) => name)
  }

  /** Cuts the network between two processes or groups: packets are dropped, or kept until `heal`, by `mode`. */
  partition(
    a: RaceProcess | readonly RaceProcess[],
    b: RaceProcess | readonly RaceProcess[],
    options: { readonly mode?: CutMode } = {},
  ): void {
    const names = (side: RaceProcess | readonly RaceProcess[]) => [side].flat().map(({ name }) => name)
    this.world.network.partition([names(a), names(b)], options.mode)
  }

  heal(): void {
    this.world.network.heal()
  }
}
