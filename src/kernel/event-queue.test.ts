import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Actor } from './actor.ts'
import { EventQueue, type PendingEvents } from './event-queue.ts'
import { KernelEvent } from './event.ts'
import { Timeline } from './timeline.ts'

const operation = fc.oneof(
  fc.record({ kind: fc.constant('push' as const), time: fc.nat(50), actor: fc.nat(2) }),
  fc.record({ kind: fc.constant('remove' as const), which: fc.nat(100) }),
  fc.record({ kind: fc.constant('pop' as const) }),
  fc.record({ kind: fc.constant('drop' as const), actor: fc.nat(2) }),
)

/** A queue and a sorted list side by side; every operation says whether they agree. */
class SideBySide {
  private readonly actors = [0, 1, 2].map((id) => new Actor(id, `a${id}`))
  private readonly queue: PendingEvents
  private model: KernelEvent[] = []
  private seq = 0

  constructor(queue: PendingEvents) {
    this.queue = queue
  }

  push(time: number, actor: number): void {
    const event = new KernelEvent('e', this.actors[actor], () => {})
    event.time = time
    event.seq = this.seq++
    this.queue.push(event)
    this.model.push(event)
    this.model.sort((a, b) => a.time - b.time || a.seq - b.seq)
  }

  pop(): boolean {
    return this.queue.pop() === this.model.shift()
  }

  remove(which: number): void {
    if (this.model.length === 0) return
    const [event] = this.model.splice(which % this.model.length, 1)
    this.queue.remove(event)
    this.queue.remove(event) // a second time does nothing
  }

  drop(actor: number): void {
    this.queue.drop(this.actors[actor])
    this.model = this.model.filter((event) => event.actor !== this.actors[actor])
  }

  agree(): boolean {
    return this.queue.size === this.model.length && this.queue.peek() === this.model[0]
  }

  drain(): boolean {
    while (this.model.length > 0) if (!this.pop()) return false
    return this.queue.pop() === undefined
  }
}

describe.each([
  ['event queue', EventQueue],
  ['timeline', Timeline],
])('the %s', (_name, Pending) => {
  it('behaves as a sorted list, whatever is pushed, removed, popped and dropped', () => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 200 }), (operations) => {
        const both = new SideBySide(new Pending())
        for (const each of operations) {
          let same = true
          if (each.kind === 'push') both.push(each.time, each.actor)
          else if (each.kind === 'pop') same = both.pop()
          else if (each.kind === 'drop') both.drop(each.actor)
          else both.remove(each.which)
          expect(same && both.agree()).toBe(true)
        }
        expect(both.drain()).toBe(true)
      }),
      { numRuns: 300 },
    )
  })
})
