/**
 * Cloning a message. V8 clones everything but our ports, which it does not know: they are taken out of the value before
 * it is cloned, and put back, as ports of the receiving process, afterwards.
 */
import { takeInternals } from '../internals.ts'
import type { NodeProcess } from '../process.ts'
import type { PortCore, Message } from './message-port.ts'
import { portClassOf } from './messaging.ts'

interface Placeholder {
  readonly $wavetankPort: number
}

export function cloneWithPorts(
  process: NodeProcess,
  value: unknown,
  transfer: unknown[],
  via: object,
): Message {
  const { structuredClone, DOMException } = takeInternals().internalBinding('messaging')
  const { coreOf } = portClassOf(process)
  const cores: PortCore[] = []
  const places = new Map<object, Placeholder>()
  const others: unknown[] = []
  for (const item of transfer) {
    const core = coreOf(item)
    if (core === undefined) others.push(item)
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
    if (coreOf(item) !== undefined) {
      const error: any = new TypeError(
        'Object that needs transfer was found in message but not listed in transferList',
      )
      error.code = 'ERR_MISSING_TRANSFERABLE_IN_TRANSFER_LIST'
      throw error
    }
    return item
  })
  const cloned: unknown = structuredClone(stripped, { transfer: others })
  for (const core of cores) core.detach()
  return {
    open(receiver) {
      if (cores.length === 0) return { value: cloned, ports: [] }
      const { wrap } = portClassOf(receiver)
      const ports = cores.map((core) => wrap(core))
      const put = (item: object): unknown =>
        Object.hasOwn(item, '$wavetankPort') ? ports[(item as Placeholder).$wavetankPort] : item
      return { value: replaceDeep(cloned, put), ports }
    },
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
    const prototype: unknown = Object.getPrototypeOf(item)
    if (prototype !== Object.prototype && prototype !== null) return item
    const entries = Object.entries(item)
    const values = entries.map(([, inner]) => visit(inner))
    if (values.every((inner, i) => Object.is(inner, entries[i][1]))) return item
    return Object.fromEntries(entries.map(([key], i) => [key, values[i]]))
  }
  const changed = <T>(item: readonly T[], copy: T[], make: (copy: T[]) => unknown): unknown =>
    copy.every((inner, i) => Object.is(inner, item[i])) ? item : make(copy)
  return visit(value)
}
