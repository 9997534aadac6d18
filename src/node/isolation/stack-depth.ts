/**
 * `Error.stackTraceLimit` is one per realm, and many packages set it. A simulated process begins with Node's ten; the
 * host's own limit (test runners raise it) is put aside during a burst, and a process that has chosen one gets it back in
 * each of its steps. Programs simply assign it, so it is checked whenever a process stops running.
 */
import { registers } from '../library/registers.ts'

const DEFAULT = 10

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
