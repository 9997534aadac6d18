/**
 * `messaging`: structured clone, message channels and broadcast channels. Cloning is V8's own; what a native port would
 * do with libuv, ports here do with the loop of the process that holds them, so a port may lead to another process (a
 * worker thread). Node's library changes the prototype of the port class when it loads, so every process has its own.
 */
import { current } from '../current.ts'
import { takeInternals, type Binding } from '../internals.ts'
import type { NodeProcess } from '../process.ts'
import { closed } from './binding.ts'
import { cloneWithPorts } from './message-clone.ts'
import { PortCore, PortGroup } from './message-port.ts'

const MADE_HERE = Symbol('made here')

/** The port class of a process, and the way to wrap a port that arrived in it. */
export interface PortClass {
  wrap(core: PortCore): object
  coreOf(value: unknown): PortCore | undefined
}

const PORT_CLASS = Symbol('port class')

/** The current process's port class. */
export function portClassOf(process: NodeProcess): PortClass {
  void process.binding('messaging').MessagePort // makes the class
  return process.state.get(PORT_CLASS) as PortClass
}

export function messaging(process: NodeProcess): Binding {
  const real = takeInternals().internalBinding('messaging')
  const { no_message_symbol: noMessage } = takeInternals().internalBinding('symbols')
  let classes: ReturnType<typeof createClasses> | undefined
  const lazy = (): ReturnType<typeof createClasses> => (classes ??= createClasses(process))
  return closed('messaging', {
    structuredClone: real.structuredClone,
    DOMException: real.DOMException,
    QuotaExceededError: real.QuotaExceededError,
    JSTransferable: real.JSTransferable,
    exposeLazyDOMExceptionProperty: real.exposeLazyDOMExceptionProperty,
    setDeserializerCreateObjectFunction() {},
    get MessagePort() {
      return lazy().MessagePort
    },
    get MessageChannel() {
      return lazy().MessageChannel
    },
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
        const error: Error & { code?: string } = new TypeError(
          'The "port" argument must be a MessagePort instance',
        )
        error.code = 'ERR_INVALID_ARG_TYPE'
        throw error
      }
      const message = core.take()
      return message === undefined ? noMessage : message.open(process).value
    },
    broadcastChannel(name: string) {
      current()
      const core = new PortCore(process)
      process.thread.broadcastGroup(process, name).join(core)
      return lazy().wrap(core)
    },
  })
}

function createClasses(process: NodeProcess) {
  const cores = new WeakMap<object, PortCore>()
  const { oninit } = takeInternals().internalBinding('symbols')
  const { ERR_CONSTRUCT_CALL_INVALID } = takeInternals().require('internal/errors').codes

  const coreOf = (value: unknown): PortCore | undefined =>
    typeof value === 'object' && value !== null ? cores.get(value) : undefined

  class MessagePort {
    constructor(token?: unknown, core?: PortCore) {
      if (token !== MADE_HERE) throw new ERR_CONSTRUCT_CALL_INVALID()
      cores.set(this, core!)
      core!.adopt(process, this)
      ;(this as any)[oninit]?.()
    }

    postMessage(value: unknown, options?: unknown): true | undefined {
      current()
      if (arguments.length === 0) {
        const error: any = new TypeError('Not enough arguments to MessagePort.postMessage')
        error.code = 'ERR_MISSING_ARGS'
        throw error
      }
      const core = coreOf(this)
      const transfer = transferOf(options)
      const message = cloneWithPorts(process, value, transfer, this)
      const lost = transfer.map(coreOf).some((each) => core !== undefined && each?.isPeerOf(core))
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

    drain(): void {
      coreOf(this)?.drain()
    }

    ref(): void {
      coreOf(this)?.handle?.ref()
    }

    unref(): void {
      coreOf(this)?.handle?.unref()
    }

    hasRef(): boolean | undefined {
      return coreOf(this)?.handle?.hasRef()
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
      throw new ERR_CONSTRUCT_CALL_INVALID()
    },
  })
  Object.defineProperty(MessagePort.prototype, 'constructor', { value: PublicPort })
  const made = { MessagePort: PublicPort, MessageChannel, coreOf, wrap }
  process.state.set(PORT_CLASS, made satisfies PortClass)
  return made
}

/** The list of things to transfer: an array, or an object with one. */
function transferOf(options: unknown): unknown[] {
  if (options === undefined || options === null) return []
  if (typeof options !== 'object') {
    const error: any = new TypeError('Optional transferList argument must be an iterable')
    error.code = 'ERR_INVALID_ARG_TYPE'
    throw error
  }
  if (Symbol.iterator in options) return [...(options as Iterable<unknown>)]
  const { transfer } = options as { transfer?: unknown }
  if (transfer === undefined || transfer === null) return []
  if (typeof transfer !== 'object' || !(Symbol.iterator in transfer)) {
    const error: any = new TypeError('Optional options.transfer argument must be an iterable')
    error.code = 'ERR_INVALID_ARG_TYPE'
    throw error
  }
  return [...(transfer as Iterable<unknown>)]
}
