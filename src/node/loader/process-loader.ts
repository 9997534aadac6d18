/**
 * Joins the program loader to the processes of the node layer: which modules of Node's library are the loader's, whose
 * loader answers `import()`, and what a process's global object is to its program.
 */
import { running } from '../current.ts'
import { hostGlobals } from '../host-globals.ts'
import type { NodeProcess } from '../process.ts'
import type { NodeThread } from '../thread.ts'
import { LoaderThread } from './loader-thread.ts'
import { isLoaderModule } from './node-loaders.ts'
import { observeGlobal } from './program-global.ts'
import { ProgramLoader } from './program-loader.ts'
import type { ProgramLoaderOptions } from './program-loader.ts'

const threads = new WeakMap<NodeThread, LoaderThread>()
const loaders = new WeakMap<NodeProcess, ProgramLoader>()

/** The loader's share of a thread; made on first use. */
export function loaderThreadOf(thread: NodeThread): LoaderThread {
  let loaderThread = threads.get(thread)
  if (loaderThread === undefined) {
    const current = (): ProgramLoader | null => (running === null ? null : (loaders.get(running) ?? null))
    threads.set(thread, (loaderThread = new LoaderThread({ internals: thread.internals, current })))
  }
  return loaderThread
}

/** The loader of a process that has booted Node's library; call it once, inside the process. */
export function createLoader(
  process: NodeProcess,
  options: Omit<ProgramLoaderOptions, 'thread' | 'process'> = {},
): ProgramLoader {
  const { modules } = process
  const loader = new ProgramLoader({
    ...options,
    thread: loaderThreadOf(process.thread),
    process: {
      object: process.object,
      globals: { has: (name) => name in process.global, get: (name) => process.global[name] },
      require: modules.require,
      requirePublic: modules.requirePublic,
      binding: (name) => process.binding(name),
    },
  })
  loaders.set(process, loader)
  for (const id of process.thread.internals.builtinIds) {
    if (isLoaderModule(id)) modules.overrides.set(id, () => loader.require(id))
  }
  const known = new Set(Object.getOwnPropertyNames(process.global))
  const global = observeGlobal(process.global, {
    changed(name, value) {
      loader.globalChanged(name, value)
      if (!known.has(name)) hostGlobals.add(name)
    },
  })
  for (const name of ['globalThis', 'global']) {
    Object.defineProperty(process.global, name, { value: global, writable: true, configurable: true })
  }
  loader.initialize()
  return loader
}
