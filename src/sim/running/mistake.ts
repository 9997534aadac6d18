/**
 * Mistakes in the simulation's own code. An invariant, a `check` or another part of the workload says that a promise is
 * broken by what it throws on purpose: an assertion, an error with a sentence. A ReferenceError, or a TypeError without a
 * cause, is not thrown on purpose; it says that the code has a mistake, and nothing about the system. (`fetch` reports
 * a failed connection as a TypeError too, with the reason as its cause: that one is the system's.)
 */
import { programFrames } from '../../node/bare.ts'

export function isMistake(error: unknown): error is Error {
  if (!(error instanceof Error)) return false
  return error.name === 'ReferenceError' || (error.name === 'TypeError' && error.cause === undefined)
}

/** The mistake with the place of its first line in the user's files. */
export function mistakeText({ name, message, stack = '' }: Error): string {
  const place = programFrames(stack)[0]?.position
  return `a mistake in the simulation: ${name}: ${message}${place === undefined ? '' : `, at ${place}`}`
}
