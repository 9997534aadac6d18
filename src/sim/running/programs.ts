/**
 * What the processes of a run execute: the simulation file in the workload's process, entry files and functions in the
 * others. A function of a simulation file is looked up anew at every boot, by evaluating the file inside the booting
 * process, so that its module state is fresh and its imports are that process's own.
 *
 * A simulation that is not declared in a file of its own (in a test, say) runs *inline*: its functions are the caller's,
 * and only what they take from their process (`node.require`, globals) is simulated.
 */
import { dirname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { UsageError } from '../../kernel/errors.ts'
import type { Kernel, Pause } from '../../kernel/kernel.ts'
import {
  NodeProgram,
  running,
  type AssertionSite,
  type RunningProcess,
  type Output,
  type ProcessContext,
} from '../../node/index.ts'
import type { ImageMount } from '../../world/disk/image.ts'
import type { Program, RunningProgram, SimProcess } from '../../world/process.ts'
import type { SimulationReference } from '../campaign/executor.ts'
import {
  simulationsIn,
  type ProcessDefinition,
  type Simulation,
  type SimulationDefinition,
} from '../authoring/definition.ts'
import { LineSplitter } from '../authoring/line-splitter.ts'
import { missingEntry } from './entry-file.ts'
import { perProcess, type Placement } from './topology.ts'
import { WorkloadProcess } from './workload-process.ts'

/** What a run needs from the thread it runs in. */
export interface TankHost {
  /** Runs a world until it pauses for good. */
  run(kernel: Kernel): Promise<Pause>
  /** The read-only layer of every disk. */
  readonly image: readonly ImageMount[]
  /** Modules that are the same inside and outside: wavetank's own, by specifier. */
  readonly hostModules: Readonly<Record<string, unknown>>
  /** The simulation itself, where it is not in a file. */
  readonly inline?: Simulation
  readonly traceCapacity: number
  /** Told the step, after every step: for a watchdog in another thread. */
  readonly progress?: (step: number) => void
}

export interface ProgramEvents {
  readonly output: (process: string, stream: 'stdout' | 'stderr', text: string) => void
  /** The simulation file is evaluated. Called inside the workload's process. */
  readonly loaded: (simulation: Simulation, workload: WorkloadProcess) => void
  /** A file was compiled that has assertions: one that is never reached must be known. */
  readonly assertions: (sites: readonly AssertionSite[]) => void
  /** The simulation file cannot be evaluated, or does not declare the simulation. */
  readonly broken: (error: unknown) => void
}

export class Programs {
  private readonly host: TankHost
  private readonly reference: SimulationReference
  private readonly events: ProgramEvents
  /** What the simulation replaces and allows; known once its file is evaluated. */
  private modules: Pick<SimulationDefinition, 'externals' | 'addons'> = {}

  constructor(host: TankHost, reference: SimulationReference, events: ProgramEvents) {
    this.host = host
    this.reference = reference
    this.events = events
  }

  currentProcess(): string | null {
    return running?.placement.name ?? null
  }

  workload(): Program {
    const entry = (): void => {
      const process = running!
      const workload = new WorkloadProcess(process)
      const begin = (simulation: Simulation): void => {
        const { externals = {}, addons = [] } = simulation.definition
        this.modules = { externals, addons }
        try {
          this.events.loaded(simulation, workload)
        } catch (error) {
          if (!(error instanceof UsageError)) throw error
          this.events.broken(error)
        }
      }
      this.load(process).then(begin, this.events.broken)
    }
    return this.program(entry, { cwd: this.root })
  }

  /** A process, or a variant of it. Calls `booted` at every boot, inside it. */
  server(
    { identity, definition: usual }: Placement,
    booted: (process: SimProcess) => void,
    variant?: string,
  ): Program {
    const definition: ProcessDefinition = {
      ...usual,
      ...(variant === undefined ? {} : usual.variants![variant]),
    }
    const argv = perProcess(definition, 'args', identity) ?? []
    const env = perProcess(definition, 'env', identity) ?? {}
    const cwd = this.folderOf(definition)
    const { entry, system } = definition
    if (system !== undefined) {
      throw new UsageError(
        'ERR_WAVETANK_SYSTEM',
        `${identity.name} is ${system.name}, which the tank cannot run: use \`wavetank real test\``,
      )
    }
    const problem = entry === undefined ? null : missingEntry(resolve(this.root, entry), this.host.image)
    if (problem !== null)
      throw new UsageError('ERR_WAVETANK_ENTRY', `processes.${identity.group}.entry: ${problem}`)
    const program =
      entry === undefined
        ? this.program((node) => this.runFunction(identity, node, variant), { argv, env, cwd })
        : this.program(resolve(this.root, entry), { argv, env, cwd })
    return {
      boot(process): RunningProgram {
        booted(process)
        return program.boot(process)
      },
    }
  }

  /** Where a process begins: the folder of the simulation file unless it says otherwise. */
  folderOf({ cwd = '.' }: ProcessDefinition): string {
    return resolve(this.root, cwd)
  }

  /** Where relative paths of the simulation begin. */
  private get root(): string {
    return this.host.inline === undefined ? dirname(this.reference.file) : '/'
  }

  private program(
    entry: string | ((node: ProcessContext) => unknown),
    options: { argv?: readonly string[]; env?: Readonly<Record<string, string>>; cwd?: string },
  ): Program {
    const outputs = new Map<string, LineSplitter>()
    const { hostModules } = this.host
    const { assertions } = this.events
    const loader = { hostModules, ...this.modules, root: this.root, onAssertions: assertions }
    return new NodeProgram({ ...options, entry, loader, onOutput: (output) => this.write(outputs, output) })
  }

  private write(outputs: Map<string, LineSplitter>, { process, fd, bytes }: Output): void {
    const stream = fd === 1 ? 'stdout' : 'stderr'
    const key = `${process} ${stream}`
    let splitter = outputs.get(key)
    if (splitter === undefined) {
      splitter = new LineSplitter((text) => this.events.output(process, stream, text))
      outputs.set(key, splitter)
    }
    splitter.write(bytes)
  }

  private runFunction(
    identity: Placement['identity'],
    node: ProcessContext,
    variant: string | undefined,
  ): unknown {
    const call = (simulation: Simulation): unknown => {
      const usual = simulation.definition.processes[identity.group]
      const { run = usual.run! } = variant === undefined ? usual : usual.variants![variant]
      return run(identity, node)
    }
    return this.host.inline === undefined ? this.load(running!).then(call) : call(this.host.inline)
  }

  /** Evaluates the simulation file in the running process and finds the simulation in it. */
  private async load(process: RunningProcess): Promise<Simulation> {
    if (this.host.inline !== undefined) return this.host.inline
    const loader = process.loader!
    loader.initialize()
    const namespace: Record<string, unknown> = await loader.import(pathToFileURL(this.reference.file).href)
    return findSimulation(namespace, this.reference)
  }
}

function findSimulation(namespace: Record<string, unknown>, { file, name }: SimulationReference): Simulation {
  const declared = simulationsIn(namespace)
  const found = declared.find((simulation) => simulation.name === name)
  if (found !== undefined) return found
  const names = declared.map((simulation) => `'${simulation.name}'`).join(', ')
  throw new UsageError(
    'ERR_WAVETANK_NO_SIMULATION',
    `${file} exports no simulation named '${name}'; it exports ${names === '' ? 'none' : names}. Export a simulation from the file that calls simulation()`,
  )
}
