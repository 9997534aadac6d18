/**
 * Handles and requests: the objects through which Node's library talks to libuv. Both are async resources under Node's
 * own type names, so async hooks and `AsyncLocalStorage` see what they see in Node. An active, ref'd handle keeps its
 * process's loop alive; a handle that closes calls back in the loop's closing phase.
 */
import { AsyncResource } from 'node:async_hooks'
import { current } from './current.ts'
import { takeInternals } from '../library/internals.ts'
import type { RunningProcess } from './running-process.ts'

const { symbols, defaultTriggerAsyncIdScope } = takeInternals().require('internal/async_hooks')
const { resource_symbol: publicResource } = takeInternals().internalBinding('symbols')
const { Providers: providers } = takeInternals().internalBinding('async_wrap')
const onclose: symbol = takeInternals().internalBinding('symbols').handle_onclose ?? symbols.handle_onclose

/** The part of `AsyncResource` that handles use; its `bind` would be taken for a socket's. */
export interface Resource {
  runInAsyncScope<R>(fn: (...args: any[]) => R, self?: unknown, ...args: unknown[]): R
  emitDestroy(): unknown
  asyncId(): number
  triggerAsyncId(): number
}

const ResourceBase = AsyncResource as unknown as new (type: string, options: object) => Resource

const MANUAL = { requireManualDestroy: true }

const PUBLIC_NAMES: Readonly<Record<string, string>> = {
  FSEVENTWRAP: 'FSEventWrap',
  MESSAGEPORT: 'MessagePort',
  PIPESERVERWRAP: 'PipeWrap',
  PIPEWRAP: 'PipeWrap',
  PROCESSWRAP: 'ProcessWrap',
  SIGNALWRAP: 'SignalWrap',
  STATWATCHER: 'StatWatcher',
  TCPSERVERWRAP: 'TCPServerWrap',
  TCPWRAP: 'TCPSocketWrap',
  TTYWRAP: 'TTYWrap',
  UDPWRAP: 'UDPWrap',
  WORKER: 'Worker',
}

type State = 'open' | 'closing' | 'closed'

export class Handle extends ResourceBase {
  [member: symbol]: unknown
  /** Node's name for its kind of async resource: `TCPWRAP`, `PIPEWRAP`, … */
  readonly resourceName: string
  readonly #process: RunningProcess
  #refed = true
  #active = false
  #state: State = 'open'

  constructor(type: string) {
    super(type, MANUAL)
    this.resourceName = type
    this.#process = current()
    this.#process.handles.add(this)
  }

  /** Its name in `process.getActiveResourcesInfo()` (`MemoryInfoName` in C++). */
  get publicName(): string {
    return PUBLIC_NAMES[this.resourceName] ?? this.resourceName
  }

  /** The process that made it. */
  get process(): RunningProcess {
    return this.#process
  }

  get isOpen(): boolean {
    return this.#state === 'open'
  }

  get active(): boolean {
    return this.#active
  }

  /** Whether it would keep the loop alive, were it ref'd: listening, reading, waiting. */
  set active(active: boolean) {
    if (active === this.#active) return
    this.#active = active
    if (this.#refed) this.#process.loop.handleActive(active ? 1 : -1)
  }

  ref(): void {
    if (this.#refed || this.#state !== 'open') return
    this.#refed = true
    if (this.#active) this.#process.loop.handleActive(1)
  }

  unref(): void {
    if (!this.#refed || this.#state !== 'open') return
    this.#refed = false
    if (this.#active) this.#process.loop.handleActive(-1)
  }

  hasRef(): boolean {
    return this.#state === 'open' && this.#refed
  }

  close(callback?: () => void): void {
    if (this.#state !== 'open') return
    current()
    this.active = false
    this.#state = 'closing'
    if (typeof callback === 'function') this[onclose] = callback
    this.release()
    this.#process.loop.close(() => {
      this.#state = 'closed'
      this.#process.handles.delete(this)
      const closed = this[onclose]
      if (typeof closed === 'function') this.#process.makeCallback(this, closed as () => void, this)
      this.emitDestroy()
    })
  }

  getAsyncId(): number {
    return this.asyncId()
  }

  getProviderType(): number {
    return providers[this.resourceName] as number
  }

  /** From here on it counts as another resource: an agent gives a socket to its next request. */
  asyncReset(resource: object = this): void {
    this.emitDestroy()
    function Renewed(): void {}
    Renewed.prototype = Object.create(ResourceBase.prototype as object, {
      [publicResource]: { value: resource },
    })
    const renewed = Reflect.construct(ResourceBase, [this.resourceName, MANUAL], Renewed) as Handle
    for (const symbol of Object.getOwnPropertySymbols(renewed)) this[symbol] = renewed[symbol]
    this[publicResource] = resource
  }

  /** Calls one of the handle's own callbacks (`onread`, `onconnection`, …) as one libuv callback. */
  callback(name: string, ...args: unknown[]): unknown {
    const callback = (this as unknown as Record<string, unknown>)[name]
    if (typeof callback !== 'function') return undefined
    return this.#process.makeCallback(this, callback as (...args: unknown[]) => unknown, this, ...args)
  }

  /** Makes something that this handle is the cause of, for async hooks. */
  protected triggering<T>(make: () => T): T {
    return defaultTriggerAsyncIdScope(this.asyncId(), make) as T
  }

  /** Lets go of what it holds in the world. Called once, when it is closed or when its process has ended. */
  protected release(): void {}

  /** Its process has ended: nothing of it will ever be called again. */
  abandon(): void {
    if (this.#state !== 'open') return
    this.#state = 'closed'
    this.release()
  }
}

/** A request: something that completes once. */
export class Request extends ResourceBase {
  oncomplete?: (...args: any[]) => unknown
  constructor(type: string) {
    super(type, MANUAL)
  }
  getAsyncId(): number {
    return this.asyncId()
  }
}

/** A request class of Node's name, with Node's async type. */
export function requestClass(name: string, type: string): new () => Request {
  const made = {
    [name]: class extends Request {
      constructor() {
        super(type)
      }
    },
  }
  return made[name]
}
