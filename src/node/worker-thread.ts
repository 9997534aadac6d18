/**
 * A worker thread: an event loop and an instance of Node's library of its own, inside the same simulated process. It is a
 * {@link NodeProcess} that shares its creator's pid and host, talks to it over message ports, and ends with it.
 */
import { filesOf } from './bindings/fs-view.ts'
import type { PortCore } from './bindings/message-port.ts'
import { trackDescriptors } from './bindings/unmanaged-descriptors.ts'
import { NodeProcess } from './process.ts'

/** What a thread knows about itself. */
export interface WorkerThread {
  readonly threadId: number
  readonly name: string
  readonly isInternal: boolean
  readonly resourceLimits: Float64Array
  /** The thread's end of the port to its creator. */
  readonly port: PortCore
  /** The creator's `process.env` itself, when the two share it. */
  readonly sharedEnv: Record<string, string> | null
}

export interface ThreadOptions extends WorkerThread {
  readonly env: Readonly<Record<string, string>>
  readonly execArgv: readonly string[]
  readonly tracksDescriptors: boolean
  readonly exited: (code: number) => void
}

/** How long it takes to start a thread. */
const START_US = 500

/** Starts a thread of a process. */
export function startThread(creator: NodeProcess, options: ThreadOptions): NodeProcess {
  const { site, kernel } = creator
  const name = `${site.name}#${options.threadId}`
  const actor = kernel.actor(name)
  const thread: NodeProcess = new NodeProcess(creator.thread, {
    ...site,
    actor,
    name,
    argv: [],
    execArgv: options.execArgv,
    env: options.env,
    cwd: creator.cwd,
    mainScript: 'internal/main/worker_thread',
    thread: options,
    run: (process) => process.modules.bootstrap('internal/main/worker_thread', process.modules.require),
    exited(code) {
      creator.threads.delete(thread)
      kernel.kill(actor)
      site.host.net.release(actor)
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
