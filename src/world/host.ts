/**
 * A host: a simulated machine with an address, a wall clock, a disk and a network stack. Its actor stands for the
 * machine itself, so packets that find no process are answered, or not, by the machine. A host without power is silent:
 * its processes are gone at once, nothing is closed properly, and its disk keeps what it had made durable.
 */
import type { Actor } from '../kernel/actor.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { WallClock } from './clock.ts'
import { Disk, type DiskOptions } from './disk/disk.ts'
import type { Evidence } from './evidence.ts'
import type { Network } from './network/network.ts'
import { NetworkStack, type StackHost, type StackOptions } from './network/stack.ts'
import type { SimProcess } from './process.ts'

export interface HostOptions {
  /** Image, capacity and faults of its disk. */
  readonly disk?: Partial<DiskOptions>
  readonly stack?: Partial<StackOptions>
  /** Where it stands; what fails together. */
  readonly locality?: Readonly<{ datacentre?: string; zone?: string; machine?: string }>
  /** Milliseconds since 1970 that its clock shows when the world begins. */
  readonly epochMs?: number
}

export class Host implements StackHost {
  readonly name: string
  readonly address: string
  readonly address6: string
  readonly actor: Actor
  readonly clock: WallClock
  readonly net: NetworkStack
  readonly locality: NonNullable<HostOptions['locality']>
  readonly disk: Disk
  /** Whether it has power. */
  up = true
  /** How often it lost power: what an earlier time knew, a later one does not. */
  powerCycles = 0
  /** Virtual time at which it was last switched on. */
  bootedAtUs = 0
  private readonly kernel: Kernel
  private readonly evidence: Evidence
  private readonly inhabitants: SimProcess[] = []
  private frozen: SimProcess[] = []
  private nextPid = 1_000

  constructor(
    { kernel, evidence, network }: { kernel: Kernel; evidence: Evidence; network: Network },
    name: string,
    index: number,
    options: HostOptions,
  ) {
    this.kernel = kernel
    this.evidence = evidence
    this.name = name
    this.address = `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`
    this.address6 = `fd00::${index.toString(16)}`
    this.actor = kernel.actor(`host ${name}`, { ordered: false })
    const epochUs = options.epochMs === undefined ? undefined : options.epochMs * 1_000
    this.clock = new WallClock(kernel, evidence, name, epochUs)
    const { image, capacityBytes, faults, writebackUs, model } = options.disk ?? {}
    const wallUs = (): number => this.clock.nowUs()
    this.disk = new Disk({ name, kernel, wallUs, image, capacityBytes, faults, evidence, writebackUs, model })
    this.net = new NetworkStack(this, network, options.stack)
    this.locality = options.locality ?? {}
  }

  /** The processes that live here, in the order in which they were added. */
  get processes(): readonly SimProcess[] {
    return this.inhabitants
  }

  addProcess(process: SimProcess): void {
    this.inhabitants.push(process)
  }

  /** A process that will never run again, such as a child that ended. */
  removeProcess(process: SimProcess): void {
    const at = this.inhabitants.indexOf(process)
    if (at >= 0) this.inhabitants.splice(at, 1)
  }

  /** Process numbers are given out in order and never again. */
  takePid(): number {
    return this.nextPid++
  }

  /** Stops the whole machine, as a hypervisor does: processes and network stack stand still while the world goes on. */
  freeze(): void {
    if (!this.up || this.actor.state !== 'running') return
    this.kernel.pause(this.actor)
    this.frozen = this.inhabitants.filter(({ state }) => state === 'running')
    for (const process of this.frozen) process.pause()
    this.evidence.report('host-frozen', { host: this.name, processes: this.frozen.length })
  }

  /** Goes on with everything that {@link freeze} stopped. */
  thaw(): void {
    if (this.actor.state !== 'paused') return
    this.kernel.resume(this.actor)
    for (const process of this.frozen) process.resume()
    this.frozen = []
  }

  /** Cuts the power: processes and connections end without a word, the disk loses what was not durable. */
  powerOff(): void {
    if (!this.up) return
    this.up = false
    this.frozen = []
    this.kernel.resume(this.actor) // what waited in a frozen machine finds it without power
    this.powerCycles++
    this.net.powerOff()
    let victims = 0
    for (const process of this.inhabitants) if (process.powerOff()) victims++
    this.disk.powerLoss()
    this.evidence.report('power-lost', { host: this.name, processes: victims })
  }

  /** Gives it power again. Its processes stay off until they are started. */
  powerOn({ wipe = false }: { readonly wipe?: boolean } = {}): void {
    if (this.up) return
    this.up = true
    this.bootedAtUs = this.kernel.now
    if (wipe) this.disk.wipe()
    this.evidence.report(wipe ? 'power-on-wiped' : 'power-on', { host: this.name })
  }
}
