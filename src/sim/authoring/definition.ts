/**
 * What a user writes: a simulation is processes (the system under test), a workload (what is asked of it), invariants
 * (what must hold after every step), a fault budget (what may fail at once) and limits. This file has the words and
 * their types; `run.ts` gives them meaning.
 *
 * The simulation file is evaluated once per seed, inside the world, on a host that never fails: its module-level
 * variables are fresh for every seed, and what it imports is the program's own code under the tank's Node.
 */
import type { CheckResult } from '../../checkers/result.ts'
import type { Propagation } from '../../faults/arena.ts'
import type { FaultBudget } from '../../faults/budget.ts'
import type { LevelName, WeatherChanges } from '../../faults/levels.ts'
import type { History } from '../../history/history.ts'
import { UsageError } from '../../kernel/errors.ts'
import type { ProcessContext } from '../../node/index.ts'
import type { DiskModel } from '../../world/disk/disk.ts'
import { callerFile } from '../../node/bare.ts'
import type { Events } from './event-log.ts'
import type { Invariant } from './invariants.ts'
import type { GapKind } from './gap-kinds.ts'
import type { OperationBody, OperationOptions, OperationOutcome } from './operations.ts'
import type { RealSystem } from './real-system.ts'
import type { Rng } from './rng.ts'
import type { AimedFault } from './script.ts'
import type { SituationNeeds } from './situations.ts'
import { checkDefinition } from './validation.ts'
import type { ProcessFiles, WatchedFile } from './watched-files.ts'
import type { WireTap } from './wire-taps.ts'

/** A fixed number, or a range with both ends included, from which every seed draws one. */
export type Count = number | readonly [least: number, most: number]

/** Where a process runs, from the largest to the smallest unit that fails as one. */
export interface Locality {
  readonly datacentre?: string
  readonly zone?: string
  /** Processes with one machine name share a host: its address, disk and clock. */
  readonly machine?: string
}

/** Who a process is in this seed. */
export interface ProcessIdentity {
  /** `kv`, or `kv1`, `kv2`, … in a group. */
  readonly name: string
  /** The name of its group: the key in `processes`. */
  readonly group: string
  /** From 0. */
  readonly index: number
  /** How many there are in the group. */
  readonly count: number
  /** The host it runs on: a name that resolves. */
  readonly host: string
  /** Host names of the others of its group. */
  readonly peers: readonly string[]
  /** Host names of all processes, by group. */
  readonly hosts: Readonly<Record<string, readonly string[]>>
  readonly tags: readonly string[]
  readonly locality: Locality
}

type PerProcess<T> = T | ((process: ProcessIdentity) => T)

export interface ProcessDefinition {
  /** The program: a file, relative to the simulation file. This, `run` or `system`. */
  readonly entry?: string
  /** The program as a function. It is called in a process of its own at every boot, with fresh module state. */
  readonly run?: (process: ProcessIdentity, node: ProcessContext) => unknown
  /** A program that is not Node's, such as a database: it runs on real machines only (`wavetank real test`). */
  readonly system?: RealSystem
  readonly count?: Count
  readonly args?: PerProcess<readonly string[]>
  readonly env?: PerProcess<Readonly<Record<string, string>>>
  readonly cwd?: string
  readonly tags?: PerProcess<readonly string[]>
  readonly locality?: PerProcess<Locality>
  /**
   * What to do when the process exits with a code other than 0 and no fault ended it: fail the run (default), start the
   * process again after half a virtual second, or go on without it.
   */
  readonly onExit?: 'fail' | 'restart' | 'ignore'
  /**
   * Other programs that the process can boot, by name: another version (`entry` or `run`) for the fault `mixed-version`,
   * or another configuration (only `args` or `env`) for `config-divergence`.
   */
  readonly variants?: Readonly<Record<string, ProcessVariant>>
  /** Never a victim of faults. */
  readonly spared?: boolean
}

