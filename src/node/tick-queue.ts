/** The queue of a process's ticks, which is empty as soon as the process has exited: its ticks never run. */
import type { NodeProcess } from './process.ts'

export function replaceTickQueue(process: NodeProcess): void {
  process.modules.overrides.set('internal/fixed_queue', (original) => {
    const FixedQueue = original('internal/fixed_queue')
    return class TickQueue extends FixedQueue {
      shift(): unknown {
        return process.zombie === null ? super.shift() : null
      }
      isEmpty(): boolean {
        return process.zombie !== null || super.isEmpty()
      }
    }
  })
}
