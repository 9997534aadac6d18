/**
 * What the synchronisation primitives have in common. Every operation of a primitive is a scheduling point that names what
 * it touches, so that strategies see what races, and what its task waits for, so that a deadlock can be explained. They
 * are for code whose real primitives are replaced in a test, and for the classic programs of the concurrency-testing
 * literature.
 *
 * Waiters are FIFO, as those of promise-based primitives in Node are: the first waiter to be woken goes on first unless the
 * schedule decides otherwise.
 */
import type { RaceContext } from './context.ts'

export abstract class Primitive {
  /** Its name in schedules and in messages. */
  readonly name: string
  protected readonly t: RaceContext

  constructor(t: RaceContext, name: string) {
    this.t = t
    this.name = name
  }
}
