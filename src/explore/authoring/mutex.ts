/** A mutex: a semaphore with one permit. */
import type { RaceContext } from './context.ts'
import { Semaphore } from './semaphore.ts'

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
