/** `timers`: Node's one libuv timer and one check handle per process, on the process's loop. */
import type { RunningProcess } from '../process/running-process.ts'
import { closed } from './binding.ts'
import type { Binding } from '../library/internals.ts'

export function timers(process: RunningProcess): Binding {
  const { loop } = process
  return closed('timers', {
    immediateInfo: loop.immediateInfo,
    timeoutInfo: new Int32Array(1),
    setupTimers(processImmediate: () => void, processTimers: (nowMs: number) => number) {
      process.processImmediate = processImmediate
      process.processTimers = processTimers
    },
    getLibuvNow: () => loop.timeMs,
    scheduleTimer(afterMs: number) {
      loop.scheduleTimer(afterMs)
    },
    toggleTimerRef(ref: boolean) {
      loop.toggleTimerRef(ref)
    },
    toggleImmediateRef() {
      // The loop reads the count of ref'd immediates by itself.
      loop.wake()
    },
  })
}
