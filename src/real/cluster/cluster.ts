/**
 * The cluster of a run: the nodes of a simulation as real processes, on the machines and the network of a backend. It
 * starts and stops nodes, restarts those whose definition says so, and tells the run what happened. What nodes print and
 * report is read by `drain`: the run calls it before every event, the cluster before every message between nodes.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { UsageError } from '../../kernel/errors.ts'
import type { SystemCommand, SystemNode } from '../../sim/authoring/real-system.ts'
import type { Placement } from '../../sim/running/topology.ts'
import type { RunResources } from '../cleanup/run-resources.ts'
import { NODE_VARIABLE, RUN_VARIABLE } from '../cleanup/manifest.ts'
import type { NodeReport } from '../entry/preload.ts'
import { ANYONE } from '../proxy/address-plan.ts'
import type { SeenBytes } from '../proxy/proxy.ts'
import type { Backend, ChosenBackend, Machine, NodeControl } from './backends/backend.ts'
import { entryLaunch } from './entry-launch.ts'
import type { Network } from './network.ts'
import type { Exit, Launch } from './node-process.ts'
import { Outputs, type Followed } from './outputs.ts'
import { restedMs } from './process-state.ts'

/** How long a supervisor takes to start a process again, as in the tank. */
const SUPERVISOR_MS = 500
const EXIT_MS = 5000
const READY_POLL_MS = 100
/** A node that is paused does not say its time. */
const CLOCK_MS = 2000
const READY_MS = 60_000
/** A process that opens no port though it had so long nothing to do is one that opens none. */
const LISTENS_MS = 3000

export interface ClusterEvents {
  line(node: string, stream: 'stdout' | 'stderr', text: string): void
  booted(node: string, boot: number): void
  exited(node: string, boot: number, exit: Exit, ordered: boolean): void
  /** The program of a node called `event()`. */
  published(node: string, name: string, data: unknown): void
  assertionFailed(node: string, title: string, message: string): void
  saw?: (seen: SeenBytes) => void
}

export interface ClusterOptions {
  readonly placements: readonly Placement[]
  /** The folder of the simulation file, and of its project. */
  readonly folder: string
  readonly project: string
  readonly resources: RunResources
  readonly backend: ChosenBackend
  /** Where outputs of nodes are kept. */
  readonly logs: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly random: () => number
  /** Whether faults change the network. */
  readonly weather: boolean
  readonly events: ClusterEvents
}

export interface RealNode {
  readonly name: string
  readonly placement: Placement
  readonly number: number
  readonly machine: Machine
  /** Everything that the node writes. */
  readonly disk: string
  readonly process: NodeControl
  boots: number
  /** The next exit is a fault's doing, or the run's. */
  ordered: boolean
  /** Paused, dead by order: not started again by its supervisor. */
  down: boolean
  readonly ports: Set<number>
  /** What faults need at every start, such as a library that the program loads. */
  readonly launchChanges: LaunchChange[]
  /** What faults in force have changed of the node: two that change the same thing would undo each other. */
  readonly changed: Set<ChangedThing>
  /** What the node's program last said of its wall clock; null: it has not been asked to. */
  clock: ClockReading | null
}

export type ChangedThing = 'clock' | 'disk'

/** Applied to every start of a node; it throws if the program cannot be started that way. */
export type LaunchChange = (launch: Launch) => Launch

/** A wall clock as a program reads it, and how far it was from this machine's. */
export interface ClockReading {
  readonly offsetMs: number
  /** When it was read, by `performance.now()` of this process. */
  readonly atMs: number
}

export class Cluster {
  readonly nodes: readonly RealNode[]
  readonly network: Network
  readonly #backend: Backend
  readonly #options: ClusterOptions
  readonly #outputs = new Outputs()
  readonly #opening = new Set<Promise<void>>()
  /** Nodes whose preparations have been run. */
  readonly #prepared = new Set<RealNode>()
  #poll: NodeJS.Timeout | null = null
  #over = false

