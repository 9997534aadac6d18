/**
 * The cluster of a run: the nodes of a simulation as real processes, each with a loopback address of its own, every
 * directed link through the proxy. It starts and stops nodes, restarts those whose definition says so, and tells the
 * run what happened. What nodes print and report is read by `drain`, which the run calls before every event.
 */
import { appendFileSync, chownSync, copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { basename, join } from 'node:path'
import { UsageError } from '../../kernel/errors.ts'
import type { SystemCommand, SystemNode } from '../../sim/authoring/real-system.ts'
import type { Placement } from '../../sim/running/topology.ts'
import type { RunResources } from '../cleanup/run-resources.ts'
import { NODE_VARIABLE, RUN_VARIABLE } from '../cleanup/manifest.ts'
import type { NodeReport } from '../entry/preload.ts'
import { ANYONE, type AddressPlan } from '../proxy/address-plan.ts'
import { CLIENT_HOST, Proxy, type SeenBytes } from '../proxy/proxy.ts'
import { socketOwner } from '../proxy/socket-owner.ts'
import { entryLaunch } from './entry-launch.ts'
import { NodeProcess, type Exit, type Launch } from './node-process.ts'
import { OutputTail } from './output-tail.ts'

/** How long a supervisor takes to start a process again, as in the tank. */
const SUPERVISOR_MS = 500
const EXIT_MS = 5000
const READY_POLL_MS = 100
const READY_MS = 60_000
/** A process that opens no port by then is one that opens none. */
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
  readonly plan: AddressPlan
  /** Where outputs of nodes are kept. */
  readonly logs: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly random: () => number
  readonly events: ClusterEvents
}

export interface RealNode {
  readonly name: string
  readonly placement: Placement
  readonly number: number
  /** Everything that the node writes. */
  readonly disk: string
  readonly process: NodeProcess
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
  readonly proxy: Proxy
  readonly #options: ClusterOptions
  readonly #tails: OutputTail[] = []
  readonly #opening = new Set<Promise<void>>()
  #poll: NodeJS.Timeout | null = null
  #over = false

  constructor(options: ClusterOptions) {
    this.#options = options
    const { placements, logs, resources, plan, random, events } = options
    mkdirSync(logs, { recursive: true })
    this.nodes = placements.map((placement, index) => {
      const { name } = placement.identity
      const disk = join(resources.folder, name, 'disk')
      const process = new NodeProcess(join(logs, `${name}.stdout.log`), join(logs, `${name}.stderr.log`))
      const ports = new Set<number>()
      return {
        name,
        placement,
        number: index + 1,
        disk,
        process,
        boots: 0,
        ordered: false,
        down: false,
        ports,
        launchChanges: [],
        changed: new Set(),
        clock: null,
      }
    })
    this.proxy = new Proxy({
      plan,
      nodes: this.nodes.map(({ name }) => name),
      random,
      shared: placements.some(({ definition }) => definition.system !== undefined),
      owner: (caller, called) => socketOwner(caller, called, this.#leaders()),
      ...(events.saw === undefined ? {} : { saw: events.saw }),
    })
  }

  /** Names of hosts as a viewer knows them: node numbers, or the numbers of clients and of anyone. */
  names(viewer: number): Record<string, string> {
    return Object.fromEntries(
      this.nodes.map(({ name, number, placement }) => {
        const address =
          viewer === number ? this.#options.plan.own(number) : this.#options.plan.seen(viewer, number)
        return [placement.identity.host === name ? name : placement.identity.host, address]
      }),
    )
  }

  node(name: string): RealNode {
    return this.nodes.find((node) => node.name === name)!
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
    for (const tail of this.#tails) tail.drain()
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
      resources.manifest.addProcess(id)
    } catch (error) {
      throw new UsageError(
        'ERR_WAVETANK_START',
        `wavetank real: ${node.name} cannot be started: ${(error as Error).message}`,
        { cause: error },
      )
    }
    for (const port of node.placement.definition.system?.ports ?? []) await this.#open(node, port, 'tcp')
  }

  /** Waits until a node serves; false if it does not within some time. */
  async serves(node: RealNode, withinMs = READY_MS): Promise<boolean> {
    const untilMs = performance.now() + withinMs
    const { system } = node.placement.definition
    while (performance.now() < untilMs) {
      this.drain()
      if (system === undefined) {
        if (node.ports.size > 0) {
          await Promise.all(this.#opening)
          return true
        }
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
      const wallMs = await system.clock!(this.systemNode(node))
      return { offsetMs: wallMs - (askedMs + Date.now()) / 2, atMs: performance.now() }
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
    for (const tail of this.#tails.splice(0)) tail.close()
    this.proxy.end()
  }

  /** A node as its system sees it. */
  systemNode(node: RealNode): SystemNode {
    const { plan } = this.#options
    const { name, group, index } = node.placement.identity
    const known = (each: RealNode): string => plan.seen(ANYONE, each.number)
    const hosts: Record<string, string[]> = {}
    for (const each of this.nodes) (hosts[each.placement.identity.group] ??= []).push(known(each))
    return {
      name,
      group,
      index,
      folder: node.disk,
      listen: plan.own(node.number),
      address: known(node),
      nodes: this.nodes
        .filter((each) => each.placement.identity.group === group)
        .map((each) => ({ name: each.name, address: known(each) })),
      hosts,
    }
  }

  /** Copies the log files of a system to the outputs of its node. */
  #keepLogs({ name, disk, placement }: RealNode): void {
    for (const log of placement.definition.system?.logs ?? []) {
      const file = join(disk, log)
      if (existsSync(file)) copyFileSync(file, join(this.#options.logs, `${name}.${basename(log)}`))
    }
  }

  #leaders(): Map<number, string> {
    const leaders = new Map([[process.pid, CLIENT_HOST]])
    for (const {
      name,
      process: { id, alive },
    } of this.nodes)
      if (id !== null && alive) leaders.set(id.pid, name)
    return leaders
  }

  #prepare(node: RealNode): void {
    const { events } = this.#options
    this.#makeDisk(node)
    const { stdout, stderr } = node.process
    for (const [path, stream] of [
      [stdout, 'stdout'],
      [stderr, 'stderr'],
    ] as const) {
      writeFileSync(path, '')
      this.#tails.push(new OutputTail(path, (text) => events.line(node.name, stream, text)))
    }
    if (node.placement.definition.system !== undefined) return
    writeFileSync(this.#reports(node), '')
    this.#tails.push(
      new OutputTail(this.#reports(node), (text) => {
        this.#reported(node, JSON.parse(text) as NodeReport)
      }),
    )
  }

  #reported(node: RealNode, report: NodeReport): void {
    const { events } = this.#options
    if ('event' in report) events.published(node.name, report.event, report.data)
    else if ('wallMs' in report) node.clock = clockReading(report)
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
    mkdirSync(join(node.disk, 'work', node.placement.definition.cwd ?? ''), { recursive: true })
  }

  #reports(node: RealNode): string {
    return join(this.#options.resources.folder, node.name, 'reports.jsonl')
  }

  async #open(node: RealNode, port: number, protocol: 'tcp' | 'udp'): Promise<void> {
    if (node.process.alive || node.placement.definition.system !== undefined)
      await this.proxy.open(node.name, port, protocol)
  }

  async #launch(node: RealNode): Promise<Launch> {
    const { folder, project, resources, plan, environment: given } = this.#options
    const { identity, definition } = node.placement
    const { run } = resources.manifest.resources
    const environment = { ...given, [RUN_VARIABLE]: run, [NODE_VARIABLE]: `${run}/${node.name}` }
    const { system } = definition
    if (system === undefined) {
      const { name, number, disk } = node
      const place = {
        name,
        address: plan.own(number),
        names: this.names(number),
        reports: this.#reports(node),
      }
      return entryLaunch({ identity, definition, folder, project, disk, place, environment })
    }
    const command = await system.start(this.systemNode(node))
    const user = command.user === undefined ? {} : this.#become(node, command.user)
    const launch = {
      command: command.command,
      args: command.args ?? [],
      env: { ...environment, ...command.env },
      cwd: node.disk,
      ...user,
    }
    this.#runPreparations(node, command, launch)
    return launch
  }

