/**
 * The pending events of a run by time, ordered by (time, seq): a binary heap that knows where each event stands, so that cancelling and
 * re-arming cost O(log n) and a cancelled event is gone at once.
 */
import type { Actor } from './actor.ts'
import type { KernelEvent } from './event.ts'

/** The events that are to come. */
export interface PendingEvents {
  readonly size: number
  /** The first event, still queued. */
  peek(): KernelEvent | undefined
  /** All pending events, in no useful order. */
  readonly pending: readonly KernelEvent[]
  push(event: KernelEvent): void
  pop(): KernelEvent | undefined
  /** Takes an event off; nothing if it is not queued. */
  remove(event: KernelEvent): void
  /** Removes all events of an actor, in time linear in the queue. */
  drop(actor: Actor): void
}

export class EventQueue implements PendingEvents {
  private readonly heap: KernelEvent[] = []

  get size(): number {
    return this.heap.length
  }

  peek(): KernelEvent | undefined {
    return this.heap[0]
  }

  get pending(): readonly KernelEvent[] {
    return this.heap
  }

  push(event: KernelEvent): void {
    this.heap.push(event)
    this.up(this.heap.length - 1, event)
  }

  pop(): KernelEvent | undefined {
    const first = this.heap[0]
    if (first !== undefined) this.remove(first)
    return first
  }

  remove(event: KernelEvent): void {
    const slot = event.slot
    if (slot < 0) return
    event.slot = -1
    const last = this.heap.pop()!
    if (last === event) return
    if (slot > 0 && before(last, this.heap[(slot - 1) >> 1])) this.up(slot, last)
    else this.down(slot, last)
  }

  drop(actor: Actor): void {
    const { heap } = this
    let kept = 0
    for (const event of heap) {
      if (event.actor === actor) event.slot = -1
      else {
        heap[kept] = event
        event.slot = kept++
      }
    }
    if (kept === heap.length) return
    heap.length = kept
    for (let slot = (kept >> 1) - 1; slot >= 0; slot--) this.down(slot, heap[slot])
  }

  private up(slot: number, event: KernelEvent): void {
    const heap = this.heap
    while (slot > 0) {
      const parentSlot = (slot - 1) >> 1
      const parent = heap[parentSlot]
      if (!before(event, parent)) break
      heap[slot] = parent
      parent.slot = slot
      slot = parentSlot
    }
    heap[slot] = event
    event.slot = slot
  }

  private down(slot: number, event: KernelEvent): void {
    const heap = this.heap
    const size = heap.length
    for (;;) {
      let childSlot = 2 * slot + 1
      if (childSlot >= size) break
      let child = heap[childSlot]
      if (childSlot + 1 < size && before(heap[childSlot + 1], child)) child = heap[++childSlot]
      if (!before(child, event)) break
      heap[slot] = child
      child.slot = slot
      slot = childSlot
    }
    heap[slot] = event
    event.slot = slot
  }
}

/** The order of events by time: total, since a seq is given once. */
export function before(a: KernelEvent, b: KernelEvent): boolean {
  return a.time < b.time || (a.time === b.time && a.seq < b.seq)
}