  constructor(options: ClusterOptions) {
    this.#options = options
    const { placements, logs, resources, random, events } = options
    mkdirSync(logs, { recursive: true })
    this.#backend = options.backend.create({
      nodes: placements.map(({ identity }) => identity.name),
      resources,
      logs,
      random,
      weather: options.weather,
      shared: placements.some(({ definition }) => definition.system !== undefined),
      saw: (seen) => {
        this.drain()
        events.saw?.(seen)
      },
    })
    this.network = this.#backend.network
    this.nodes = placements.map((placement, index) => {
      const machine = this.#backend.machines[index]
      return {
        name: placement.identity.name,
        placement,
        number: index + 1,
        machine,
        disk: machine.disk,
        process: machine.process,
        boots: 0,
        ordered: false,
        down: false,
        ports: new Set<number>(),
        launchChanges: [],
        changed: new Set(),
        clock: null,
      }
    })
  }

  /** What makes the run doubtful on the side of its machines. */
  get doubts(): readonly string[] {
    return this.#backend.doubts
  }

  /** Names of hosts as a viewer knows them: node numbers, or the numbers of clients and of anyone. */
  names(viewer: number): Record<string, string> {
    return Object.fromEntries(
      this.nodes.map(({ name, number, placement }) => {
        const address = viewer === number ? this.#backend.own(number) : this.#backend.seen(viewer, number)
        return [placement.identity.host === name ? name : placement.identity.host, address]
      }),
    )
  }

  node(name: string): RealNode {
    return this.nodes.find((node) => node.name === name)!
  }

  /** Makes machines and network; from now on nodes have addresses. */
  async begin(): Promise<void> {
    await this.#backend.begin()
    for (const node of this.nodes) this.#wipe(node)
  }

  /** Starts all nodes and waits until they serve. */
  async start(): Promise<void> {
    this.#poll = setInterval(() => this.drain(), 10)
    for (const node of this.nodes) this.#prepare(node)
    await Promise.all(this.nodes.map((node) => this.boot(node)))
    await Promise.all(this.nodes.map((node) => this.#ready(node)))
  }

  /** Reads everything that nodes have written so far. */
  drain(): void {
    this.#outputs.drain()
  }

  async boot(node: RealNode): Promise<void> {
    if (node.process.alive || this.#over) return
    node.ordered = false
    node.down = false
    const plain = await this.#launch(node)
    const launch = node.launchChanges.reduce((changed, change) => change(changed), plain)
    node.boots++
    const boot = node.boots
    const { events, resources } = this.#options
    events.booted(node.name, boot)
    try {
      const id = await node.process.start(launch, (exit) => this.#exited(node, boot, exit))
      if (node.machine.isHere) resources.manifest.addProcess(id)
    } catch (error) {
      throw new UsageError(
        'ERR_WAVETANK_START',
        `wavetank real: ${node.name} cannot be started: ${(error as Error).message}`,
        { cause: error },
      )
    }
    for (const port of node.placement.definition.system?.ports ?? []) await this.#open(node, port, 'tcp')
  }

  /** Runs the command by which a system is stopped; false if it has none. */
  stopByCommand(node: RealNode): boolean {
    const command = node.placement.definition.system?.stop?.(this.systemNode(node))
    if (command === undefined) return false
    const { status } = node.machine.run(command, { cwd: node.disk, env: this.#environment(node) })
    return status === 0
  }

  /** Waits until a node serves; false if it does not within some time, or is one that opens no port. */
  async serves(node: RealNode, withinMs = READY_MS): Promise<boolean> {
    const beginMs = performance.now()
    const { system } = node.placement.definition
    while (performance.now() < beginMs + withinMs) {
      this.drain()
      if (system === undefined) {
        if (node.ports.size > 0) {
          await Promise.all(this.#opening)
          return true
        }
        if (hasRested(node, performance.now() - beginMs)) return false
      } else if (await isReady(() => system.ready(this.systemNode(node)))) return true
      await new Promise((resolve) => setTimeout(resolve, READY_POLL_MS / 2))
    }
    return false
  }

  /** How far the wall clock of a node is from this machine's, asked of its program; null: it does not answer. */
  async clock(node: RealNode): Promise<ClockReading | null> {
    const { system } = node.placement.definition
    if (system === undefined) {
      this.drain()
      return node.clock
    }
    try {
      const askedMs = Date.now()
      const wallMs = await withinTime(system.clock!(this.systemNode(node)))
      if (wallMs === null) return null
      return { offsetMs: leastOffsetMs(wallMs, askedMs, Date.now()), atMs: performance.now() }
    } catch {
      return null // it is down, or does not answer now
    }
  }

  /** Ends every node. */
  async end(): Promise<void> {
    this.#over = true
    const living = this.nodes.filter(({ process }) => process.alive)
    const exits = living.map(({ process }) => process.exit(EXIT_MS))
    for (const node of living) {
      node.ordered = true
      node.process.signal('SIGKILL')
    }
    await Promise.all(exits)
    if (this.#poll !== null) clearInterval(this.#poll)
    for (const node of this.nodes) this.#keepLogs(node)
    this.#outputs.close()
    this.network.end()
  }

  /** A node as its system sees it. */
  systemNode(node: RealNode): SystemNode {
    const { name, group, index } = node.placement.identity
    const known = (each: RealNode): string => this.#backend.seen(ANYONE, each.number)
    const hosts: Record<string, string[]> = {}
    for (const each of this.nodes) (hosts[each.placement.identity.group] ??= []).push(known(each))
    return {
      name,
      group,
      index,
      folder: node.disk,
      listen: this.#backend.own(node.number),
      address: known(node),
      nodes: this.nodes
        .filter((each) => each.placement.identity.group === group)
        .map((each) => ({ name: each.name, address: known(each) })),
      hosts,
    }
  }

  /** Copies the log files of a system to the outputs of its node. */
  #keepLogs({ name, disk, machine, boots, placement }: RealNode): void {
    if (boots === 0) return
    for (const log of placement.definition.system?.logs ?? []) {
      const bytes = machine.read(join(disk, log))
      if (bytes !== null) writeFileSync(join(this.#options.logs, `${name}.${basename(log)}`), bytes)
    }
  }

  /** What a system keeps outside its folder goes before the run and after it. */
  #wipe(node: RealNode): void {
    const { resources } = this.#options
    const commands = node.placement.definition.system?.wipe?.(this.systemNode(node)) ?? []
    for (const command of commands) {
      const later = node.machine.later(command)
      if (later !== null) resources.manifest.addCommand(later)
      node.machine.run(command, { cwd: '/', env: this.#environment(node) })
    }
  }

  /** Another machine has an environment of its own; this one's may have secrets in it. */
  #environment({ name, machine }: RealNode): Readonly<Record<string, string | undefined>> {
    const { environment, resources } = this.#options
    const { run } = resources.manifest.resources
    return {
      ...(machine.isHere ? environment : {}),
      [RUN_VARIABLE]: run,
      [NODE_VARIABLE]: `${run}/${name}`,
    }
  }

  #prepare(node: RealNode): void {
    const { events } = this.#options
    this.#makeDisk(node)
    const { stdout, stderr } = node.process
    const printed: Followed[] = []
    if (node.placement.definition.system === undefined) {
      writeFileSync(this.#reports(node), '')
      this.#outputs.follow(node.name, this.#reports(node), (text) =>
        this.#reported(node, JSON.parse(text) as NodeReport, printed),
      )
    }
    for (const [path, stream] of [
      [stdout, 'stdout'],
      [stderr, 'stderr'],
    ] as const) {
      writeFileSync(path, '')
      printed.push(this.#outputs.follow(node.name, path, (text) => events.line(node.name, stream, text)))
    }
  }

  /** What the program had printed before its report is read before it. */
  #reported(node: RealNode, report: NodeReport, printed: readonly Followed[]): void {
    const { events } = this.#options
    if ('event' in report) {
      for (const [index, size] of report.printed.entries()) printed[index].drain(size)
      events.published(node.name, report.event, report.data)
    } else if ('wallMs' in report) node.clock = clockReading(report)
    else if ('failed' in report) events.assertionFailed(node.name, report.failed, report.message)
    else {
      node.ports.add(report.port)
      const opening = this.#open(node, report.port, report.listens).finally(() =>
        this.#opening.delete(opening),
      )
      this.#opening.add(opening)
    }
  }

  #makeDisk(node: RealNode): void {
    node.machine.makeFolder(join(node.disk, 'work', node.placement.definition.cwd ?? ''))
  }

  #reports(node: RealNode): string {
    return join(this.#options.resources.folder, node.name, 'reports.jsonl')
  }

  async #open(node: RealNode, port: number, protocol: 'tcp' | 'udp'): Promise<void> {
    if (node.process.alive || node.placement.definition.system !== undefined)
      await this.network.open(node.name, port, protocol)
  }

  async #launch(node: RealNode): Promise<Launch> {
    const { folder, project } = this.#options
    const { identity, definition } = node.placement
    const environment = this.#environment(node)
    const { system } = definition
    if (system === undefined) {
      const { name, number, disk } = node
      const place = {
        name,
        address: this.#backend.own(number),
        names: this.names(number),
        reports: this.#reports(node),
      }
      return entryLaunch({ identity, definition, folder, project, disk, place, environment })
    }
    const {
      command,
      args = [],
      env,
      files = {},
      user,
      prepare = [],
    } = await system.start(this.systemNode(node))
    for (const [path, text] of Object.entries(files)) node.machine.write(join(node.disk, path), text)
    if (user !== undefined) node.machine.giveTo(user)
    const launch = {
      command,
      args,
      env: { ...environment, ...env },
      cwd: node.disk,
      ...(user === undefined ? {} : { user }),
    }
    this.#runPreparations(node, prepare, launch)
    return launch
  }

  #runPreparations(node: RealNode, prepare: NonNullable<SystemCommand['prepare']>, launch: Launch): void {
    if (this.#prepared.has(node)) return
    for (const command of prepare) {
      const { status, stderr } = node.machine.run(command, launch)
      if (status !== 0) {
        throw new UsageError(
          'ERR_WAVETANK_START',
          `wavetank real: ${node.name}: ${command[0]} ended with ${status}: ${stderr.trim()}`,
        )
      }
    }
    this.#prepared.add(node)
  }

  async #ready(node: RealNode): Promise<void> {
    const { system } = node.placement.definition
    if (!(await this.serves(node)) && system !== undefined) {
      throw new UsageError(
        'ERR_WAVETANK_NOT_READY',
        `wavetank real: ${node.name} (${system.name}) is not ready after ${READY_MS / 1000} s; see ${node.process.stderr}`,
      )
    }
  }

  #exited(node: RealNode, boot: number, exit: Exit): void {
    this.#outputs.end(node.name, exit.code !== null)
    node.ports.clear()
    this.network.close(node.name)
    this.#options.events.exited(node.name, boot, exit, node.ordered)
    if (node.ordered || this.#over || node.placement.definition.onExit !== 'restart') return
    setTimeout(() => {
      if (!node.process.alive && !node.ordered && !node.down) this.boot(node).catch(() => {})
    }, SUPERVISOR_MS)
  }
}

/** The monotonic clock is the same in all processes of a machine, so it says when the wall clock was read. */
function clockReading({ wallMs, monotonicNs }: Extract<NodeReport, { wallMs: number }>): ClockReading {
  const beforeMs = Date.now()
  const agoMs = Number(process.hrtime.bigint() - BigInt(monotonicNs)) / 1e6
  const offsetMs = leastOffsetMs(wallMs, beforeMs - agoMs, Date.now() - agoMs)
  return { offsetMs, atMs: performance.now() - agoMs }
}

/** The least distance that a reading proves, which was made at some moment between two of this machine's clock. */
export function leastOffsetMs(wallMs: number, beforeMs: number, afterMs: number): number {
  const [least, most] = [wallMs - afterMs, wallMs - beforeMs]
  if (least > 0) return least
  return most < 0 ? most : 0
}

/** Null if there is no answer for some time. */
async function withinTime(answer: number | Promise<number>): Promise<number | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => (timer = setTimeout(() => resolve(null), CLOCK_MS)))
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Whether a program that began `livedMs` ago has had the time to open a port, if it opens any. */
function hasRested({ process }: RealNode, livedMs: number): boolean {
  if (livedMs < LISTENS_MS) return false
  return process.pids.every((pid) => (restedMs(pid, livedMs) ?? livedMs) >= LISTENS_MS)
}

async function isReady(ask: () => boolean | Promise<boolean>): Promise<boolean> {
  try {
    return await ask()
  } catch {
    return false
  }
}
