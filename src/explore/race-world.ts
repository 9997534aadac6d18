/**
 * Further processes in the world of a race: servers, peers, whole clusters, each on a host of its own, with a network
 * between them that can be cut. What they do is explored like everything else.
 */
import { isAbsolute, resolve } from 'node:path'
import { NodeProgram, type NodeProgramOptions } from '../node/index.ts'
import type { CutMode } from '../world/network/link.ts'
import type { Host, HostOptions } from '../world/host.ts'
import type { SimProcess } from '../world/process.ts'
import type { World } from '../world/world.ts'

export interface ProcessOptions {
  /** The process's and its host's name: others reach it by that name. */
  readonly name?: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

export interface ClusterOptions extends Omit<ProcessOptions, 'name' | 'env'> {
  readonly entry: string
  /** Names are this and a number from 1; `n` by default. */
  readonly prefix?: string
  readonly env?: (name: string, names: readonly string[]) => Readonly<Record<string, string>>
}

/** Waits until somebody calls what `enlist` is given, which is an event of the world: {@link RaceContext.wait}. */
export type Wait = (what: string, enlist: (wake: () => void) => void) => Promise<void>

/** What a process prints, and who waits for it. */
class Output {
  text = ''
  /** Where that of the last boot begins. */
  private bootAt = 0
  private readonly decoder = new TextDecoder()
  private waiting: { readonly text: string; readonly wake: () => void }[] = []

  add(bytes: Uint8Array): void {
    this.text += this.decoder.decode(bytes, { stream: true })
    const { waiting } = this
    this.waiting = waiting.filter(({ text }) => !this.has(text))
    for (const { text, wake } of waiting) if (this.has(text)) wake()
  }

  enlist(text: string, wake: () => void): void {
    if (this.has(text)) wake()
    else this.waiting.push({ text, wake })
  }

  booted(): void {
    this.bootAt = this.text.length
  }

  private has(text: string): boolean {
    return this.text.includes(text, this.bootAt)
  }
}

/** One further process. */
export class RaceProcess {
  readonly name: string
  readonly address: string
  private readonly process: SimProcess
  private readonly printing: Output
  private readonly wait: Wait

  constructor(process: SimProcess, host: Host, output: Output, wait: Wait) {
    this.process = process
    this.name = process.name
    this.address = host.address
    this.printing = output
    this.wait = wait
  }

  /** What it has printed so far. */
  get output(): string {
    return this.printing.text
  }

  /** Waits until it has printed this since it was last started: `await server.printed('listening')`. */
  printed(text: string): Promise<void> {
    return this.wait(`${this.name} to print ${JSON.stringify(text)}`, (wake) =>
      this.printing.enlist(text, wake),
    )
  }

  get alive(): boolean {
    return this.process.alive
  }

  /** SIGTERM: it may clean up. */
  terminate(): void {
    this.process.signal('SIGTERM')
  }

  /** SIGKILL: it never runs again, until it is started. */
  stop(): void {
    this.process.kill()
  }

  /** Boots it again, with its disk as it was. */
  start(): void {
    this.printing.booted()
    this.process.start()
  }

  pause(): void {
    this.process.pause()
  }

  resume(): void {
    this.process.resume()
  }
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

  /** Cuts the network between two processes, or between two groups: packets are dropped, or kept until it is healed. */
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

/** Boots processes into a world, as the body of a race asks for them. */
export class RaceWorld {
  private readonly world: World
  private readonly base: Pick<NodeProgramOptions, 'loader' | 'cwd'> & { readonly cwd: string }
  /** What every host is made with. */
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
