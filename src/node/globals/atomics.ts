/**
 * `Atomics` whose waiting is the world's. `wait` would block the thread that has to run the one it waits for, so it is
 * refused unless it returns at once; `waitAsync` and `notify` work across the threads of a simulated process.
 */
import { current, running } from '../process/current.ts'
import { UnsupportedError } from '../bindings/binding.ts'
import type { RunningProcess } from '../process/running-process.ts'

type Cells = Int32Array | BigInt64Array

interface Waiter {
  readonly process: RunningProcess
  readonly memory: ArrayBufferLike
  /** In bytes. */
  readonly place: number
  readonly resolve: (outcome: 'ok' | 'timed-out') => void
}

/** The engine's own; a flag can do without. */
const real = (globalThis as { Atomics?: Atomics }).Atomics ?? ({} as Atomics)
const waiters = new Set<Waiter>()

/** How long it takes until a waiter hears of a notification. */
const WAKE_US = 5

/** Every thread has an object of its own for the same shared memory: only a change shows that it is the same. */
function isSameMemory(one: ArrayBufferLike, other: ArrayBufferLike): boolean {
  if (one === other) return true
  if (one.byteLength !== other.byteLength || one.byteLength === 0) return false
  const [mine, theirs] = [new Uint8Array(one), new Uint8Array(other)]
  const before = mine[0]
  if (theirs[0] !== before) return false
  mine[0] = before ^ 1
  const same = theirs[0] === mine[0]
  mine[0] = before
  return same
}

function placeOf(cells: Cells, index: number): number {
  return cells.byteOffset + index * cells.BYTES_PER_ELEMENT
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
  for (const waiter of waiters) if (waiter.process.zombie !== null) waiters.delete(waiter)
  const promise = new Promise<string>((resolve) => {
    const waiter: Waiter = { process, memory: cells.buffer, place: placeOf(cells, index), resolve }
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
  const place = placeOf(cells, index)
  let woken = 0
  for (const waiter of waiters) {
    if (native + woken >= count) break
    const { process } = waiter
    if (process.zombie !== null || waiter.place !== place || !isSameMemory(waiter.memory, cells.buffer))
      continue
    waiters.delete(waiter)
    woken++
    process.later('atomics', WAKE_US, () => waiter.resolve('ok'))
  }
  return native + woken
}

export const VirtualAtomics: object = Object.create(Object.prototype, {
  ...Object.getOwnPropertyDescriptors(real),
  wait: { value: wait, writable: true, configurable: true, enumerable: false },
  waitAsync: { value: waitAsync, writable: true, configurable: true, enumerable: false },
  notify: { value: notify, writable: true, configurable: true, enumerable: false },
})
