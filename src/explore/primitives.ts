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
    const woken = this.t.wait(`${this.name} to be notified`, (wake) => this.waiting.push(wake))
    await mutex.release()
    await woken
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
