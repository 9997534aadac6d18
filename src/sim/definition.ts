/**
 * What a user writes: a simulation is processes (the system under test), a workload (what is asked of it), invariants
 * (what must hold after every step), a fault budget (what may fail at once) and limits. This file has the words and
 * their types; `run.ts` gives them meaning.
 *
 * The simulation file is evaluated once per seed, inside the world, on a host that never fails: its module-level
 * variables are fresh for every seed, and what it imports is the program's own code under the tank's Node.
 */
import type { CheckResult } from '../checkers/result.ts'
import type { FaultBudget } from '../faults/budget.ts'
import type { LevelName, Weather } from '../faults/levels.ts'
import type { History } from '../history/history.ts'
import { UsageError } from '../kernel/errors.ts'
import type { ProcessContext } from '../node/index.ts'
import { callerFile } from './call-site.ts'
import type { EventLog } from './event-log.ts'
import type { Invariant } from './invariants.ts'
import type { OperationBody, OperationOptions, OperationOutcome } from './operations.ts'
import type { Rng } from './rng.ts'
import type { ProcessFiles, WatchedFile } from './watched-files.ts'
import type { WireTap } from './wire-taps.ts'

/** A fixed number, or a range from which every seed draws one; both ends included. */
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
  /** The program: a file, relative to the simulation file. This or `run`. */
  readonly entry?: string
  /** The program as a function. It is called in a process of its own at every boot, with fresh module state. */
  readonly run?: (process: ProcessIdentity, node: ProcessContext) => unknown
  readonly count?: Count
  readonly args?: PerProcess<readonly string[]>
  readonly env?: PerProcess<Readonly<Record<string, string>>>
  readonly cwd?: string
  readonly tags?: PerProcess<readonly string[]>
  readonly locality?: PerProcess<Locality>
  /** What an exit that nobody ordered means: a failure (default), something a supervisor repairs, or nothing. */
  readonly onExit?: 'fail' | 'restart' | 'ignore'
  /** Never a victim of faults. */
  readonly spared?: boolean
}

export interface WorkloadContext {
  readonly seed: number
  readonly level: string
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
  /** Runs and records one operation. It never throws: a throw of the body is an outcome. */
  operation<T>(f: string, options: OperationOptions, body: OperationBody<T>): Promise<OperationOutcome<T>>
}

export interface CheckContext extends WorkloadContext {
  readonly history: History
  readonly events: EventLog
  /** What processes have on their disks. */
  readonly files: ProcessFiles
}

export interface Workload<State = unknown> {
  readonly clients?: Count
  /** How often `run` is called for each client. */
  readonly operations?: Count
  /** Virtual milliseconds over which they are spread; by default the mean length of the level's chaos window. */
  readonly spanMs?: number
  /** Once, before the first client, while all is quiet. */
  readonly setup?: (context: WorkloadContext) => unknown
  /** Once for every client, while all is quiet. */
  readonly open?: (context: Omit<ClientContext, 'state' | 'operation' | 'index'>) => State | Promise<State>
  /** One turn of one client: usually one operation. */
  readonly run: (context: ClientContext<State>) => unknown
  /** Says whether the system has come to rest, after everything was healed; asked until it is true. */
  readonly settled?: (context: WorkloadContext) => boolean | Promise<boolean>
  /** Once for every client, after the system came to rest: final reads. */
  readonly final?: (context: ClientContext<State>) => unknown
  /** Once, at last. Throws, or returns results of checkers. */
  readonly check?: (context: CheckContext) => void | Checked | Promise<void | Checked>
}

type Checked = CheckResult | readonly CheckResult[]

/** Limits of one run: each has its own detector. Virtual time, unless the name says steps. */
export interface Limits {
  /** Something re-arms itself for ever when this is spent. */
  readonly virtualMs: number
  readonly steps: number
  /** More steps than these within one virtual millisecond make no progress. */
  readonly stepsPerMs: number
  /** How long `settled` may take. */
  readonly settleMs: number
}

