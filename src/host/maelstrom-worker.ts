/**
 * The program of the thread that runs a single test in the tank: it sends the test itself, with its history and its
 * messages, beside the answers of every tank thread. A node that never returns holds up this thread and no other, so that
 * the command can end it.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { watchTests, type SimulatedTest } from '../maelstrom/simulation.ts'
import { watched, type Watching } from '../maelstrom/watched.ts'
import type { WorkerData, WorkerNote } from '../sim/campaign/thread-pool.ts'
import './tank-worker.ts'

export interface TestNote {
  readonly test: SimulatedTest
  /** What was to be shown, line by line. */
  readonly shown: readonly string[]
}

const shown: string[] = []
let isTold = false

/** Only the first test: a seed may be run again to see that it repeats, or to be kept. */
function tell(test: SimulatedTest): void {
  if (isTold) return
  isTold = true
  const note: TestNote = { test, shown }
  const message: WorkerNote = { note }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort!.postMessage(message)
}

const { own } = workerData as WorkerData
watchTests({ onTest: tell, ...watched(own as Watching, (line) => void (isTold || shown.push(line))) })