/** What differs from the process's definition. */
export type ProcessVariant = Pick<ProcessDefinition, 'entry' | 'run' | 'args' | 'env'>

/** Which processes have a role now, by their names: a function of what was published. It must change nothing. */
export type Role = (context: { readonly events: Events }) => readonly string[] | string | null

/** How a process leaves the cluster and joins it again, as an operator would do it. */
export interface MembershipDefinition {
  readonly leave: (process: ProcessIdentity, context: WorkloadContext) => unknown
  readonly join: (process: ProcessIdentity, context: WorkloadContext) => unknown
}

export interface WorkloadContext {
  readonly seed: number
  readonly level: LevelName
  /** Host names by group. */
  readonly hosts: Readonly<Record<string, readonly string[]>>
  readonly processes: readonly ProcessIdentity[]
  readonly rng: Rng
}

export interface ClientContext<State = unknown> extends WorkloadContext {
  /** From 0. */
  readonly client: number
  /** How many operations this client was asked for before this one; −1 in `final`. */
  readonly index: number
  /** What `open` returned. */
  readonly state: State
  /** Runs and records one operation. It never throws: if the body throws, that is an outcome. */
  operation<T>(f: string, body: OperationBody<T>): Promise<OperationOutcome<T>>
  operation<T>(f: string, options: OperationOptions, body: OperationBody<T>): Promise<OperationOutcome<T>>
}

export interface CheckContext extends WorkloadContext {
  readonly history: History
  /** Everything that was published; all of it is new to a check. */
  readonly events: Events
  /** What processes have on their disks. */
  readonly files: ProcessFiles
}

export interface Workload<State = unknown> {
  /** How many clients there are; 3 by default. */
  readonly clients?: Count
  /** How often `run` is called for each client; 10 to 30 times by default. */
  readonly operations?: Count
  /** Virtual milliseconds over which a client's turns are spread; by default the mean length of the chaos window. */
  readonly spanMs?: number
  /** Called once, before the first client, while no fault is in force. */
  readonly setup?: (context: WorkloadContext) => unknown
  /** Called once for every client, while no fault is in force; returns the client's state. */
  readonly open?: (context: Omit<ClientContext, 'state' | 'operation' | 'index'>) => State | Promise<State>
  /** One turn of one client: usually one operation. */
  readonly run: (context: ClientContext<State>) => unknown
  /** Called after every fault has ended, every 100 virtual milliseconds, until it returns true: the system is at rest. */
  readonly settled?: (context: WorkloadContext) => boolean | Promise<boolean>
  /** Called once for every client after the system has come to rest: final reads. */
  readonly final?: (context: ClientContext<State>) => unknown
  /** Called once, last. It throws if a promise is broken, or returns results of checkers. */
  readonly check?: (context: CheckContext) => void | Checked | Promise<void | Checked>
}

type Checked = CheckResult | readonly CheckResult[]

/** Limits of one run: each has its own detector. */
export interface Limits {
  /** Virtual time of the whole run; a program that uses it up re-arms its timers forever. */
  readonly virtualMs: number
  /** Steps of the whole run. */
  readonly steps: number
  /** Steps within one virtual millisecond; a program that takes more makes no progress. */
  readonly stepsPerVirtualMs: number
  /** Virtual time until `settled` is true. */
  readonly settleVirtualMs: number
}

export const DEFAULT_LIMITS: Limits = {
  virtualMs: 3_600_000,
  steps: 20_000_000,
  stepsPerVirtualMs: 50_000,
  settleVirtualMs: 60_000,
}

