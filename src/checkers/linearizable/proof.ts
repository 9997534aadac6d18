/**
 * What a search has to say for itself, as plain data: the order that it found, or the smallest useful proof that there
 * is none, or how far it got.
 *
 * The proof is the *stuck* operation: everything that completed before it returned can be linearized, but not
 * together with it. With it come one order of that longest prefix, the configurations in which such orders can end,
 * and for each the reason why no next step leads on.
 */
import { BITS, STATE } from './configurations.ts'
import { describeOperation, describeState } from './model.ts'
import type { Search } from './search.ts'
import { NO_STATE } from './transitions.ts'

/** Configurations that a proof shows; there may be many more, all alike. */
const SHOWN_CONFIGURATIONS = 10
/** Length of the order that is kept with each of them. */
const TAIL = 24

export interface NextStep {
  readonly operation: number
  readonly description: string
  /** Why this step does not help, in words. */
  readonly why: string
}

export interface LastConfiguration {
  readonly state: string
  /** The operation linearized last; null when there was none. */
  readonly last: number | null
  /** Ids: the end of an order that leads here. */
  readonly tail: readonly number[]
  /** Open operations that were not linearized yet, the stuck one first. */
  readonly next: readonly NextStep[]
}

export interface LinearizabilityProof {
  readonly stuck: number
  readonly description: string
  /** Ids: an order of everything that completed before the stuck operation did. */
  readonly prefix: readonly number[]
  readonly configurations: readonly LastConfiguration[]
}

export function witnessOf(search: Search): number[] {
  return idsOf(search, search.order())
}

export function proofOf(search: Search): LinearizabilityProof {
  const { space } = search
  const rows = search.lastRows(SHOWN_CONFIGURATIONS * 4)
  const stuck = space.returning[search.furthest]
  const operation = space.history.operation(space.position[stuck])
  const configurations: LastConfiguration[] = []
  const known = new Set<string>()
  for (const row of rows) {
    const configuration = lastConfiguration(search, row)
    const text = JSON.stringify([configuration.state, configuration.next])
    if (known.has(text)) continue
    known.add(text)
    configurations.push(configuration)
    if (configurations.length === SHOWN_CONFIGURATIONS) break
  }
  return {
    stuck: operation.id,
    description: describeOperation(operation, space.model),
    prefix: rows.length === 0 ? [] : idsOf(search, search.order(rows[0])),
    configurations,
  }
}

function lastConfiguration(search: Search, row: number): LastConfiguration {
  const { space, configurations } = search
  const { history, model, transitions } = space
  const chunk = configurations.chunk(row)
  const base = configurations.base(row)
  const state = chunk[base + STATE]
  const stateText = describeState(transitions.states[state], model)
  const next: NextStep[] = []
  for (let i = space.openStart[search.furthest]; i < space.openStart[search.furthest + 1]; i++) {
    const call = space.open[i]
    const word = (space.isRead[call] === 1 ? configurations.readStart : BITS) + (space.slot[call] >>> 5)
    if ((chunk[base + word] & (1 << (space.slot[call] & 31))) !== 0) continue
    const operation = history.operation(space.position[call])
    const after = transitions.next(state, space.callClass[call])
    next.push({
      operation: operation.id,
      description: describeOperation(operation, model),
      why:
        after === NO_STATE
          ? `is not possible when the state is ${stateText}`
          : `leads to ${describeState(transitions.states[after], model)}, which is a dead end too`,
    })
  }
  const tail = idsOf(search, search.order(row).slice(-TAIL))
  return { state: stateText, last: tail.at(-1) ?? null, tail, next }
}

function idsOf(search: Search, calls: readonly number[]): number[] {
  return calls.map((call) => search.space.history.id[search.space.position[call]])
}
