/**
 * `task_queue`: ticks are queued per process, microtasks in V8's one queue. Every step is drained before the next, so
 * the shared queue is empty whenever another process runs.
 */
import { running } from '../process/current.ts'
import { takeInternals, type Binding } from '../library/internals.ts'
import type { RunningProcess } from '../process/running-process.ts'
import { closed } from './binding.ts'

export function taskQueue(process: RunningProcess): Binding {
  const real = takeInternals().internalBinding('task_queue')
  return closed('task_queue', {
    tickInfo: process.tickInfo,
    promiseRejectEvents: real.promiseRejectEvents,
    runMicrotasks: real.runMicrotasks,
    setTickCallback(callback: () => void) {
      process.tickCallback = callback
    },
    setPromiseRejectCallback(handler: RunningProcess['rejected']) {
      process.rejected = handler
    },
    /** A throw in a bare microtask would reach the host's handlers. */
    enqueueMicrotask(callback: () => void) {
      real.enqueueMicrotask(() => {
        if (process.zombie !== null) return
        try {
          callback()
        } catch (error) {
          if (running === process) process.uncaught(error)
          else throw error
        }
      })
    },
  })
}
