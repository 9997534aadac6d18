/**
 * Which file called: read from a stack, as test runners do to say where a test stands.
 */
import { fileURLToPath } from 'node:url'

/** The file of the code that called `callee`, or null where the stack does not say. */
export function callerFile(callee: (...args: never[]) => unknown): string | null {
  const holder: { stack?: string } = {}
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 1
  Error.captureStackTrace(holder, callee)
  Error.stackTraceLimit = limit
  const frame = holder.stack?.split('\n')[1] ?? ''
  const place = /\(?((?:file:\/\/|\/|[A-Za-z]:\\).*?)(?:\?[^:)]*)?:\d+:\d+\)?$/.exec(frame)?.[1]
  if (place === undefined) return null
  return place.startsWith('file://') ? fileURLToPath(place) : place
}
