/**
 * Performance observers belong to a process. Sockets, HTTP and name lookups ask before every action whether they are
 * observed. In a process that has not loaded the observers they are not, and it need not load them to know.
 */
import { ModuleSlot } from './slots.ts'

const module = new ModuleSlot('internal/perf/observe')

const members: Record<string, unknown> = {
  hasObserver: (type: string): boolean => module.isLoaded && (module.exports.hasObserver(type) as boolean),
  startPerf: (...args: unknown[]): unknown => module.exports.startPerf(...args),
  stopPerf: (...args: unknown[]): unknown => module.exports.stopPerf(...args),
}

/** The module as modules of the thread, and those of a process that only ask, see it. */
export const performanceObservers: unknown = new Proxy(members, {
  get: (_, key) => (members[key as string] ?? module.exports[key]) as unknown,
})
