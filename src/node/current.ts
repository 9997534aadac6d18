/**
 * The process whose step is running. Everything below Node's library asks here: bindings of a thread are shared by all
 * its processes and dispatch to this one. Between two steps there is none.
 */
import { InternalError } from '../kernel/errors.ts'
import type { NodeProcess } from './process.ts'

/** The running process, or null between steps. Read it where a process that has exited may still pass. */
export let running: NodeProcess | null = null

export function setRunning(process: NodeProcess | null): void {
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
export function current(): NodeProcess {
  if (running === null) throw new InternalError('a simulated binding was called while no process is running')
  if (running.zombie !== null) throw running.zombie
  return running
}

/** Thrown by `process.reallyExit`: JavaScript cannot be stopped otherwise. User code that catches it is a zombie. */
export class ExitSignal extends Error {
  override readonly name = 'ExitSignal'

  constructor() {
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0 // every process that ends makes one, and nobody asks where
    super('the simulated process has exited')
    Error.stackTraceLimit = stackTraceLimit
  }
}
