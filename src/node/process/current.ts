/**
 * The process whose step is running. Everything below Node's library asks here: bindings of a thread are shared by all
 * its processes and dispatch to this one. Between two steps there is none.
 */
import { InternalError } from '../../kernel/errors.ts'
import type { RunningProcess } from './running-process.ts'

/** The running process, or null between steps. Read it where a process that has exited may still pass. */
export let running: RunningProcess | null = null

export function setRunning(process: RunningProcess | null): void {
  running = process
}

/** Runs something of the host's own in the middle of a step: the compiler, say, which starts real threads. */
export function asHost<T>(work: () => T): T {
  const process = running
  setRunning(null)
  try {
    return work()
  } finally {
    setRunning(process)
  }
}

/** The running process. Throws its exit signal again when it has exited: its code unwinds, nothing it asks for is done. */
export function current(): RunningProcess {
  if (running === null) throw new InternalError('a simulated binding was called while no process is running')
  if (running.zombie !== null) throw running.zombie
  return running
}
