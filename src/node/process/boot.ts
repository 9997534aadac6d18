/**
 * Boots Node's library for a process with Node's own bootstrap scripts: they build the `process` object, the globals,
 * the task queues and timers over our bindings. Registrations with natives of the environment end in bindings that
 * ignore them. Nothing here depends on the version: the scripts of a version add its own members.
 */
import { loadingFiles } from '../bindings/fs/loading.ts'
import { exposeCollector } from '../globals/collector.ts'
import { withoutConsole } from '../globals/console.ts'
import { completeGlobal, createGlobal, isKnown, settleGlobal } from '../globals/global.ts'
import { webInterfaces } from '../globals/web-interfaces.ts'
import type { Require } from '../library/internals.ts'
import { ProgramLoader } from '../loader/index.ts'
import { nakedProcess } from './process-object.ts'
import type { NodeProcess } from './process.ts'

/** Modules that bootstrap scripts load only to have them in Node's snapshot. */
const SNAPSHOT_ONLY = new Set([
  'fs',
  'util',
  'url',
  'internal/modules/cjs/loader',
  'internal/modules/esm/utils',
  'internal/perf/utils',
  'internal/inspector_async_hook',
  'internal/modules/run_main',
  'internal/dns/utils',
  'internal/process/pre_execution',
  'internal/modules/esm/loader',
])

// Taken when this module loads: during a burst, `process` is a simulated one.
const hostConfig = Object.getOwnPropertyDescriptor(process, 'config')!

export function bootProcess(process: NodeProcess): void {
  const { modules } = process
  process.object = nakedProcess(process)
  let booting = true
  const kind = kindOf(process)
  process.global = createGlobal(kind)
  process.loader = new ProgramLoader({
    thread: process.thread.loaders,
    process: {
      object: process.object,
      global: process.global,
      globals: { has: (name) => name in process.global, get: (name) => process.global[name] },
      require: modules.require,
      requirePublic: modules.requirePublic,
      binding: (name) => process.binding(name),
      files: process.placement.host?.disk ? loadingFiles(process) : undefined,
    },
    ...process.placement.loader,
  })
  const narrowed: Require = (id) => (booting && SNAPSHOT_ONLY.has(id) ? {} : modules.require(id))
  withoutConsole(modules, () => runBootstrap(process, narrowed, kind))
  booting = false
  if (process.placement.execArgv.some((flag) => /^--expose[-_]gc$/.test(flag)))
    exposeCollector(process.global)
  const isFirst = !isKnown(kind)
  const given = webInterfaces(process.thread.library)
  completeGlobal(process.global, kind, given)
  if (isFirst) process.thread.leaks.adopt('globalThis', given)
  process.thread.leaks.compare('process', process.object, kind)
  if (process.placement.mainScript !== null) settleGlobal(process.global) // the script removes entries
}

function runBootstrap(process: NodeProcess, require: Require, kind: string): void {
  const { modules, thread } = process
  modules.bootstrap('internal/bootstrap/node', require)
  if (!isKnown(kind)) Object.defineProperties(process.global, webInterfaces(thread.library))
  const main = process.placement.thread === null
  modules.bootstrap(`internal/bootstrap/switches/${main ? 'is' : 'is_not'}_main_thread`, require)
  modules.bootstrap(`internal/bootstrap/switches/${main ? 'does' : 'does_not'}_own_process_state`, require)
  Object.defineProperty(process.object, 'config', hostConfig)
  // Node's own main scripts prepare the process themselves.
  if (process.placement.mainScript === null) {
    modules.require('internal/process/pre_execution').prepareMainThreadExecution(false, false)
    process.binding('performance').markBootstrapComplete()
  }
}

/** A name for the options that decide which globals there are. */
function kindOf({ placement }: NodeProcess): string {
  return [
    placement.thread === null,
    placement.mainScript === null,
    ...placement.execArgv,
    placement.env.NODE_OPTIONS,
  ].join(' ')
}
