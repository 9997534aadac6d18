/**
 * The tank as an environment: every run is a small world of its own, in which the file of the race is loaded anew into a
 * simulated process and the body is found by its title. Everything that the file imports is inside, with fresh state, and
 * everything asynchronous that it uses is an event of the world: timers, sockets, files, workers, fetch.
 */
import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Kernel, Pause } from '../../kernel/kernel.ts'
import { NodeProgram, NodeThread, running, type RunningProcess } from '../../node/index.ts'
import type { ImageMount } from '../../world/disk/image.ts'
import type { HostOptions } from '../../world/host.ts'
import { LOOPBACK_LINK } from '../../world/network/link.ts'
import type { SimProcess } from '../../world/process.ts'
import { World } from '../../world/world.ts'
import type { Environment, EnvironmentEvents, EnvironmentFactory, RaceBody } from './environment.ts'
import { AWAIT_HOOK, everyAwaitTransform, type EveryAwait } from '../authoring/every-await.ts'
import { collectRaces } from '../authoring/race-collection.ts'
import { RaceWorld } from '../authoring/race-world.ts'
import { forgetTasks } from './tasks.ts'

export interface TankOptions {
  /** The file in which the race is declared. */
  readonly file: string
  /** The race's title, with those of the groups around it: see race-collection.ts. */
  readonly title: string
  /** The read-only layer of the disk: the project. */
  readonly image: readonly ImageMount[]
  /** Modules that are the same inside and outside: wavetank's own, and the test runner's stand-in. */
  readonly hostModules: Readonly<Record<string, unknown>>
  /** What the test runner puts on the global object, for its own modules and for files that use the globals. */
  readonly globals?: Readonly<Record<PropertyKey, unknown>>
  readonly everyAwait?: EveryAwait | undefined
  readonly splitWrites?: boolean | undefined
  /** Packages whose native addons may be loaded. */
  readonly addons?: readonly string[] | undefined
  /** Modules to load in place of others, by name; relative to the file. */
  readonly externals?: Readonly<Record<string, string>> | undefined
  readonly onOutput?: (text: string) => void
}

/** The share of writes that arrive in two pieces, with `splitWrites`: often, but mostly not all of them. */
const SPLIT_PPM = 250_000

const DECODER = new TextDecoder()

export function tankEnvironment(options: TankOptions): EnvironmentFactory {
  return (kernel, events) => new TankEnvironment(options, kernel, events)
}

class TankEnvironment implements Environment {
  private readonly options: TankOptions
  private readonly kernel: Kernel
  private readonly events: EnvironmentEvents
  readonly processes: RaceWorld
  private readonly world: World
  private readonly subject: SimProcess
  private node: RunningProcess | null = null
  private begin: (body: RaceBody) => void = () => {}
  private over = false

  constructor(options: TankOptions, kernel: Kernel, events: EnvironmentEvents) {
    this.options = options
    this.kernel = kernel
    this.events = events
    const splits = options.splitWrites === true ? { splitPpm: SPLIT_PPM } : {}
    this.world = new World({ kernel, link: splits })
    const machine: HostOptions = {
      disk: { image: options.image },
      stack: { loopback: { ...LOOPBACK_LINK, ...splits } },
    }
    const base = {
      cwd: dirname(options.file),
      loader: {
        hostModules: options.hostModules,
        root: dirname(options.file),
        addons: options.addons ?? [],
        externals: options.externals ?? {},
      },
    }
    this.processes = new RaceWorld(this.world, base, machine)
    const host = this.world.addHost('test', machine)
    const program = new NodeProgram({
      ...base,
      loader: { ...base.loader, transform: everyAwaitTransform(options.everyAwait ?? false) },
      entry: () => this.load(),
      env: { NODE_ENV: 'test' },
      onOutput: ({ bytes }) => options.onOutput?.(DECODER.decode(bytes)),
    })
    this.subject = this.world.addProcess('test', host, program)
    this.subject.onExit((status) => {
      if (!this.over)
        this.events.uncaught(new Error(`the process ended: ${status.signal ?? `exit code ${status.code}`}`))
    })
  }

  get actor() {
    return this.subject.actor
  }

  start(begin: (body: RaceBody) => void): void {
    this.begin = begin
    this.subject.start()
  }

  call(work: () => void): void {
    const node = this.node!
    node.loop.receive(() => node.guarded(work))
  }

  run(steps: number, swept: boolean): Pause {
    const thread = NodeThread.get()
    try {
      return thread.burst(() => {
        try {
          return this.kernel.run(steps)
        } finally {
          this.over = true
          for (const process of this.world.processes.values()) if (process.alive) process.kill()
        }
      })
    } finally {
      if (swept) thread.endWorld()
    }
  }

  dispose(): void {
    forgetTasks()
  }

  /** The first step of the process: loads the file, finds the body. */
  private load(): void {
    const node = running!
    this.node = node
    node.loop.requestStarted() // the process must not exit when its loop is empty
    node.object.on('uncaughtException', this.events.uncaught)
    if (this.options.everyAwait !== undefined)
      Object.defineProperty(node.global, AWAIT_HOOK, { value: this.events.awaited })
    const loader = node.loader!
    loader.initialize()
    // The object that programs hold: bare names must be found as well.
    Object.assign(node.global.globalThis as object, this.options.globals)
    const collecting = collectRaces(async () => {
      await loader.import(pathToFileURL(this.options.file).href)
    })
    collecting
      .then((races) => races.find(this.options.title))
      .then(({ body }) => this.begin(body), this.events.broken)
  }
}
