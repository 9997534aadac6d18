/**
 * Boots Node's library for a process with Node's own bootstrap scripts: they build the `process` object, the globals,
 * the task queues and timers over our bindings. What they would register with natives of the environment ends in
 * bindings that ignore it. Nothing here depends on the version: what a version adds, its own scripts add.
 */
import { loadingFiles } from './bindings/fs-loading.ts'
import { exposeCollector } from './globals/collector.ts'
import { withoutConsole } from './globals/console.ts'
import { completeGlobal, createGlobal, isKnown, settleGlobal } from './globals/global.ts'
import { webInterfaces } from './globals/web-interfaces.ts'
import type { Require } from './builtins.ts'
import { ProgramLoader } from './loader/index.ts'
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
      files: process.site.host?.disk ? loadingFiles(process) : undefined,
    },
    ...process.site.loader,
  })
  const narrowed: Require = (id) => (booting && SNAPSHOT_ONLY.has(id) ? {} : modules.require(id))
  withoutConsole(modules, () => runBootstrap(process, narrowed, kind))
  booting = false
  if (process.site.execArgv.some((flag) => /^--expose[-_]gc$/.test(flag))) exposeCollector(process.global)
  completeGlobal(process.global, kind, webInterfaces(process.thread.library))
  if (process.site.mainScript !== null) settleGlobal(process.global) // the script removes entries
}

function runBootstrap(process: NodeProcess, require: Require, kind: string): void {
  const { modules, thread } = process
  modules.bootstrap('internal/bootstrap/node', require)
  if (!isKnown(kind)) Object.defineProperties(process.global, webInterfaces(thread.library))
  const main = process.site.thread === null
  modules.bootstrap(`internal/bootstrap/switches/${main ? 'is' : 'is_not'}_main_thread`, require)
  modules.bootstrap(`internal/bootstrap/switches/${main ? 'does' : 'does_not'}_own_process_state`, require)
  Object.defineProperty(process.object, 'config', hostConfig)
  // Node's own main scripts prepare the process themselves.
  if (process.site.mainScript === null) {
    modules.require('internal/process/pre_execution').prepareMainThreadExecution(false, false)
    process.binding('performance').markBootstrapComplete()
  }
}

/** What decides which globals there are. */
function kindOf({ site }: NodeProcess): string {
  return [site.thread === null, site.mainScript === null, ...site.execArgv, site.env.NODE_OPTIONS].join(' ')
}
