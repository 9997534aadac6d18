/**
 * The two or more ends of a channel, each in the process that holds it. Messages wait at an end until it is started;
 * they reach its process as one poll-phase callback, each message with its ticks drained, as from `uv_async_t`.
 */
import { max } from '../../../kernel/arithmetic.ts'
import { Handle } from '../../process/handle.ts'
import { takeInternals } from '../../library/internals.ts'
import { setRunning, running } from '../../process/current.ts'
import { ProcessSlot } from '../../process/process-slot.ts'
import type { RunningProcess } from '../../process/running-process.ts'

/** How long a message takes from one thread to another. */
const HANDOVER_US = 5
/** How many messages a port delivers in one callback, if more keep coming. */
const BATCH = 1_000

/** A message on its way. */
export interface Message {
  /** Makes the value in the process that receives it. */
  open(process: RunningProcess): { readonly value: unknown; readonly ports: readonly object[] }
}

let emit: ((this: unknown, value: unknown, ports: readonly object[], type: string) => void) | undefined

/** Node's own function that dispatches a message to a port's listeners. */
function emitMessage(): NonNullable<typeof emit> {
  if (emit === undefined) {
    const { compileFunction, primordials, internalBinding } = takeInternals()
    const exports: { emitMessage?: typeof emit } = {}
    const { privateSymbols } = internalBinding('util')
    compileFunction('internal/per_context/messageport')(exports, primordials, privateSymbols, {})
    emit = exports.emitMessage!
  }
  return emit
}

/** Ends that hear each other: two for a channel, any number for a broadcast. */
export class PortGroup {
  private readonly members = new Set<PortCore>()
  readonly broadcast: boolean

  constructor(broadcast: boolean) {
    this.broadcast = broadcast
  }

  static pair(a: RunningProcess, b: RunningProcess): readonly [PortCore, PortCore] {
    const group = new PortGroup(false)
    const pair = [new PortCore(a), new PortCore(b)] as const
    for (const core of pair) group.join(core)
    return pair
  }

  join(core: PortCore): void {
    this.members.add(core)
    core.group = this
  }

  others(core: PortCore): PortCore[] {
    return [...this.members].filter((member) => member !== core)
  }

  leave(core: PortCore): void {
    this.members.delete(core)
    if (!this.broadcast) for (const other of this.members) other.peerClosed()
  }
}

/** The libuv handle of a port: it keeps the loop alive while it is ref'd. */
class PortHandle extends Handle {
  private readonly core: PortCore
  constructor(core: PortCore) {
    super('MESSAGEPORT')
    this.core = core
    this.active = true
  }
  protected override release(): void {
    this.core.closed()
  }
}

export class PortCore {
  group: PortGroup | null = null
  handle: PortHandle | null = null
  /** Orders the ports of a process by when it got them. */
  serial = 0
  /** The object for this end in the process that holds it; null while it travels. */
  port: object | null = null
  private process: RunningProcess
  private readonly queue: Message[] = []
  private started = false
  private scheduled = false
  private ended = false

  constructor(process: RunningProcess) {
    this.process = process
  }

  get detached(): boolean {
    return this.port === null || this.handle?.isOpen === false
  }

  /** A process got hold of this end, by making it or by receiving it. */
  adopt(process: RunningProcess, port: object): void {
    this.process = process
    this.port = port
    const outer = running
    setRunning(process)
    this.handle = new PortHandle(this)
    this.serial = this.handle.asyncId()
    this.scheduled = false
    setRunning(outer)
    if (this.ended) this.handle.close()
  }

  /** It travels to another process: it keeps what has arrived. */
  detach(): void {
    const { handle } = this
    this.handle = null
    this.port = null
    this.started = false
    if (handle !== null) {
      this.process.handles.delete(handle)
      handle.active = false
    }
  }

  /** Whether this is the other end of a channel. */
  isPeerOf(other: PortCore): boolean {
    return this !== other && this.group !== null && this.group === other.group && !this.group.broadcast
  }

  /** True once it is on its way; undefined when the other end is closed. */
  post(message: Message): true | undefined {
    if (this.group === null) return undefined
    for (const other of this.group.others(this)) other.arrive(message)
    return true
  }

  start(): void {
    this.started = true
    if (this.queue.length > 0 || this.ended) this.schedule()
  }

  stop(): void {
    this.started = false
  }

  take(): Message | undefined {
    return this.queue.shift()
  }

  close(): void {
    if (this.handle === null) return
    const { port, handle } = this
    const { handle_onclose: onclose } = takeInternals().internalBinding('symbols')
    handle.close(() => (port as any)[onclose]?.())
  }

  /** Its handle was closed, or its process has ended. */
  closed(): void {
    const { group } = this
    this.group = null
    group?.leave(this)
  }

  peerClosed(): void {
    this.ended = true
    if (!this.detached) this.schedule()
  }

  /** Everything that has arrived is delivered now. */
  readonly drain = (): void => {
    this.scheduled = false
    // As many as are there, so that two ports that answer each other do not keep the loop from its other work.
    let left = max(this.queue.length, BATCH)
    while (
      left-- > 0 &&
      this.started &&
      this.queue.length > 0 &&
      this.handle !== null &&
      this.process.zombie === null
    ) {
      const message = this.queue.shift()!
      const { port, handle, process } = this
      process.kernel.readClock() // a message takes its time, or ports that answer each other would stop the clock
      process.makeCallback(
        handle,
        () => {
          let opened: ReturnType<Message['open']>
          try {
            opened = message.open(process)
          } catch (error) {
            emitMessage().call(port, error, [], 'messageerror')
            return
          }
          emitMessage().call(port, opened.value, opened.ports, 'message')
        },
        port,
      )
    }
    if (this.started && this.queue.length > 0) this.schedule()
    if (this.ended && (this.queue.length === 0 || !this.started)) this.close()
  }

  private arrive(message: Message): void {
    this.queue.push(message)
    if (this.started) this.schedule()
  }

  private schedule(): void {
    if (this.scheduled || this.detached) return
    this.scheduled = true
    wakeupOf(this.process).add(this)
  }
}

/**
 * One loop's `uv_async_t`s: they share a descriptor, so that one wakeup serves all that have something, in the order in
 * which they were made.
 */
class Wakeup {
  private readonly process: RunningProcess
  private pending: PortCore[] = []

  constructor(process: RunningProcess) {
    this.process = process
  }

  add(core: PortCore): void {
    const { kernel, actor } = this.process
    this.pending.push(core)
    // A loop that wakes itself up finds it the next time that it polls.
    const delayUs = running === this.process ? 0 : HANDOVER_US
    if (this.pending.length === 1) kernel.schedule(actor, 'message', delayUs, this.wake)
  }

  private readonly wake = (): void => {
    const due = this.pending.sort((a, b) => a.serial - b.serial)
    this.pending = []
    for (const core of due) this.process.loop.receive(core.drain)
  }
}

const WAKEUP = new ProcessSlot<Wakeup>()

function wakeupOf(process: RunningProcess): Wakeup {
  return WAKEUP.get(process) ?? WAKEUP.set(process, new Wakeup(process))
}
