/**
 * The system under test in one seed: hosts, disks and processes as the topology says, what they print, and what their
 * exits mean. It owns nothing of the workload.
 */
import type { Arena, Membership, Propagation, Variant, Victim } from '../../faults/arena.ts'
import { BudgetLedger, type FaultBudget } from '../../faults/budget.ts'
import { EvidenceTally } from '../../faults/evidence-tally.ts'
import { OrderedExits } from '../../faults/ordered-exits.ts'
import type { DiskModel } from '../../world/disk/disk.ts'
import type { ImageMount } from '../../world/disk/image.ts'
import type { ExitStatus, Program, SimProcess } from '../../world/process.ts'
import type { World } from '../../world/world.ts'
import type { ProcessEvent } from '../authoring/event-log.ts'
import type { Placement, Topology } from './topology.ts'

/** How long a supervisor takes to start a process again, in virtual milliseconds. */
const SUPERVISOR_MS = 500

export interface SystemOptions {
  readonly world: World
  readonly image: readonly ImageMount[]
  readonly diskModel: DiskModel
  /** Milliseconds since 1970 when the world begins. */
  readonly epochMs: number
  readonly budget: FaultBudget
  /** The program of a process, or of one of its variants. */
  readonly programOf: (placement: Placement, variant?: string) => Program
  readonly propagation: readonly Propagation[]
  readonly membership: Membership | null
  /** The names of the processes that have a role now. */
  readonly holdersOf: (role: string) => readonly string[]
  /** A process came, went, or was lost. */
  readonly changed: (event: ProcessEvent) => void
  /** A process ended by itself, and no supervisor starts it again. */
  readonly crashed: (process: SimProcess, status: ExitStatus) => void
}

export class System {
  readonly world: World
  readonly processes: readonly SimProcess[]
  readonly arena: Arena
  readonly ledger: BudgetLedger
  private readonly options: SystemOptions
  private readonly spared: readonly SimProcess[]

  constructor(topology: Topology, options: SystemOptions) {
    this.options = options
    this.world = options.world
    const { kernel, network, reports } = options.world
    const hosts = new Map(
      topology.hostNames.map(({ name, locality }) => {
        const { image, diskModel: model, epochMs } = options
        return [name, options.world.addHost(name, { locality, epochMs, disk: { image, model } })] as const
      }),
    )
    const entries = topology.placements.map((placement) => {
      const { name, group, locality, host: hostName } = placement.identity
      const host = hosts.get(hostName)!
      const process = options.world.addProcess(name, host, options.programOf(placement))
      process.onExit((status) => this.exited(process, placement, status))
      const victim: Victim = {
        name,
        group,
        process,
        host,
        machine: hostName,
        zone: locality.zone ?? hostName,
        tags: placement.identity.tags,
        variants: this.variantsOf(placement),
      }
      return { process, victim, spared: placement.definition.spared === true }
    })
    this.processes = entries.map((entry) => entry.process)
    this.spared = entries.filter((entry) => entry.spared).map((entry) => entry.process)
    const victims = entries.filter((entry) => !entry.spared).map((entry) => entry.victim)
    const victimHosts = [...hosts.values()].filter((host) => victims.some((victim) => victim.host === host))
    this.ledger = new BudgetLedger(options.budget, victims)
    this.arena = {
      kernel,
      network,
      tally: new EvidenceTally(reports),
      victims,
      hosts: victimHosts.filter((host) => host.processes.every((process) => !this.spared.includes(process))),
      allHosts: [...options.world.hosts.values()],
      ordered: new OrderedExits(),
      propagation: options.propagation,
      membership: options.membership,
      holders: (role) => {
        const names = options.holdersOf(role)
        return victims.filter(({ name }) => names.includes(name))
      },
    }
  }

  private variantsOf(placement: Placement): Variant[] {
    return Object.entries(placement.definition.variants ?? {}).map(([name, { entry, run }]) => {
      const kind = entry === undefined && run === undefined ? 'config' : 'version'
      return { name, kind, program: this.options.programOf(placement, name) }
    })
  }

  start(): void {
    for (const process of this.processes) this.boot(process)
  }

  /** How often processes were started in all. */
  get boots(): number {
    return this.processes.reduce((sum, process) => sum + process.boots, 0)
  }

  private boot(process: SimProcess): void {
    process.start()
  }

  /** Called by the program of a process when it begins to run. */
  booted(process: SimProcess): void {
    this.options.changed(this.event(process, 'boot', null))
  }

  private exited(process: SimProcess, placement: Placement, status: ExitStatus): void {
    const ordered = this.arena.ordered.has(process)
    this.options.changed({ ...this.event(process, 'exit', status), ordered })
    if (ordered) return
    const { onExit = 'fail' } = placement.definition
    if (onExit === 'restart') this.supervise(process, placement)
    else if (onExit === 'fail' && status.code !== 0) this.options.crashed(process, status)
  }

  /** A process that ended by itself is out as well, until its supervisor has started it again. */
  private supervise(process: SimProcess, { identity }: Placement): void {
    const { kernel } = this.world
    const back = this.ledger.takeOut([identity])
    kernel.schedule(process.host.actor, 'supervisor', SUPERVISOR_MS * 1000, () => {
      back()
      if (!process.alive && process.host.up && !this.arena.ordered.has(process)) this.boot(process)
    })
  }

  private event(
    process: SimProcess,
    change: ProcessEvent['change'],
    status: ExitStatus | null,
  ): ProcessEvent {
    const { code = null, signal = null } = status ?? {}
    return { process: process.name, change, boot: process.boots, code, signal, ordered: false }
  }
}
