/**
 * Which groups of optional calls are worth a thought in a state: those that change it, and, right after another
 * optional call, those that could tell the difference. Worked out once per state and per pair of states.
 */
import type { Space } from './space.ts'
import { NO_STATE } from './transitions.ts'

/** A typed array of a few numbers, with its buffer and its entry in a map. */
const LIST_BYTES = 320

export class OptionalGroups {
  readonly #space: Space
  readonly #changing = new Map<number, Int32Array>()
  readonly #observing = new Map<number, Int32Array>()
  bytes = 0

  constructor(space: Space) {
    this.#space = space
  }

  /** Groups to try in a state; `before` is the state before an unobserved optional call, or -1. */
  candidates(state: number, before: number): Int32Array {
    if (before < 0) return this.#changingIn(state)
    // States are numbered as they are met, far below this many.
    const pair = before * 0x4000000 + state
    let list = this.#observing.get(pair)
    if (list === undefined) {
      const { groupClass, transitions } = this.#space
      list = this.#changingIn(state).filter((group) => {
        const cls = groupClass[group]
        return transitions.next(before, cls) !== transitions.next(state, cls)
      })
      this.#observing.set(pair, list)
      this.bytes += LIST_BYTES + list.byteLength
    }
    return list
  }

  #changingIn(state: number): Int32Array {
    let list = this.#changing.get(state)
    if (list === undefined) {
      const { groups, groupClass, transitions } = this.#space
      const changing: number[] = []
      for (let group = 0; group < groups; group++) {
        const next = transitions.next(state, groupClass[group])
        if (next !== NO_STATE && next !== state) changing.push(group)
      }
      list = Int32Array.from(changing)
      this.#changing.set(state, list)
      this.bytes += LIST_BYTES + list.byteLength
    }
    return list
  }
}
