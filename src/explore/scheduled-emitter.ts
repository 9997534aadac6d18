/**
 * Event emitters that stand for I/O: a fake socket, a fake watcher. A real one emits when the loop hears of something, and
 * other things can happen before; one in a test emits in the middle of whoever calls it. So what is emitted becomes an
 * event of the schedule, and listeners are called when it is its turn.
 */
import type { RaceContext } from './context.ts'

export interface EmitterOptions {
  /** What the emitter is called in schedules. */
  readonly name?: string
  /** Whether what is emitted arrives in that order, as from a connection; true by default. Messages of their own may not. */
  readonly ordered?: boolean
}

/** What is needed of an `EventEmitter`. */
export interface Emitter {
  emit(event: any, ...args: any[]): boolean
  listenerCount(event: any): number
}

/** Told by emitters of themselves, at once. */
const OF_EMITTERS: ReadonlySet<unknown> = new Set(['newListener', 'removeListener'])

/** Changes `emit` of this emitter. What a listener throws is uncaught, as in a callback of the loop. */
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
        await t.point(`${name}: ${String(event)}`) // what listeners touch is not known
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
