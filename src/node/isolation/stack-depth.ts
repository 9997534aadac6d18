/**
 * `Error.stackTraceLimit` is one per realm, and many packages set it. The host's own limit (test runners raise it) is put
 * aside during a burst, and a process that has chosen one gets it back in each of its steps. Programs simply assign it,
 * so it is checked whenever a process stops running.
 *
 * The engine counts the tank's frames, which stacks leave out (loader/stack-traces.ts). They lie between a program's own
 * frames and the asynchronous ones: with Node's limit of ten, no stack would show what awaits. So a process begins with
 * a limit that has room for them, and its stacks show Node's ten.
 */
import { registers } from '../library/registers.ts'

const NODES = 10

/** More frames than the tank has below any code of a program; about fourteen. */
const TANKS = 20

const DEFAULT = NODES + TANKS

registers.add({
  get: () => Error.stackTraceLimit,
  set: (limit) => {
    Error.stackTraceLimit = limit as number
  },
  initial: DEFAULT,
})

export function stackDepthIsDefault(): boolean {
  return Error.stackTraceLimit === DEFAULT
}

/** How many of a program's frames a stack shows. */
export function shownStackDepth(): number {
  return stackDepthIsDefault() ? NODES : Number.POSITIVE_INFINITY
}

/** Returns the host's limit. */
export function pinStackDepth(): number {
  const before = Error.stackTraceLimit
  Error.stackTraceLimit = DEFAULT
  return before
}

export function restoreStackDepth(before: number): void {
  Error.stackTraceLimit = before
}

/** Runs something that must not care what the host's limit is. */
export function withPinnedStackDepth<T>(run: () => T): T {
  const before = pinStackDepth()
  try {
    return run()
  } finally {
    restoreStackDepth(before)
  }
}
