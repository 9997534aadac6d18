/** An unbounded FIFO channel. */
import { Primitive } from './primitive.ts'

export class Channel<T> extends Primitive {
  private readonly items: T[] = []
  private readonly waiting: (() => void)[] = []

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
