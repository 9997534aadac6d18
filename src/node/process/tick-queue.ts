/**
 * The queue of a process's ticks, in place of `internal/fixed_queue`: it is empty as soon as the process has exited, since
 * its ticks never run. One class serves all processes, since only the running process's queue is ever touched. Node's own
 * begins with room for two thousand entries, which a process that lives for a few milliseconds does not need.
 */
import { running } from './current.ts'

const INITIAL_ROOM = 32

/** A ring of a power of two; one slot stays free, so that a full ring does not look like an empty one. */
export class TickQueue {
  private ring: unknown[] = new Array(INITIAL_ROOM)
  private head = 0
  private tail = 0

  isEmpty(): boolean {
    return this.head === this.tail || (running !== null && running.zombie !== null)
  }

  push(entry: unknown): void {
    const { ring } = this
    ring[this.tail] = entry
    this.tail = (this.tail + 1) & (ring.length - 1)
    if (this.tail === this.head) this.grow()
  }

  shift(): unknown {
    if (this.isEmpty()) return null
    const { ring, head } = this
    const entry = ring[head]
    ring[head] = undefined
    this.head = (head + 1) & (ring.length - 1)
    return entry
  }

  private grow(): void {
    const { ring, head } = this
    this.ring = [...ring.slice(head), ...ring.slice(0, head)]
    this.head = 0
    this.tail = ring.length
    this.ring.length = ring.length * 2
  }
}
