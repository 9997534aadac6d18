/**
 * `NODE_DEBUG`: what Node's library logs about itself, and `util.debuglog`. Each process that asks for it has its own
 * instance of Node's module; logs of modules that processes share go to the instance of whatever process is current.
 */
import { running } from '../process/current.ts'
import type { RunningProcess } from '../process/running-process.ts'

interface DebugLog {
  (...args: unknown[]): void
  readonly enabled: boolean
}

interface DebugModule {
  initializeDebugEnv(sections: string | undefined): void
  debuglog(section: string, replace?: (log: DebugLog) => void): DebugLog
}

/** The modules of processes that have logs. */
const modules = new WeakMap<RunningProcess, DebugModule>()

function moduleOf(process: RunningProcess, sections: string | undefined): DebugModule {
  let module = modules.get(process)
  if (module === undefined) {
    modules.set(process, (module = process.modules.own('internal/util/debuglog') as DebugModule))
    module.initializeDebugEnv(sections)
  }
  return module
}

/** At boot; most processes have no logs, and need no module. */
export function initializeDebugEnv(sections: string | undefined): void {
  if (sections) moduleOf(running!, sections)
}

/** `util.debuglog`. */
export function ownDebugLog(section: string, replace?: (log: DebugLog) => void): DebugLog {
  return moduleOf(running!, undefined).debuglog(section, replace)
}

/** A log of a shared module. It must not be replaced by the log of the process that uses it first. */
export function sharedDebugLog(section: string): DebugLog {
  const logs = new WeakMap<RunningProcess, DebugLog>()
  const current = (): DebugLog | null => {
    const module = running === null ? undefined : modules.get(running)
    if (module === undefined) return null
    let log = logs.get(running!)
    if (log === undefined) logs.set(running!, (log = module.debuglog(section)))
    return log
  }
  const logger = (...args: unknown[]): void => current()?.(...args)
  return Object.defineProperty(logger, 'enabled', {
    get: () => current()?.enabled ?? false,
    configurable: true,
    enumerable: true,
  }) as DebugLog
}
