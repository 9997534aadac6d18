/**
 * A worker thread: an event loop and an instance of Node's library of its own, inside the same simulated process. It is a
 * {@link NodeProcess} that shares its creator's pid and host, talks to it over message ports, and ends with it.
 */
import { filesOf } from '../bindings/fs/view.ts'
import { trackDescriptors } from '../bindings/fs/unmanaged-descriptors.ts'
import type { WorkerThread } from './placement.ts'
import { NodeProcess } from './process.ts'
import type { RunningProcess } from './running-process.ts'

export interface ThreadOptions extends WorkerThread {
  readonly env: Readonly<Record<string, string>>
  readonly execArgv: readonly string[]
  readonly tracksDescriptors: boolean
  readonly exited: (code: number) => void
}

/** How long it takes to start a thread. */
const START_US = 500

/** Starts a thread of a process. */
export function startThread(process: RunningProcess, options: ThreadOptions): RunningProcess {
  const creator = process as NodeProcess // no other class implements it
  const { placement, kernel } = creator
  const name = `${placement.name}#${options.threadId}`
  const actor = kernel.actor(name)
  const thread: NodeProcess = new NodeProcess(creator.thread, {
    ...placement,
    actor,
    name,
    argv: [],
    execArgv: options.execArgv,
    env: options.env,
    cwd: creator.cwd,
    mainScript: 'internal/main/worker_thread',
    thread: options,
    run: ({ modules }) => modules.bootstrap('internal/main/worker_thread', modules.require),
    exited(code) {
      creator.threads.delete(thread)
      kernel.kill(actor)
      placement.host.net.release(actor)
      options.exited(code ?? 1)
    },
  })
  thread.threadIds = creator.threadIds
  thread.main = creator.main
  if (options.tracksDescriptors) trackDescriptors(thread, () => filesOf(thread))
  creator.threads.add(thread)
  thread.start(START_US)
  return thread
}
