/**
 * Modules that are shared with the host read the host's `process`. During a burst the members they use lead to the
 * current process; afterwards they are the host's own again. Data that is the same everywhere stays as it is.
 */
import { isGivenOnce } from '../library/single-warnings.ts'
import { running } from '../process/current.ts'
import { SwappedMembers } from './swapped-members.ts'

/** Members of the host's process object that must be the current process's during a burst. */
const DISPATCHED = [
  'cwd',
  'chdir',
  'umask',
  'env',
  'argv',
  'argv0',
  'execArgv',
  'execPath',
  'stdin',
  'stdout',
  'stderr',
  'domain',
  'emit',
  'on',
  'once',
  'off',
  'addListener',
  'removeListener',
  'removeAllListeners',
  'prependListener',
  'listeners',
  'listenerCount',
  'hrtime',
  'uptime',
  'exit',
  'kill',
  'abort',
  'reallyExit',
  'pid',
  'ppid',
  'title',
  'channel',
  'connected',
  'send',
  'report',
  'memoryUsage',
  'cpuUsage',
  'resourceUsage',
  'noDeprecation',
  'throwDeprecation',
  'traceDeprecation',
  '_exiting',
  'getBuiltinModule',
  'binding',
  'dlopen',
  '_rawDebug',
] as const

const hostNextTick = process.nextTick

function dispatchNextTick(...args: any[]): void {
  if (running === null) Reflect.apply(hostNextTick, process, args)
  else running.object.nextTick(...args)
}

const hostEmitWarning = process.emitWarning as (...args: any[]) => void

/** No process hears what a module announces once for all of them: it would be the first process of the thread. */
function dispatchWarning(...args: any[]): void {
  if (running === null) Reflect.apply(hostEmitWarning, process, args)
  else if (!isGivenOnce(args[1], args[2], args[3])) running.object.emitWarning(...(args as [any]))
}

const EMIT_WARNING: PropertyDescriptor = {
  configurable: true,
  enumerable: true,
  writable: true,
  value: dispatchWarning,
}

const NEXT_TICK: PropertyDescriptor = {
  configurable: true,
  enumerable: true,
  writable: true,
  value: dispatchNextTick,
}

export class HostProcess {
  private readonly members = new SwappedMembers(process, (own) => own.object)
  /** Made once: they are put there and taken away with every burst. */
  private readonly accessors = DISPATCHED.map((key) => [key, this.members.accessorOf(key)] as const)

  swap(): void {
    for (const [key, accessor] of this.accessors) this.members.put(key, accessor, false)
    this.members.put('nextTick', NEXT_TICK, true)
    this.members.put('emitWarning', EMIT_WARNING, true)
  }

  restore(): void {
    this.members.restore()
  }
}
