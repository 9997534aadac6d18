/**
 * A condition variable: `wait` gives up the mutex while it waits. A notification is lost if no task waits, as everywhere.
 */
import type { Mutex } from './mutex.ts'
import { Primitive } from './primitive.ts'

export class Condition extends Primitive {
  private readonly waiting: (() => void)[] = []

  async wait(mutex: Mutex): Promise<void> {
    const what = `${this.name} to be notified`
    let isNotified = false
    let wake = (): void => void (isNotified = true)
    this.waiting.push(() => wake())
    await mutex.release()
    // A task without the mutex may have notified it while the mutex was being released.
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
