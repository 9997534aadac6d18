/**
 * The queue of a process's ticks, which is empty as soon as the process has exited: its ticks never run. One class
 * serves all processes, since only the running process's queue is ever touched.
 */
import { running } from './current.ts'

interface FixedQueue {
  shift(): unknown
  isEmpty(): boolean
}

export function tickQueueClass(Queue: new () => FixedQueue): new () => FixedQueue {
  return class TickQueue extends Queue {
    override shift(): unknown {
      return running !== null && running.zombie !== null ? null : super.shift()
    }
    override isEmpty(): boolean {
      return (running !== null && running.zombie !== null) || super.isEmpty()
    }
  }
}
