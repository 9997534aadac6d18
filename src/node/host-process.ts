/**
 * Modules that are shared with the host read the host's `process`. During a burst the members they use lead to the
 * current process; afterwards they are the host's own again. Data that is the same everywhere stays as it is.
 */
import { running } from './current.ts'

/** Members of the host's process object that must be the current process's during a burst. */
const DISPATCHED = [
  'emitWarning',
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

const NEXT_TICK: PropertyDescriptor = {
  configurable: true,
  enumerable: true,
  writable: true,
  value: dispatchNextTick,
}

export class HostProcess {
  private readonly host = process as unknown as Record<string, any>
  private readonly saved = new Map<string, PropertyDescriptor | undefined>()
  private readonly accessors = DISPATCHED.map((key) => [key, this.accessorOf(key)] as const)

  swap(): void {
    for (const [key, accessor] of this.accessors) {
      const original = Object.getOwnPropertyDescriptor(this.host, key)
      if (original?.configurable === false) continue
      this.saved.set(key, original)
      accessor.enumerable = original?.enumerable ?? false
      Object.defineProperty(this.host, key, accessor)
    }
    this.saved.set('nextTick', Object.getOwnPropertyDescriptor(this.host, 'nextTick'))
    Object.defineProperty(this.host, 'nextTick', NEXT_TICK)
  }

  restore(): void {
    for (const [key, original] of this.saved) {
      if (original === undefined) delete this.host[key]
      else Object.defineProperty(this.host, key, original)
    }
    this.saved.clear()
  }

  /** Between steps it leads to what the host had. */
  private accessorOf(key: string): PropertyDescriptor {
    const { host, saved } = this
    return {
      configurable: true,
      get: () => {
        if (running !== null) return running.object[key]
        const original = saved.get(key)
        if (original === undefined) return (Object.getPrototypeOf(host) as Record<string, unknown>)[key]
        return original.get === undefined ? original.value : original.get.call(host)
      },
      set: (value) => {
        if (running !== null) {
          running.object[key] = value
          return
        }
        const original = saved.get(key)
        if (original?.set !== undefined) original.set.call(host, value)
        else if (original !== undefined) original.value = value
      },
    }
  }
}
