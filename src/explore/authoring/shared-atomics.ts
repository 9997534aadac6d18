/** Atomic operations on shared memory, each a scheduling point: as `Atomics` between threads, but between tasks. */
import type { RaceContext } from './context.ts'
import { Primitive } from './primitive.ts'

export class SharedAtomics extends Primitive {
  private readonly cells: Int32Array
  private readonly waiting = new Map<number, (() => void)[]>()

  constructor(t: RaceContext, name: string, cells: Int32Array) {
    super(t, name)
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

  /** Waits for a notification, without a time-out, if the value is still the expected one. */
  async wait(index: number, expected: number): Promise<'ok' | 'not-equal'> {
    await this.at('write', 'wait', index) // a write: a later notification must find it waiting
    if (Atomics.load(this.cells, index) !== expected) return 'not-equal'
    await this.t.wait(`${this.name}[${index}] to be notified`, (wake) => {
      const waiting = this.waiting.get(index)
      if (waiting === undefined) this.waiting.set(index, [wake])
      else waiting.push(wake)
    })
    return 'ok'
  }

  /** Wakes up to `count` waiters in FIFO order; returns how many it woke. */
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
