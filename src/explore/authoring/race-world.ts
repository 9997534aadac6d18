/**
 * Boots further processes into the world of a race: servers, peers, whole clusters, each on a host of its own. Their events
 * are explored like those of the test.
 */
import { isAbsolute, resolve } from 'node:path'
import { NodeProgram, type NodeProgramOptions } from '../../node/index.ts'
import type { HostOptions } from '../../world/host.ts'
import type { World } from '../../world/world.ts'
import { RaceCluster, type ClusterOptions } from './race-cluster.ts'
import { Output, RaceProcess, type ProcessOptions, type Wait } from './race-process.ts'

export class RaceWorld {
  private readonly world: World
  private readonly base: Pick<NodeProgramOptions, 'loader' | 'cwd'> & { readonly cwd: string }
  /** The options of every host. */
  private readonly machine: HostOptions
  private started = 0

  constructor(world: World, base: RaceWorld['base'], machine: HostOptions) {
    this.world = world
    this.base = base
    this.machine = machine
  }

  process(wait: Wait, entry: string, options: ProcessOptions = {}): RaceProcess {
    const name = options.name ?? `p${++this.started}`
    const host = this.world.addHost(name, this.machine)
    const output = new Output()
    const program = new NodeProgram({
      ...this.base,
      entry: isAbsolute(entry) ? entry : resolve(this.base.cwd, entry),
      argv: options.args,
      env: options.env,
      onOutput: ({ bytes }) => output.add(bytes),
    })
    const process = this.world.addProcess(name, host, program)
    process.start()
    return new RaceProcess(process, host, output, wait)
  }

  cluster(wait: Wait, size: number, { entry, prefix = 'n', env, args }: ClusterOptions): RaceCluster {
    const names = Array.from({ length: size }, (_, i) => `${prefix}${i + 1}`)
    const processes = names.map((name) => this.process(wait, entry, { name, args, env: env?.(name, names) }))
    return new RaceCluster(this.world, processes)
  }
}
