/** `worker`: worker threads as event loops of their own inside a simulated process. Follows src/node_worker.cc. */
import { AsyncResource } from 'node:async_hooks'
import { current } from '../../process/current.ts'
import { Handle } from '../../process/handle.ts'
import { takeInternals, type Binding } from '../../library/internals.ts'
import type { RunningProcess } from '../../process/running-process.ts'
import { startThread } from '../../process/worker-thread.ts'
import { closed } from '../binding.ts'
import { PortGroup, type PortCore } from './message-port.ts'
import { portClassOf } from './messaging.ts'

const { kTotalResourceLimitCount } = takeInternals().internalBinding('worker')

/** The values that Node shows for limits that were not set. */
const DEFAULT_LIMITS_MB = [48, 2096, 0, 4]

/** How long it takes until a thread is joined: its last messages are there before. */
const JOIN_US = 100

/** How long it takes until another thread answers. */
const ASK_US = 5

class Worker extends Handle {
  onexit: ((code: number, error: string | null, reason: string | null) => void) | null = null
  readonly messagePort: object
  readonly threadId: number
  readonly threadName: string
  /** Flags that a thread cannot have. */
  invalidExecArgv?: readonly string[]
  private readonly port: PortCore
  private readonly settings: {
    readonly env: Readonly<Record<string, string>>
    readonly sharedEnv: Record<string, string> | null
    readonly execArgv: readonly string[]
    readonly resourceLimits: Float64Array
    readonly tracksDescriptors: boolean
    readonly isInternal: boolean
    readonly name: string
  }
  private startedUs = 0
  private running: RunningProcess | null = null

  constructor(
    _url: unknown,
    env: Readonly<Record<string, string>> | null | undefined,
    execArgv: readonly string[] | undefined,
    limits: Float64Array,
    tracksDescriptors: boolean,
    isInternal = false,
    name = '',
  ) {
    super('WORKER')
    const creator = this.process
    const [mine, theirs] = PortGroup.pair(creator, creator)
    this.messagePort = portClassOf(creator).wrap(mine)
    this.port = theirs
    this.threadId = creator.threadIds.next++
    this.threadName = name
    const own = creator.object.env as Record<string, string>
    const resourceLimits = new Float64Array(kTotalResourceLimitCount)
    for (let i = 0; i < resourceLimits.length; i++) {
      resourceLimits[i] = limits?.[i] > 0 ? limits[i] : (DEFAULT_LIMITS_MB[i] ?? 0)
    }
    // No flags follow two dashes.
    const end = execArgv?.indexOf('--') ?? -1
    if (end >= 0) execArgv = execArgv!.slice(0, end)
    const fromEnv = env?.NODE_OPTIONS?.split(' ').filter((word) => word !== '') ?? []
    const invalid = [
      ...(execArgv ?? []).filter((flag, i) => !isThreadOption(creator, flag, execArgv![i + 1])),
      ...fromEnv.filter((flag, i) => !isThreadOption(creator, flag, fromEnv[i + 1])),
    ]
    if (invalid.length > 0) this.invalidExecArgv = invalid
    const { hash } = creator.kernel
    for (const text of [name, ...Object.entries(env ?? {}).flat()]) hash.addText(text, 'starts a thread with')
    this.settings = {
      env: { ...(env ?? own) },
      sharedEnv: env === undefined ? own : null,
      execArgv: execArgv ?? creator.placement.execArgv,
      resourceLimits,
      tracksDescriptors,
      isInternal,
      name,
    }
  }

  startThread(): void {
    const creator = current()
    this.active = true
    this.startedUs = creator.kernel.now
    const { threadId, port } = this
    this.running = startThread(creator, {
      ...this.settings,
      threadId,
      port,
      exited: (code) => {
        this.running = null
        creator.kernel.schedule(creator.actor, 'thread-exit', JOIN_US, () => {
          creator.loop.receive(() => {
            this.active = false
            this.callback('onexit', code, null, null)
            this.close()
          })
        })
      },
    })
  }

  stopThread(): void {
    const { running } = this
    if (running !== null)
      this.process.kernel.schedule(running.actor, 'terminate', 0, () => running.exit(1, null))
  }

  /** Nothing once the thread is joined: the native object is gone. */
  override hasRef(): boolean {
    return this.isOpen ? super.hasRef() : (undefined as unknown as boolean)
  }

  getResourceLimits(): Float64Array {
    return this.settings.resourceLimits
  }

  /** Milliseconds since the thread's time origin; negative before the loop runs. */
  loopStartTime(): number {
    return this.running === null ? -1 : (this.running.binding('performance').loopStartMs() as number)
  }

  loopIdleTime(): number {
    return this.running === null ? 0 : this.running.loop.idleUs / 1000
  }

  /** Asks the thread for the time it has used; nothing when there is no thread. */
  cpuUsage(): CpuUsageRequest | undefined {
    const { process, running } = this
    if (running === null) return undefined
    const request = new CpuUsageRequest()
    process.complete('thread', ASK_US, () => {
      const user = process.kernel.now - this.startedUs
      if (request.ondone !== undefined)
        process.makeCallback(request, request.ondone, request, null, { user, system: 0 })
      request.emitDestroy()
    })
    return request
  }
}

class CpuUsageRequest extends AsyncResource {
  ondone?: (error: null, usage: { readonly user: number; readonly system: number }) => void

  constructor() {
    super('WORKERCPUUSAGE', { requireManualDestroy: true })
  }
}

/** Options that only a whole process can have; those of the engine are refused, too. */
const PROCESS_OPTIONS = new Set(['--title', '--trace-event-categories', '--secure-heap', '--use-openssl-ca'])

function isThreadOption(process: RunningProcess, flag: string, next: string | undefined): boolean {
  const name = flag.split('=')[0]
  if (!name.startsWith('-')) return true
  const { types } = process.binding('options')
  const { options, aliases } = process.modules.require('internal/options').getCLIOptionsInfo()
  const known = options.get(aliases.get(name)?.[0] ?? name) ?? options.get(name.replace(/^--no-/, '--'))
  if (known === undefined || known.type === types.kV8Option || PROCESS_OPTIONS.has(name)) return false
  const takesValue = known.type === types.kString || known.type === types.kStringList
  return !takesValue || flag.includes('=') || next !== undefined
}

export function worker(process: RunningProcess): Binding {
  const { thread } = process.placement
  const limits = thread?.resourceLimits
  let port: object | undefined
  return closed('worker', {
    Worker,
    threadId: thread?.threadId ?? 0,
    threadName: thread?.name ?? 'main',
    isMainThread: thread === null,
    isInternalThread: thread?.isInternal ?? false,
    ownsProcessState: thread === null,
    ...(limits === undefined ? {} : { resourceLimits: limits }),
    getEnvMessagePort: () =>
      thread === null ? undefined : (port ??= portClassOf(process).wrap(thread.port)),
  })
}
