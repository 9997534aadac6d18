/**
 * Synchronisation primitives whose every operation is a scheduling point, for code whose real ones are replaced in a test
 * and for the classic programs of the concurrency-testing literature. Each names what it touches, so that strategies see
 * what races, and whom it makes wait, so that a deadlock can say who waits for what.
 *
 * They are FIFO, as promise-based ones in Node are: a waiter that was woken first goes on first unless the schedule
 * decides otherwise.
 */
import type { RaceContext } from './context.ts'

/** A variable behind I/O: reading and writing it takes a scheduling point each. */
export class SharedCell<T> {
  readonly name: string
  private readonly t: RaceContext
  private value: T

  constructor(t: RaceContext, name: string, value: T) {
    this.t = t
    this.name = name
    this.value = value
  }

  async get(): Promise<T> {
    await this.t.access(this.name, 'read')
    return this.value
  }

  async set(value: T): Promise<void> {
    await this.t.access(this.name, 'write')
    this.value = value
  }

  /** One atomic read-modify-write: a single point. */
  async update(change: (value: T) => T): Promise<T> {
    await this.t.access(this.name, 'write', `update ${this.name}`)
    return (this.value = change(this.value))
  }

  async compareAndSet(expected: T, value: T): Promise<boolean> {
    await this.t.access(this.name, 'write', `cas ${this.name}`)
    if (this.value !== expected) return false
    this.value = value
    return true
  }

  /** The value without a scheduling point: for the final assertion. */
  peek(): T {
    return this.value
  }
}

/** A counting semaphore; with one permit, a mutex. */
export class Semaphore {
  readonly name: string
  private readonly t: RaceContext
  private permits: number
  private readonly waiting: (() => void)[] = []

  constructor(t: RaceContext, name: string, permits: number) {
    this.t = t
    this.name = name
    this.permits = permits
  }

  async acquire(): Promise<void> {
    await this.t.access(this.name, 'write', `acquire ${this.name}`)
    while (this.permits === 0)
      await this.t.wait(`${this.name} to be released`, (wake) => this.waiting.push(wake))
    this.permits--
  }

  async release(): Promise<void> {
    await this.t.access(this.name, 'write', `release ${this.name}`)
    this.permits++
    this.waiting.shift()?.()
  }
}

export class Mutex extends Semaphore {
  constructor(t: RaceContext, name: string) {
    super(t, name, 1)
  }

  async runExclusive<T>(work: () => T | Promise<T>): Promise<T> {
    await this.acquire()
    try {
      return await work()
    } finally {
      await this.release()
    }
  }
}

/** A condition variable: `wait` gives up the mutex while waiting; a wake-up with nobody waiting is lost, as everywhere. */
export class Condition {
  readonly name: string
  private readonly t: RaceContext
  private readonly waiting: (() => void)[] = []

  constructor(t: RaceContext, name: string) {
    this.t = t
    this.name = name
  }

  async wait(mutex: Mutex): Promise<void> {
    const what = `${this.name} to be notified`
    let isNotified = false
    let wake = (): void => void (isNotified = true)
    this.waiting.push(() => wake())
    await mutex.release()
    // Somebody without the mutex may have been faster.
    await (isNotified ? this.t.point(`woken: ${what}`) : this.t.wait(what, (go) => (wake = go)))
    await mutex.acquire()
  }

  async notifyOne(): Promise<void> {
    await this.t.access(this.name, 'write', `notify ${this.name}`)
    this.waiting.shift()?.()
  }

  async notifyAll(): Promise<void> {
    await this.t.access(this.name, 'write', `notify all ${this.name}`)
    for (const wake of this.waiting.splice(0)) wake()
  }
}

/** An unbounded FIFO channel. */
export class Channel<T> {
  readonly name: string
  private readonly t: RaceContext
  private readonly items: T[] = []
  private readonly waiting: (() => void)[] = []

  constructor(t: RaceContext, name: string) {
    this.t = t
    this.name = name
  }

  async send(item: T): Promise<void> {
    await this.t.access(this.name, 'write', `send ${this.name}`)
    this.items.push(item)
    this.waiting.shift()?.()
  }

  async receive(): Promise<T> {
    await this.t.access(this.name, 'write', `receive ${this.name}`)
    while (this.items.length === 0)
      await this.t.wait(`${this.name} to have an item`, (wake) => this.waiting.push(wake))
    return this.items.shift()!
  }
}

/** Atomic operations on shared memory, each a scheduling point: what `Atomics` does between threads, between tasks. */
export class SharedAtomics {
  readonly name: string
  private readonly t: RaceContext
  private readonly cells: Int32Array
  private readonly waiting = new Map<number, (() => void)[]>()

  constructor(t: RaceContext, name: string, cells: Int32Array) {
    this.t = t
    this.name = name
    this.cells = cells
  }

  async load(index: number): Promise<number> {
    await this.at('read', 'load', index)
    return Atomics.load(this.cells, index)
  }

  async store(index: number, value: number): Promise<number> {
    await this.at('write', 'store', index)
    return Atomics.store(this.cells, index, value)
  }

  async exchange(index: number, value: number): Promise<number> {
    await this.at('write', 'exchange', index)
    return Atomics.exchange(this.cells, index, value)
  }

  async compareExchange(index: number, expected: number, value: number): Promise<number> {
    await this.at('write', 'compareExchange', index)
    return Atomics.compareExchange(this.cells, index, expected, value)
  }

  async add(index: number, value: number): Promise<number> {
    await this.at('write', 'add', index)
    return Atomics.add(this.cells, index, value)
  }

  async sub(index: number, value: number): Promise<number> {
    await this.at('write', 'sub', index)
    return Atomics.sub(this.cells, index, value)
  }

  async and(index: number, value: number): Promise<number> {
    await this.at('write', 'and', index)
    return Atomics.and(this.cells, index, value)
  }

  async or(index: number, value: number): Promise<number> {
    await this.at('write', 'or', index)
    return Atomics.or(this.cells, index, value)
  }

  async xor(index: number, value: number): Promise<number> {
    await this.at('write', 'xor', index)
    return Atomics.xor(this.cells, index, value)
  }

  /** Waits to be notified, without a time-out, if the value is still the expected one. */
  async wait(index: number, expected: number): Promise<'ok' | 'not-equal'> {
    await this.at('write', 'wait', index) // whoever notifies later finds it waiting
    if (Atomics.load(this.cells, index) !== expected) return 'not-equal'
    await this.t.wait(`${this.name}[${index}] to be notified`, (wake) => {
      const waiting = this.waiting.get(index)
      if (waiting === undefined) this.waiting.set(index, [wake])
      else waiting.push(wake)
    })
    return 'ok'
  }

  /** Wakes so many of those that wait, the first first; gives how many there were. */
  async notify(index: number, count = Infinity): Promise<number> {
    await this.at('write', 'notify', index)
    const woken = this.waiting.get(index)?.splice(0, count) ?? []
    for (const wake of woken) wake()
    return woken.length
  }

  private at(kind: 'read' | 'write', operation: string, index: number): Promise<void> {
    const cell = `${this.name}[${index}]`
    return this.t.access(cell, kind, `${operation} ${cell}`)
  }
}
