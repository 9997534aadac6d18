/**
 * The pending events under a strategy: an array ordered by (time, seq), so that what is ready at a step is a prefix of
 * it and nothing is sorted anew. A push or a removal is a binary search and a move of the events behind it; where an
 * exploration has a hundred tasks that is far less than looking through what is ready, which each step must do anyway.
 * Simulations, with many more pending events and no strategy, use the heap in event-queue.ts.
 *
 * An event is ready if its window has begun before any other's has to end, and if it is the first of its lane.
 */
import type { Actor } from './actor.ts'
import { before, type PendingEvents } from './event-queue.ts'
import type { KernelEvent } from './event.ts'

const QUEUED = 0

export class Timeline implements PendingEvents {
  private readonly line: KernelEvent[] = []
  private readonly others: KernelEvent[] = []
  /** By lane: the number of the last search that met one of its events. */
  private readonly laneMet: number[] = []
  private searches = 0
  /** The time by which one of the pending events has to happen, as the last search found it. */
  deadlineUs = Number.POSITIVE_INFINITY

  get size(): number {
    return this.line.length
  }

  peek(): KernelEvent | undefined {
    return this.line[0]
  }

  get pending(): readonly KernelEvent[] {
    return this.line
  }

  push(event: KernelEvent): void {
    const { line } = this
    event.slot = QUEUED
    const at = this.place(event)
    line.push(event)
    for (let i = line.length - 1; i > at; i--) line[i] = line[i - 1]
    line[at] = event
  }

  pop(): KernelEvent | undefined {
    const first = this.line[0]
    if (first !== undefined) this.remove(first)
    return first
  }

  remove(event: KernelEvent): void {
    if (event.slot < 0) return
    event.slot = -1
    const { line } = this
    for (let i = this.place(event) + 1; i < line.length; i++) line[i - 1] = line[i]
    line.pop()
  }

  drop(actor: Actor): void {
    const { line } = this
    let kept = 0
    for (const event of line) {
      if (event.actor === actor) event.slot = -1
      else line[kept++] = event
    }
    line.length = kept
  }

  /**
   * Collects the ready events, those of `task` first, so that position 0 is to go on without a preemption. Stops at an
   * event whose actor does not run and returns it: it has to be taken off before anything can be decided.
   */
  collectReady(ready: KernelEvent[], task: number): KernelEvent | null {
    const { line, others, laneMet } = this
    const search = ++this.searches
    let own = 0
    let other = 0
    let deadline = Number.POSITIVE_INFINITY
    for (const event of line) {
      if (event.time > deadline) break
      if (event.actor.state !== 'running') return event
      if (event.latest < deadline) deadline = event.latest
      const { lane } = event
      if (lane !== 0) {
        if (laneMet[lane] === search) continue
        laneMet[lane] = search
      }
      if (event.task === task) ready[own++] = event
      else others[other++] = event
    }
    this.deadlineUs = deadline
    for (let i = 0; i < other; i++) ready[own++] = others[i]
    if (ready.length > own) ready.length = own // not set to 0 first: V8 would give the array's memory back each time
    return null
  }

  /** Where an event stands, or would: before it are the events that come before it. */
  private place(event: KernelEvent): number {
    const { line } = this
    let low = 0
    let high = line.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (before(line[middle], event)) low = middle + 1
      else high = middle
    }
    return low
  }
}