  /** The folder of a node belongs to the user that its program runs as. */
  #become(node: RealNode, user: string): { uid: number; gid: number } | object {
    if (process.getuid?.() !== 0) return {}
    const [uid, gid] = ['-u', '-g'].map((flag) =>
      Number(spawnSync('id', [flag, user], { encoding: 'utf8' }).stdout),
    )
    if (!Number.isInteger(uid) || uid === 0)
      throw new UsageError('ERR_WAVETANK_USER', `wavetank real: ${node.name} needs the user ${user}`)
    chownSync(node.disk, uid, gid)
    chownSync(join(node.disk, 'work'), uid, gid)
    return { uid, gid }
  }

  #runPreparations(node: RealNode, { prepare = [] }: SystemCommand, launch: Launch): void {
    const done = join(node.disk, '..', 'prepared')
    if (existsSync(done)) return
    const { uid, gid } = launch
    const user = { ...(uid === undefined ? {} : { uid }), ...(gid === undefined ? {} : { gid }) }
    for (const [command, ...args] of prepare) {
      const { status, stderr, error } = spawnSync(command, args, {
        cwd: launch.cwd,
        env: { ...launch.env },
        encoding: 'utf8',
        ...user,
      })
      if (status !== 0) {
        throw new UsageError(
          'ERR_WAVETANK_START',
          `wavetank real: ${node.name}: ${command} ended with ${status}: ${error?.message ?? stderr.trim()}`,
        )
      }
    }
    appendFileSync(done, '')
  }

  async #ready(node: RealNode): Promise<void> {
    const { system } = node.placement.definition
    if (system === undefined) await this.serves(node, LISTENS_MS)
    else if (!(await this.serves(node))) {
      throw new UsageError(
        'ERR_WAVETANK_NOT_READY',
        `wavetank real: ${node.name} (${system.name}) is not ready after ${READY_MS / 1000} s; see ${node.process.stderr}`,
      )
    }
  }

  #exited(node: RealNode, boot: number, exit: Exit): void {
    this.drain()
    node.ports.clear()
    this.proxy.close(node.name)
    this.#options.events.exited(node.name, boot, exit, node.ordered)
    if (node.ordered || this.#over || node.placement.definition.onExit !== 'restart') return
    setTimeout(() => {
      if (!node.process.alive && !node.ordered && !node.down) this.boot(node).catch(() => {})
    }, SUPERVISOR_MS)
  }
}

/** The monotonic clock is the same in all processes of a machine, so it says when the wall clock was read. */
function clockReading({ wallMs, monotonicNs }: Extract<NodeReport, { wallMs: number }>): ClockReading {
  const agoMs = Number(process.hrtime.bigint() - BigInt(monotonicNs)) / 1e6
  return { offsetMs: wallMs - (Date.now() - agoMs), atMs: performance.now() - agoMs }
}

async function isReady(ask: () => boolean | Promise<boolean>): Promise<boolean> {
  try {
    return await ask()
  } catch {
    return false
  }
}
