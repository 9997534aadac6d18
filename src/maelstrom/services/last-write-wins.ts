/**
 * lww-kv: five replicas, each with a Lamport clock. Before each request one replica merges another one's state into its
 * own, of each key the write with the higher timestamp, and then any replica answers. Reads are stale and a cas may
 * succeed on two replicas: that is what a node must be able to stand.
 */
import type { Decisions } from '../decisions.ts'
import { printMessage, type Body } from '../protocol/envelope.ts'
import { applyRequest } from './key-value.ts'

const REPLICAS = 5

interface Replica {
  clock: number
  state: ReadonlyMap<string, unknown>
  readonly stamps: Map<string, readonly [clock: number, replica: number]>
}

export class LastWriteWins {
  readonly #decisions: Decisions
  readonly #replicas: Replica[] = Array.from({ length: REPLICAS }, () => ({
    clock: 0,
    state: new Map(),
    stamps: new Map(),
  }))

  constructor(decisions: Decisions) {
    this.#decisions = decisions
  }

  handle(request: Body): Body {
    this.#gossip(this.#decisions.below(REPLICAS, 'lww-kv'), this.#decisions.below(REPLICAS, 'lww-kv'))
    const index = this.#decisions.below(REPLICAS, 'lww-kv')
    const replica = this.#replicas[index]
    const { state, body } = applyRequest(replica.state, request)
    if (state !== replica.state) {
      replica.stamps.set(printMessage(request.key), [++replica.clock, index])
      replica.state = state
    }
    return body
  }

  #gossip(from: number, to: number): void {
    if (from === to) return
    const source = this.#replicas[from]
    const target = this.#replicas[to]
    const merged = new Map(target.state)
    for (const [key, stamp] of source.stamps) {
      const own = target.stamps.get(key)
      if (own !== undefined && (own[0] > stamp[0] || (own[0] === stamp[0] && own[1] >= stamp[1]))) continue
      target.stamps.set(key, stamp)
      merged.set(key, source.state.get(key))
    }
    target.state = merged
    target.clock = Math.max(target.clock, source.clock)
  }
}
