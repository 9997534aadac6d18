/**
 * `messaging`: structured clone, message channels and broadcast channels. Cloning is V8's own; what a native port would
 * do with libuv, ports here do with the loop of the process that holds them, so a port may lead to another process (a
 * worker thread). Node's library changes the prototype of the port class when it loads, so every process has its own.
 */
import { current, running } from '../../process/current.ts'
import { cloningEnvironments } from '../../process/environment-variables.ts'
import { takeInternals, type Binding } from '../../library/internals.ts'
import { ProcessSlot } from '../../process/process-slot.ts'
import type { RunningProcess } from '../../process/running-process.ts'
import { closed, UnsupportedError } from '../binding.ts'
import { cloneWithPorts } from './message-clone.ts'
import { PortCore, PortGroup } from './message-port.ts'

const MADE_HERE = Symbol('made here')

/** The port class of a process, and the way to wrap a port that arrived in it. */
export interface PortClass {
  wrap(core: PortCore): object
  coreOf(value: unknown): PortCore | undefined
  /** The object that stood for a port stands for none any more: the port travels. */
  disown(core: PortCore): void
}

type Classes = ReturnType<typeof createClasses>

const CLASSES = new ProcessSlot<Classes>()

/** A process's port class; made now if there is none. */
export function portClassOf(process: RunningProcess): PortClass {
  return classesOf(process)
}

function classesOf(process: RunningProcess): Classes {
  return CLASSES.get(process) ?? CLASSES.set(process, createClasses(process))
}

/** Found when they are first read: few processes have ports. */
const CLASS_MEMBERS: PropertyDescriptorMap = {
  MessagePort: { get: () => classesOf(running!).MessagePort },
  MessageChannel: { get: () => classesOf(running!).MessageChannel },
}

/** Natively its value is found when it is first read, which a program cannot see. */
function exposeLazyDOMExceptionProperty(global: object): void {
  const value: unknown = takeInternals().require('internal/util').lazyDOMExceptionClass()
  Object.defineProperty(global, 'DOMException', { value, writable: true, configurable: true })
}

export function messaging(process: RunningProcess): Binding {
  const real = takeInternals().internalBinding('messaging')
  const { no_message_symbol: noMessage } = takeInternals().internalBinding('symbols')
  const lazy = (): Classes => classesOf(process)
  const members = {
    structuredClone: cloningEnvironments(real.structuredClone),
    DOMException: real.DOMException,
    QuotaExceededError: real.QuotaExceededError,
    JSTransferable: real.JSTransferable,
    exposeLazyDOMExceptionProperty,
    setDeserializerCreateObjectFunction() {},
    checkMessagePort: (value: unknown) => lazy().coreOf(value) !== undefined,
    stopMessagePort(port: unknown) {
      lazy().coreOf(port)?.stop()
    },
    drainMessagePort(port: unknown) {
      lazy().coreOf(port)?.drain()
    },
    receiveMessageOnPort(port: unknown) {
      const core = lazy().coreOf(port)
      if (core === undefined) {
        throw codedError('ERR_INVALID_ARG_TYPE', 'The "port" argument must be a MessagePort instance')
      }
      const message = core.take()
      return message === undefined ? noMessage : message.open(process).value
    },
    moveMessagePortToContext(port: unknown) {
      if (lazy().coreOf(port)?.detached !== false) {
        throw Object.assign(new Error('Cannot send data on closed MessagePort'), {
          code: 'ERR_CLOSED_MESSAGE_PORT',
        })
      }
      throw new UnsupportedError(
        'moveMessagePortToContext: the contexts of a simulated process share its ports',
      )
    },
    broadcastChannel(name: string) {
      current()
      const core = new PortCore(process)
      process.thread.broadcastGroup(process, name).join(core)
      return lazy().wrap(core)
    },
  }
  return closed('messaging', Object.defineProperties(members, CLASS_MEMBERS))
}