export const DEFAULT_LIMITS: Limits = {
  virtualMs: 3_600_000,
  steps: 20_000_000,
  stepsPerMs: 50_000,
  settleMs: 60_000,
}

export interface SimulationDefinition<State = unknown> {
  readonly processes: Readonly<Record<string, ProcessDefinition>>
  readonly workload: Workload<State>
  readonly invariants?: Readonly<Record<string, Invariant>>
  /** What processes send each other, published as `wire` events; the names are yours. */
  readonly taps?: Readonly<Record<string, WireTap>>
  /** Files whose changes are published as `file` events; the names are yours. */
  readonly files?: Readonly<Record<string, WatchedFile>>
  /** What may fail at once. The nemesis stays inside, so every violation is the system's fault. */
  readonly budget?: FaultBudget
  /** Changes to the levels: rates, durations, families off. */
  readonly levels?: Readonly<Partial<Record<LevelName, Partial<Weather>>>>
  readonly limits?: Partial<Limits>
  /** Modules replaced inside the tank: specifier → file, relative to the simulation file. */
  readonly externals?: Readonly<Record<string, string>>
  /** Virtual milliseconds between boot and setup. */
  readonly bootMs?: number
  /** Virtual milliseconds between heal and check, when there is no `settled`. */
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
  validate(name, definition as SimulationDefinition)
  return { kind: 'wavetank simulation', name, definition, file: callerFile(simulation) }
}

export function isSimulation(value: unknown): value is Simulation {
  return typeof value === 'object' && value !== null && (value as Simulation).kind === 'wavetank simulation'
}

function validate(name: string, definition: SimulationDefinition): void {
  const wrong = (what: string): UsageError => {
    return new UsageError('ERR_WAVETANK_SIMULATION', `simulation('${name}'): ${what}`)
  }
  if (typeof definition !== 'object' || definition === null)
    throw wrong('expected an object with processes and a workload')
  if (typeof definition.workload?.run !== 'function')
    throw wrong('workload.run must be a function: one turn of one client')
  const groups = Object.entries(definition.processes ?? {})
  for (const [group, { entry, run, count }] of groups) {
    if (!/^[a-z][a-z0-9-]*$/i.test(group))
      throw wrong(`processes.${group}: a group's name becomes host names; use letters, digits and '-'`)
    if ((entry === undefined) === (run === undefined))
      throw wrong(`processes.${group} needs either entry (a file) or run (a function)`)
    checkCount(count, `processes.${group}.count`, 0, wrong)
  }
  checkCount(definition.workload.clients, 'workload.clients', 0, wrong)
  checkCount(definition.workload.operations, 'workload.operations', 0, wrong)
  checkCount(definition.workload.spanMs, 'workload.spanMs', 0, wrong)
  for (const [tap, { port, path }] of Object.entries(definition.taps ?? {})) {
    if ((port === undefined) === (path === undefined))
      throw wrong(`taps.${tap} needs either port (a number) or path (of a unix socket)`)
  }
  for (const [file, { of, path }] of Object.entries(definition.files ?? {})) {
    if (typeof path !== 'string') throw wrong(`files.${file}.path must be a string`)
    if (!groups.some(([group]) => group === of || (of ?? '').replace(/\d+$/, '') === group))
      throw wrong(`files.${file}.of must be a group of processes or one of them, not ${JSON.stringify(of)}`)
  }
}

function checkCount(
  count: Count | undefined,
  where: string,
  least: number,
  wrong: (what: string) => UsageError,
): void {
  if (count === undefined) return
  const [lo, hi] = typeof count === 'number' ? [count, count] : count
  if (!Number.isInteger(lo) || !Number.isInteger(hi) || lo < least || hi < lo) {
    throw wrong(
      `${where} must be an integer ≥ ${least} or a range [least, most], not ${JSON.stringify(count)}`,
    )
  }
}

/** Both ends of a count. */
export function rangeOf(count: Count): readonly [lo: number, hi: number] {
  return typeof count === 'number' ? [count, count] : count
}
