/**
 * Cloning a message. V8 clones everything but our ports, which it does not know: they are taken out of the value before
 * it is cloned, and put back, as ports of the receiving process, afterwards.
 */
import { types } from 'node:util'
import { hashValue } from '../../../kernel/value-hash.ts'
import { cloneable } from '../../process/environment-variables.ts'
import { takeInternals } from '../../library/internals.ts'
import type { RunningProcess } from '../../process/running-process.ts'
import { refuseMarked, unlistedPort } from './clone-refusals.ts'
import type { PortCore, Message } from './message-port.ts'
import { portClassOf } from './messaging.ts'

interface Placeholder {
  readonly $wavetankPort: number
}

/** Stands for the n-th object of a class of the process's own, which V8 would make one of the host's. */
interface ObjectPlaceholder {
  readonly $wavetankObject: number
}

export function cloneWithPorts(
  process: RunningProcess,
  value: unknown,
  transfer: unknown[],
  via: object,
): Message {
  const { DOMException } = takeInternals().internalBinding('messaging')
  const { coreOf, disown } = portClassOf(process)
  const cores: PortCore[] = []
  const objects: TransferredObject[] = []
  const places = new Map<object, Placeholder | ObjectPlaceholder>()
  const others: unknown[] = []
  for (const item of transfer) {
    if (isUntransferable(item)) {
      refuseMarked()
      continue
    }
    const core = coreOf(item)
    if (core === undefined && isOwnSignal(process, item)) {
      places.set(item, { $wavetankObject: objects.length })
      objects.push(takeApart(process, item, via))
    } else if (core === undefined) others.push(item)
    else {
      if (item === via) throw new DOMException('Transfer list contains source port', 'DataCloneError')
      if (places.has(item as object))
        throw new DOMException('Transfer list contains duplicate MessagePort', 'DataCloneError')
      if (core.detached)
        throw new DOMException('MessagePort in transfer list is already detached', 'DataCloneError')
      places.set(item as object, { $wavetankPort: cores.length })
      cores.push(core)
    }
  }
  const stripped = replaceDeep(value, (item) => {
    const place = places.get(item)
    if (place !== undefined) return place
    if (coreOf(item) !== undefined) throw unlistedPort()
    return cloneable(item)
  })
  const { cloned, failure } = clone(stripped, others)
  hashValue(process.kernel.hash, cloned, 'posts')
  for (const core of cores) {
    disown(core)
    core.detach()
  }
  return {
    open(receiver) {
      if (failure !== undefined) throw failure.error
      if (cores.length === 0 && objects.length === 0) return { value: cloned, ports: [] }
      const { wrap } = portClassOf(receiver)
      const ports = cores.map((core) => wrap(core))
      const made = objects.map((object) => putTogether(receiver, object))
      const put = (item: object): unknown => {
        if (Object.hasOwn(item, '$wavetankObject')) return made[(item as ObjectPlaceholder).$wavetankObject]
        return Object.hasOwn(item, '$wavetankPort') ? ports[(item as Placeholder).$wavetankPort] : item
      }
      return { value: replaceDeep(cloned, put), ports }
    },
  }
}

interface TransferredObject {
  /** The class, as `module:Class`. */
  readonly spec: string
  readonly data: Message
}

/** Abort signals travel with a port of their process. */
function isOwnSignal(process: RunningProcess, item: unknown): item is Record<symbol, any> {
  if (!process.modules.has('internal/abort_controller')) return false
  const { AbortSignal } = process.modules.require('internal/abort_controller')
  return Function.prototype[Symbol.hasInstance].call(AbortSignal, item)
}

/** As C++ does with what JavaScript says is transferable. */
function takeApart(process: RunningProcess, item: Record<symbol, any>, via: object): TransferredObject {
  const symbols = takeInternals().internalBinding('symbols')
  const nested = (item[symbols.messaging_transfer_list_symbol]?.() ?? []) as unknown[]
  const { data, deserializeInfo } = item[symbols.messaging_transfer_symbol]()
  return { spec: deserializeInfo, data: cloneWithPorts(process, data, nested, via) }
}

