/** A variable behind I/O: each read and each write is a scheduling point. */
import type { RaceContext } from './context.ts'
import { Primitive } from './primitive.ts'

export class SharedCell<T> extends Primitive {
  private value: T

  constructor(t: RaceContext, name: string, value: T) {
    super(t, name)
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

  /** The value, without a scheduling point: for the final assertion. */
  peek(): T {
    return this.value
  }
}
