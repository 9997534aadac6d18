/**
 * Behaviour of Node's native code that differs between its versions behind the same members. No member shows these
 * differences, so features that came with them do. For those of `fs` see fs/versions.ts.
 */
import { takeInternals } from '../library/internals.ts'

/** Native code of Node 24 and later; `URLPattern` came with it, and went into no older line. */
const isSince24 = hasBinding('url_pattern')

/** `process.title` and `process.debugPort` of a worker thread can be set: they are the thread's own from then on. */
export const threadsHaveTitles: boolean = isSince24

/** The error of `process.cwd()` in a directory that was removed says so. */
export const explainsLostDirectory: boolean = isSince24

/** A path that the address of a unix socket has no room for is refused; before, the rest of it was ignored. */
export const refusesLongSocketPaths: boolean = isSince24

/** DNS records of types that have objects always name their type. */
export const namesRecordTypes: boolean = isSince24

function hasBinding(name: string): boolean {
  try {
    takeInternals().internalBinding(name)
    return true
  } catch {
    return false
  }
}