function putTogether(receiver: RunningProcess, { spec, data }: TransferredObject): object {
  const [module, name] = spec.split(':')
  const made = new (receiver.modules.require(module)[name])()
  made[takeInternals().internalBinding('symbols').messaging_deserialize_symbol](data.open(receiver).value)
  return made as object
}

function isUntransferable(item: unknown): boolean {
  if (typeof item !== 'object' || item === null) return false
  return (
    (item as any)[
      takeInternals().internalBinding('util').privateSymbols.untransferable_object_private_symbol
    ] === true
  )
}

interface Failure {
  readonly error: unknown
}

/** V8's message for a copy that it cannot read, such as one with a view of a buffer that is gone. */
const UNREADABLE = 'Unable to deserialize cloned data.'

let failedToCreate: Failure | undefined
let createsObjects = false

/**
 * V8 reads the copy as soon as it is written. What goes wrong in reading, such as with a class that the receiver does not
 * have, is not the sender's error but the receiver's: a `messageerror`.
 */
function clone(
  value: unknown,
  transfer: unknown[],
): { readonly cloned?: unknown; readonly failure?: Failure } {
  const { structuredClone, setDeserializerCreateObjectFunction } =
    takeInternals().internalBinding('messaging')
  if (!createsObjects) setDeserializerCreateObjectFunction(createObject)
  createsObjects = true
  failedToCreate = undefined
  try {
    return { cloned: structuredClone(value, { transfer }) }
  } catch (error) {
    const unread = (failedToCreate as Failure | undefined)?.error === error
    if (!unread && (error as Error | null)?.message !== UNREADABLE) throw error
    return { failure: { error } }
  }
}

/** An instance of one of Node's own classes, by `module:Class`. */
function createObject(spec: string): object {
  try {
    const [module, name] = spec.split(':')
    const Class = takeInternals().require(module)[name]
    const { messaging_deserialize_symbol: deserialize } = takeInternals().internalBinding('symbols')
    if (typeof Class !== 'function' || typeof Class.prototype[deserialize] !== 'function')
      throw new Error(`Unknown deserialize spec ${spec}`)
    return new Class() as object
  } catch (error) {
    failedToCreate = { error }
    throw error
  }
}

/** Replaces objects inside arrays, plain objects, maps and sets; copies only the containers that change. */
function replaceDeep(value: unknown, replace: (item: object) => unknown): unknown {
  const seen = new Map<object, unknown>()
  const visit = (item: unknown): unknown => {
    if (typeof item !== 'object' || item === null) return item
    const known = seen.get(item)
    if (known !== undefined) return known
    const replaced = replace(item)
    if (replaced !== item) return replaced
    seen.set(item, item)
    if (Array.isArray(item)) return changed(item, item.map(visit), (copy) => copy)
    if (!isOrdinary(item)) return item
    const entries = Object.entries(item)
    const values = entries.map(([, inner]) => visit(inner))
    if (values.every((inner, i) => Object.is(inner, entries[i][1]))) return item
    return Object.fromEntries(entries.map(([key], i) => [key, values[i]]))
  }
  const changed = <T>(item: readonly T[], copy: T[], make: (copy: T[]) => unknown): unknown =>
    copy.every((inner, i) => Object.is(inner, item[i])) ? item : make(copy)
  return visit(value)
}

/** Whether V8 clones it by its own properties. Getters of classes are left to V8 alone. */
function isOrdinary(item: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(item)
  if (prototype === Object.prototype || prototype === null) return true
  if (Object.prototype.toString.call(item) !== '[object Object]' || types.isProxy(item)) return false
  return Object.values(Object.getOwnPropertyDescriptors(item)).every(({ get }) => get === undefined)
}
