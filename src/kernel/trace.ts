/**
 * The trace of a run: one row per step, in typed arrays, with its causes. On by default as a ring of the last steps;
 * complete on replay, where slicing and the story need it; a trace of capacity 0 keeps nothing and costs nothing.
 *
 * A row's causes are the step that scheduled it (`cause`), the previous step of the same actor (`previous`: program
 * order, where the actor has one), and any number of further links (a callback that was queued behind others is also caused by its arrival).
 */
import type { Actor } from './actor.ts'
import { max } from './arithmetic.ts'

export interface TraceRow {
  readonly step: number
  readonly time: number
  readonly kind: string
  readonly actor: string
  readonly cause: number
  readonly previous: number
  readonly links: readonly number[]
}

const NOTHING = new Float64Array(0)
const NONE: never[] = []

export class Trace {
  private readonly capacity: number
  private readonly times: Float64Array = NOTHING
  private readonly causes: Float64Array = NOTHING
  private readonly previous: Float64Array = NOTHING
  private readonly kinds: string[] = NONE
  private readonly actors: (Actor | null)[] = NONE
  private links: Map<number, number[]> | null = null
  /** Steps recorded so far; the ring holds the last `capacity` of them. */
  length = 0

  constructor(capacity: number) {
    this.capacity = capacity
    if (capacity === 0) return
    this.times = new Float64Array(capacity)
    this.causes = new Float64Array(capacity)
    this.previous = new Float64Array(capacity)
    this.kinds = new Array<string>(capacity).fill('')
    this.actors = new Array<Actor | null>(capacity).fill(null)
  }

  record(step: number, time: number, kind: string, actor: Actor, cause: number): void {
    this.length = step + 1
    if (this.capacity === 0) return
    const row = step % this.capacity
    this.times[row] = time
    this.causes[row] = cause
    this.previous[row] = actor.ordered ? actor.lastStep : 0
    this.kinds[row] = kind
    this.actors[row] = actor
    if (this.links !== null && step > this.capacity) this.links.delete(step - this.capacity)
  }

  /** The step turned out to run code of another actor: a network event that woke a process. */
  attribute(step: number, actor: Actor): void {
    if (this.capacity === 0) return
    const row = step % this.capacity
    this.actors[row] = actor
    this.previous[row] = actor.lastStep
  }

  /** A further cause of a step. */
  link(step: number, cause: number): void {
    if (this.capacity === 0) return
    this.links ??= new Map()
    const links = this.links.get(step)
    if (links === undefined) this.links.set(step, [cause])
    else links.push(cause)
  }

  /** The first step that is still held. */
  get first(): number {
    return max(0, this.length - this.capacity)
  }

  row(step: number): TraceRow | null {
    if (step < this.first || step >= this.length) return null
    const row = step % this.capacity
    return {
      step,
      time: this.times[row],
      kind: this.kinds[row],
      actor: this.actors[row]?.name ?? '',
      cause: this.causes[row],
      previous: this.previous[row],
      links: this.links?.get(step) ?? [],
    }
  }
}
