/**
 * The services that nodes may use: lin-kv (linearizable), seq-kv (sequentially consistent), lww-kv (eventually
 * consistent, the last write wins) and lin-tso (timestamps). A service is a pure function of requests and decisions.
 *
 * lww-kv is as Maelstrom documents it: five replicas that gossip. Maelstrom's code has two that never do.
 */
import type { Decisions } from '../decisions.ts'
import type { Body } from '../protocol/envelope.ts'
import { applyRequest, failure, type State } from './key-value.ts'
import { LastWriteWins } from './last-write-wins.ts'

export interface Service {
  /** The answer to a request, without `in_reply_to`. */
  handle(request: Body, client: string): Body
}

export const SERVICE_NAMES: readonly string[] = ['lin-kv', 'seq-kv', 'lww-kv', 'lin-tso']

export function services(decisions: Decisions): Readonly<Record<string, Service>> {
  return {
    'lin-kv': new Linearizable(),
    'seq-kv': new Sequential(decisions),
    'lww-kv': new LastWriteWins(decisions),
    'lin-tso': new Timestamps(),
  }
}

class Linearizable implements Service {
  #state: State = new Map()

  handle(request: Body): Body {
    const { state, body } = applyRequest(this.#state, request)
    this.#state = state
    return body
  }
}

/** States that a client may still read. */
const KEPT_STATES = 32

/**
 * Every client sees the states in order, some of them late: a request that changes nothing may be answered from any
 * state between the last one its client saw and the newest. One that changes something works on the newest.
 */
class Sequential implements Service {
  readonly #decisions: Decisions
  readonly #states: State[] = [new Map()]
  /** The number of the first state that is kept. */
  #first = 0
  readonly #seen = new Map<string, number>()

  constructor(decisions: Decisions) {
    this.#decisions = decisions
  }

  handle(request: Body, client: string): Body {
    const newest = this.#first + this.#states.length - 1
    const least = Math.max(this.#first, this.#seen.get(client) ?? 0)
    // A draw of 0 is the newest state: the simplest outcome.
    const index = newest - this.#decisions.below(newest - least + 1, 'seq-kv')
    const old = this.#states[index - this.#first]
    const stale = applyRequest(old, request)
    if (stale.state === old) {
      this.#seen.set(client, index)
      return stale.body
    }
    const latest = this.#states.at(-1)!
    const { state, body } = applyRequest(latest, request)
    if (state !== latest) this.#keep(state)
    this.#seen.set(client, this.#first + this.#states.length - 1)
    return body
  }

  #keep(state: State): void {
    this.#states.push(state)
    if (this.#states.length <= KEPT_STATES) return
    this.#states.shift()
    this.#first++
  }
}

class Timestamps implements Service {
  #next = 0

  handle(request: Body): Body {
    if (request.type !== 'ts') return failure(10, `lin-tso does not understand "${request.type}"`)
    return { type: 'ts_ok', ts: this.#next++ }
  }
}