export interface SimulationDefinition<State = unknown> {
  readonly processes: Readonly<Record<string, ProcessDefinition>>
  readonly workload: Workload<State>
  readonly invariants?: Readonly<Record<string, Invariant>>
  /**
   * Invariants that need what only the tank knows, such as what a disk has synced: a real cluster leaves them out.
   * Without this list it leaves out those that ask for such a thing.
   */
  readonly needsTank?: readonly string[]
  /** What processes send each other, published as `wire` events; the names are yours. */
  readonly taps?: Readonly<Record<string, WireTap>>
  /** Files whose changes are published as `file` events; the names are yours. */
  readonly files?: Readonly<Record<string, WatchedFile>>
  /** What brings situations about, by their names: the report's advice begins with it. */
  readonly situations?: Readonly<Record<string, SituationNeeds>>
  /** Who is what now, such as `leader`: for partitions and aimed faults. */
  readonly roles?: Readonly<Record<string, Role>>
  /** Who fails after whom, for the fault `cascade`; by default a failure spreads within its group. */
  readonly propagation?: readonly Propagation[]
  /** How processes leave the cluster and join it, for the fault `membership`. */
  readonly membership?: MembershipDefinition
  /** Gaps that are meant, so that the campaign holds in spite of them. */
  readonly allowGaps?: readonly GapKind[]
  /** Faults that strike whom and when the simulation says. */
  readonly script?: readonly AimedFault[]
  /** What may fail at once. The nemesis stays inside, so that every violation is the system's own. */
  readonly budget?: FaultBudget
  /** Changes to the levels: rates, durations, links; a family that is `null` is off. */
  readonly levels?: Readonly<Partial<Record<LevelName, WeatherChanges>>>
  readonly limits?: Partial<Limits>
  /** Modules that are replaced inside the tank: by specifier, the file that takes their place, relative to this file. */
  readonly externals?: Readonly<Record<string, string>>
  /** Packages whose native addons are loaded: addons that only compute, and do no I/O of their own. */
  readonly addons?: readonly string[]
  /** The date that every host's clock shows when the world begins; `2027-01-01T00:00:00Z` by default. */
  readonly startsAt?: string
  /** What a power loss may take: what ext4 may lose in its default mode (default), or all that POSIX allows. */
  readonly disk?: DiskModel
  /** Virtual milliseconds between the boot of the processes and `setup`; 200 by default. */
  readonly bootMs?: number
  /** Virtual milliseconds between the end of all faults and `final`, if there is no `settled`; 1,000 by default. */
  readonly restMs?: number
}

export interface Simulation<State = unknown> {
  readonly kind: 'wavetank simulation'
  readonly name: string
  readonly definition: SimulationDefinition<State>
  /** The file that called `simulation()`, from which every seed evaluates it again. */
  readonly file: string | null
}

const NAME = /^[\w][\w .-]*$/u

/** Declares a simulation. Export it from a `*.sim.ts` file. */
export function simulation<State = unknown>(
  name: string,
  definition: SimulationDefinition<State>,
): Simulation<State> {
  if (typeof name !== 'string' || !NAME.test(name)) {
    throw new UsageError(
      'ERR_WAVETANK_SIMULATION_NAME',
      `simulation(): a name is letters, digits, '-', '_', '.' and spaces, not ${JSON.stringify(name)}`,
    )
  }
  checkDefinition(name, definition as SimulationDefinition)
  return { kind: 'wavetank simulation', name, definition, file: callerFile(simulation) }
}

export function isSimulation(value: unknown): value is Simulation {
  return typeof value === 'object' && value !== null && (value as Simulation).kind === 'wavetank simulation'
}

/**
 * The simulations that a module exports. A TypeScript file or a transpiled ES module that Node loads as CommonJS has its
 * exports in the `default` of its namespace.
 */
export function simulationsIn(namespace: Readonly<Record<string, unknown>>): Simulation[] {
  const { default: inner } = namespace
  const nested =
    typeof inner === 'object' && inner !== null && !isSimulation(inner) ? Object.values(inner) : []
  return [...new Set([...Object.values(namespace), ...nested].filter(isSimulation))]
}

/** Both ends of a count. */
export function rangeOf(count: Count): readonly [lo: number, hi: number] {
  return typeof count === 'number' ? [count, count] : count
}
