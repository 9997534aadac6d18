/** The program of a worker thread: takes requests, answers them. See `sim/campaign/thread-pool.ts`. */
import { parentPort, workerData } from 'node:worker_threads'
import { HOST_MODULES } from './host-modules.ts'
import { NodeThread } from '../node/index.ts'
import { UsageError } from '../kernel/errors.ts'
import type { WorkerAnswer, WorkerData, WorkerRequest } from '../sim/campaign/thread-pool.ts'
import { declarationsIn } from '../sim/campaign/declarations.ts'
import { recordedRun } from '../failures/recorded-run.ts'
import { reportOf, ThreadExecutor, threadHost } from '../sim/campaign/thread-host.ts'

const { root, progress } = workerData as WorkerData
const steps = new Int32Array(progress)
const host = threadHost({ root, hostModules: HOST_MODULES, progress: (step) => void (steps[0] = step) })
const thread = NodeThread.get()
const executor = new ThreadExecutor(host)

async function answer(request: WorkerRequest): Promise<WorkerAnswer> {
  try {
    switch (request.type) {
      case 'run':
        return { value: reportOf(await executor.record(request.job)), isStained: thread.isStained }
      case 'record':
        return {
          value: recordedRun(await executor.record(request.job)),
          isStained: thread.isStained,
        }
      case 'declare':
        return { value: await declarationsIn(request.file, host) }
    }
  } catch (error) {
    if (error instanceof UsageError) return { usage: { code: error.code, message: error.message } }
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

parentPort!.on('message', (request: WorkerRequest) => {
  steps[0] = 0
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  void answer(request).then((reply) => parentPort!.postMessage(reply))
})
