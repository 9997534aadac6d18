/** Messages of one receiver by deadline, then by the order in which they were sent: a binary heap. */
import type { Message } from '../protocol/envelope.ts'

export interface QueuedMessage {
  readonly deadlineUs: number
  readonly id: number
  readonly message: Message
}

export class MessageQueue {
  readonly #heap: QueuedMessage[] = []

  get size(): number {
    return this.#heap.length
  }

  get first(): QueuedMessage {
    return this.#heap[0]
  }

  push(queued: QueuedMessage): void {
    const heap = this.#heap
    let at = heap.push(queued) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!before(queued, heap[parent])) break
      heap[at] = heap[parent]
      at = parent
    }
    heap[at] = queued
  }

  pop(): QueuedMessage {
    const heap = this.#heap
    const first = heap[0]
    const last = heap.pop()!
    if (heap.length === 0) return first
    let at = 0
    for (let child = 1; child < heap.length; child = 2 * at + 1) {
      if (child + 1 < heap.length && before(heap[child + 1], heap[child])) child++
      if (!before(heap[child], last)) break
      heap[at] = heap[child]
      at = child
    }
    heap[at] = last
    return first
  }
}

function before(a: QueuedMessage, b: QueuedMessage): boolean {
  return a.deadlineUs < b.deadlineUs || (a.deadlineUs === b.deadlineUs && a.id < b.id)
}
