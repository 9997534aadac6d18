/**
 * Event emitters that stand for I/O: a fake socket, a fake watcher. A real one emits when the event loop gets news, and other
 * events can happen before; a fake one emits synchronously inside its caller. So each emission becomes an event of the
 * schedule, and the listeners are called when it is scheduled.
 */
import type { RaceContext } from './context.ts'

export interface EmitterOptions {
  /** What the emitter is called in schedules. */
  readonly name?: string
  /** Whether events arrive in the order in which they were emitted, as from a connection; true by default. */
  readonly ordered?: boolean
}

/** The part of an `EventEmitter` that is needed. */
export interface Emitter {
  emit(event: any, ...args: any[]): boolean
  listenerCount(event: any): number
}

/** Events that emitters emit about themselves: they stay synchronous. */
const OF_EMITTERS: ReadonlySet<unknown> = new Set(['newListener', 'removeListener'])

/** Replaces `emit` of this emitter. An error of a listener is uncaught, as in a callback of the loop. */
export function scheduleEvents<T extends Emitter>(
  t: RaceContext,
  emitter: T,
  uncaught: (error: unknown) => void,
  options: EmitterOptions = {},
): T {
  const { name = emitter.constructor?.name ?? 'emitter', ordered = true } = options
  const { emit } = emitter
  const pending: { readonly event: unknown; readonly args: readonly unknown[] }[] = []
  let isDelivering = false
  const deliver = async (): Promise<void> => {
    isDelivering = ordered
    try {
      while (pending.length > 0) {
        const { event, args } = pending.shift()!
        await t.point(`${name}: ${String(event)}`) // without an access: what listeners touch is unknown
        Reflect.apply(emit, emitter, [event, ...args])
      }
    } finally {
      isDelivering = false
    }
  }
  emitter.emit = (event: unknown, ...args: unknown[]): boolean => {
    if (OF_EMITTERS.has(event)) return Reflect.apply(emit, emitter, [event, ...args])
    pending.push({ event, args })
    if (!isDelivering) t.task(name, deliver).catch(uncaught)
    return emitter.listenerCount(event) > 0
  }
  return emitter
}