function createClasses(process: RunningProcess) {
  const cores = new WeakMap<object, PortCore>()
  const { oninit } = takeInternals().internalBinding('symbols')

  const coreOf = (value: unknown): PortCore | undefined =>
    typeof value === 'object' && value !== null ? cores.get(value) : undefined

  class MessagePort {
    constructor(token?: unknown, core?: PortCore) {
      if (token !== MADE_HERE) throw codedError('ERR_CONSTRUCT_CALL_INVALID', 'Constructor cannot be called')
      cores.set(this, core!)
      core!.adopt(process, this)
      ;(this as any)[oninit]?.()
    }

    postMessage(value: unknown, options?: unknown): true | undefined {
      current()
      if (arguments.length === 0) {
        throw codedError('ERR_MISSING_ARGS', 'Not enough arguments to MessagePort.postMessage')
      }
      const core = coreOf(this)
      const transfer = transferOf(options)
      // A port that has moved has no peer any more: asked before it moves.
      const lost = transfer.map(coreOf).some((each) => core !== undefined && each?.isPeerOf(core))
      const message = cloneWithPorts(process, value, transfer, this)
      if (!lost) return core?.post(message)
      process.object.emitWarning(
        'The target port was posted to itself, and the communication channel was lost',
      )
      core!.close()
      return undefined
    }

    start(): void {
      coreOf(this)?.start()
    }

    close(): void {
      coreOf(this)?.close()
    }

    ref(): void {
      coreOf(this)?.handle?.ref()
    }

    unref(): void {
      coreOf(this)?.handle?.unref()
    }

    hasRef(): boolean | undefined {
      const core = coreOf(this)
      if (core === undefined) throw new TypeError('Illegal invocation')
      return core.detached ? undefined : core.handle?.hasRef()
    }
  }

  class MessageChannel {
    readonly port1: object
    readonly port2: object
    constructor() {
      current()
      const [first, second] = PortGroup.pair(process, process)
      this.port1 = wrap(first)
      this.port2 = wrap(second)
    }
  }

  const wrap = (core: PortCore): object => new MessagePort(MADE_HERE, core)
  // Natives may be called without `new`, and say the same then.
  const PublicPort = new Proxy(MessagePort, {
    apply() {
      throw codedError('ERR_CONSTRUCT_CALL_INVALID', 'Constructor cannot be called')
    },
  })
  Object.defineProperty(MessagePort.prototype, 'constructor', { value: PublicPort })
  const PublicChannel = new Proxy(MessageChannel, {
    apply() {
      throw codedError(
        'ERR_CONSTRUCT_CALL_REQUIRED',
        'Class constructor MessageChannel cannot be invoked without `new`',
      )
    },
  })
  Object.defineProperty(MessageChannel.prototype, 'constructor', { value: PublicChannel })
  const disown = (core: PortCore): void => {
    if (core.port !== null) cores.set(core.port, new PortCore(process))
  }
  const made = { MessagePort: PublicPort, MessageChannel: PublicChannel, coreOf, disown, wrap }
  return made satisfies PortClass
}

/** An error as C++ makes it. */
function codedError(code: string, message: string): TypeError {
  return Object.assign(new TypeError(message), { code })
}

/** The list of things to transfer: an array, or an object with one. */
function transferOf(options: unknown): unknown[] {
  if (options === undefined || options === null) return []
  if (typeof options === 'object') {
    const listed = itemsOf(options)
    if (listed !== null) return listed
    const { transfer } = options as { transfer?: unknown }
    if (transfer === undefined) return []
    const items = itemsOf(transfer)
    if (items !== null) return items
    throw codedError('ERR_INVALID_ARG_TYPE', 'Optional options.transfer argument must be an iterable')
  }
  throw codedError('ERR_INVALID_ARG_TYPE', 'Optional transferList argument must be an iterable')
}

/** The items of an iterable; null if the value is none. */
function itemsOf(value: unknown): unknown[] | null {
  if (typeof value !== 'object' || value === null) return null
  const iterate: unknown = (value as Partial<Iterable<unknown>>)[Symbol.iterator]
  if (typeof iterate !== 'function') return null
  const iterator = Reflect.apply(iterate, value, []) as Partial<Iterator<unknown>> | null
  return typeof iterator?.next === 'function' ? Array.from(value as Iterable<unknown>) : null
}
