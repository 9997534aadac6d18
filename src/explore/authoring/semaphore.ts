/** A counting semaphore. */
import type { RaceContext } from './context.ts'
import { Primitive } from './primitive.ts'

export class Semaphore extends Primitive {
  private permits: number
  private readonly waiting: (() => void)[] = []

  constructor(t: RaceContext, name: string, permits: number) {
    super(t, name)
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
