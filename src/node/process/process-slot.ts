/**
 * Per-process state of bindings and library modules that all processes of a thread share: a typed key of a process's
 * `state`. Each owner makes its slot once, when its file is loaded.
 */

/** The part of a process that holds such state. */
export interface StateOwner {
  readonly state: Map<unknown, unknown>
}

export class ProcessSlot<T> {
  get({ state }: StateOwner): T | undefined {
    return state.get(this) as T | undefined
  }

  set({ state }: StateOwner, value: T): T {
    state.set(this, value)
    return value
  }
}
