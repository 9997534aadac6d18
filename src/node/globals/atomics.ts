/**
 * `Atomics` whose waiting is the world's. `wait` would block the thread that has to run the one it waits for, so it is
 * refused unless it returns at once; `waitAsync` and `notify` work across the threads of a simulated process.
 */
import { current, running } from '../current.ts'
import { UnsupportedError } from '../bindings/binding.ts'
import type { NodeProcess } from '../process.ts'

type Cells = Int32Array | BigInt64Array

interface Waiter {
  readonly process: NodeProcess
  readonly resolve: (outcome: 'ok' | 'timed-out') => void
}

const real = Atomics
const waiting = new WeakMap<ArrayBufferLike, Map<number, Set<Waiter>>>()

/** How long it takes until a waiter hears of a notification. */
const WAKE_US = 5

function waitersAt(cells: Cells, index: number): Set<Waiter> {
  let places = waiting.get(cells.buffer)
  if (places === undefined) waiting.set(cells.buffer, (places = new Map()))
  const place = cells.byteOffset + index * cells.BYTES_PER_ELEMENT
  let waiters = places.get(place)
  if (waiters === undefined) places.set(place, (waiters = new Set()))
  return waiters
}

function wait(cells: any, index: number, value: any, timeoutMs: number = Number.POSITIVE_INFINITY): string {
  if (running === null) return real.wait(cells, index, value, timeoutMs)
  if (real.load(cells, index) !== value) return 'not-equal'
  if (timeoutMs <= 0) return 'timed-out'
  throw new UnsupportedError('Atomics.wait: a simulated thread cannot block; use Atomics.waitAsync')
}

function waitAsync(
  cells: any,
  index: number,
  value: any,
  timeoutMs: number = Number.POSITIVE_INFINITY,
): object {
  const process = current()
  if (real.load(cells, index) !== value) return { async: false, value: 'not-equal' }
  if (timeoutMs <= 0) return { async: false, value: 'timed-out' }
  const waiters = waitersAt(cells, index)
  const promise = new Promise<string>((resolve) => {
    const waiter: Waiter = { process, resolve }
    waiters.add(waiter)
    if (timeoutMs < Number.POSITIVE_INFINITY) {
      process.later('atomics', timeoutMs * 1000, () => {
        if (waiters.delete(waiter)) resolve('timed-out')
      })
    }
  })
  return { async: true, value: promise }
}

function notify(cells: any, index: number, count: number = Number.POSITIVE_INFINITY): number {
  const native = real.notify(cells, index, count)
  if (!waiting.has(cells.buffer)) return native
  let woken = 0
  const waiters = waitersAt(cells, index)
  for (const waiter of waiters) {
    if (native + woken >= count) break
    waiters.delete(waiter)
    woken++
    if (waiter.process.zombie === null) waiter.process.later('atomics', WAKE_US, () => waiter.resolve('ok'))
  }
  return native + woken
}

export const VirtualAtomics: object = Object.create(Object.prototype, {
  ...Object.getOwnPropertyDescriptors(real),
  wait: { value: wait, writable: true, configurable: true, enumerable: false },
  waitAsync: { value: waitAsync, writable: true, configurable: true, enumerable: false },
  notify: { value: notify, writable: true, configurable: true, enumerable: false },
})
