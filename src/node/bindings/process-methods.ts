/** `process_methods`: clocks, directory, memory figures and the end of a process. */
import { floor } from '../../kernel/arithmetic.ts'
import { peek } from '../../world/disk/path-walk.ts'
import { current } from '../process/current.ts'
import { takeInternals, type Binding } from '../library/internals.ts'
import type { RunningProcess } from '../process/running-process.ts'
import { sendSignal } from '../process/program.ts'
import { closed, uvCode } from './binding.ts'
import { filesOf } from './fs/view.ts'
import { commandOf } from './process-wrap.ts'
import { explainsLostDirectory, threadsHaveTitles } from './versions.ts'

/** Memory figures that a process reads: fixed, since real ones would differ from run to run. */
const RSS_BYTES = 64 * 1024 * 1024
const HEAP_TOTAL_BYTES = 16 * 1024 * 1024
const HEAP_USED_BYTES = 8 * 1024 * 1024
const EXTERNAL_BYTES = 1024 * 1024
const HOST_MEMORY_BYTES = 8 * 1024 * 1024 * 1024

const { owner_symbol: owner } = takeInternals().internalBinding('symbols')

/** The object of the library that a handle or request belongs to, in the end (`AsyncWrap::GetOwner`). */
function ownerOf(resource: any): unknown {
  let object = resource
  while (typeof object?.[owner] === 'object' && object[owner] !== null) object = object[owner]
  return object
}

/** Processes that went somewhere: where they began need not be on the disk. */
const moved = new WeakSet<RunningProcess>()

/** The working directory was removed. */
function lostDirectory(process: RunningProcess): Error {
  const { UVException } = process.modules.require('internal/errors')
  const hint =
    'process.cwd failed with error no such file or directory, the current working directory was likely removed without changing the working directory'
  return new UVException({
    errno: uvCode('ENOENT'),
    syscall: 'uv_cwd',
    ...(explainsLostDirectory && { message: hint }),
  })
}

function initialTitle(process: RunningProcess): string {
  const { getOptionValue } = process.modules.require('internal/options')
  return (getOptionValue('--title') as string) || 'node'
}

const TITLE: PropertyDescriptor = {
  get: () => current().title,
  set(value: unknown) {
    const process = current()
    if (process.placement.thread === null) process.title = String(value)
    else if (threadsHaveTitles) process.title = value // a property of the thread's own from now on
  },
  configurable: true,
  enumerable: true,
}

const DEBUG_PORT: PropertyDescriptor = {
  get: () => current().debugPort,
  set(value: unknown) {
    const process = current()
    if (process.placement.thread === null || threadsHaveTitles) process.debugPort = value
  },
  configurable: true,
  enumerable: true,
}

export function processMethods(process: RunningProcess): Binding {
  const { placement, kernel } = process
  const bootUs = kernel.now
  const hrtimeBuffer = new Uint32Array(3)
  const hrtimeBigInt = new BigUint64Array(hrtimeBuffer.buffer, 0, 1)
  const cpuUs = (): number => kernel.now - bootUs
  return closed('process_methods', {
    hrtimeBuffer,
    hrtime() {
      current()
      const nowUs = kernel.readClock()
      const seconds = floor(nowUs / 1e6)
      hrtimeBuffer[0] = floor(seconds / 0x1_0000_0000)
      hrtimeBuffer[1] = seconds
      hrtimeBuffer[2] = (nowUs % 1e6) * 1000
    },
    hrtimeBigInt() {
      current()
      hrtimeBigInt[0] = BigInt(kernel.readClock()) * 1000n
    },
    uptime: () => (kernel.readClock() - bootUs) / 1e6,
    patchProcessObject(object: Record<string, any>) {
      process.title = process.main === process ? initialTitle(process) : String(process.main.title)
      Object.defineProperty(object, 'title', TITLE)
      object.argv = [placement.argv0, ...placement.argv]
      object.execArgv = [...placement.execArgv]
      object.pid = placement.pid
      object.ppid = placement.ppid
      object.execPath = placement.execPath
      Object.defineProperty(object, 'debugPort', DEBUG_PORT)
    },
    cwd() {
      if (moved.has(process.main) && peek(filesOf(process), process.cwd) === null)
        throw lostDirectory(process)
      return process.cwd
    },
    chdir(directory: string) {
      current()
      process.chdir(directory)
      moved.add(process.main)
    },
    umask(mask?: number) {
      const old = process.umask
      if (mask !== undefined) process.umask = mask & 0o777
      return old
    },
    memoryUsage(values: Float64Array) {
      values.set([RSS_BYTES, HEAP_TOTAL_BYTES, HEAP_USED_BYTES, EXTERNAL_BYTES, 0])
    },
    rss: () => RSS_BYTES,
    constrainedMemory: () => HOST_MEMORY_BYTES,
    availableMemory: () => HOST_MEMORY_BYTES - RSS_BYTES,
    cpuUsage(values: Float64Array) {
      values[0] = cpuUs()
      values[1] = 0
    },
    threadCpuUsage(values: Float64Array) {
      values[0] = cpuUs()
      values[1] = 0
    },
    resourceUsage(values: Float64Array) {
      values.fill(0)
      values[0] = cpuUs()
      values[2] = RSS_BYTES / 1024
    },
    _getActiveRequests: () => [...process.requests].map(ownerOf),
    _getActiveHandles: () => [...process.handles].filter((handle) => handle.hasRef()).map(ownerOf),
    getActiveResourcesInfo: () => process.activeResources(),
    _kill(pid: number, signal: number) {
      current()
      const code = sendSignal(process, pid, signal)
      if (process.zombie !== null) throw process.zombie
      return code === null ? 0 : uvCode(code)
    },
    _rawDebug(text: string) {
      process.printError(`${text}\n`)
    },
    reallyExit(code?: number) {
      if (process.zombie === null) process.exit((code ?? 0) & 0xff, null)
      throw process.zombie
    },
    execve(file: string, args: readonly string[], envPairs: readonly string[]) {
      current()
      const command = commandOf(process, { file, args, envPairs, cwd: process.cwd })
      if (typeof command === 'string') {
        process.printError(`process.execve failed with error code ${command}\n${new Error().stack}\n`)
        process.exit(null, 'SIGABRT')
      } else placement.replace(command)
      throw process.zombie
    },
    abort() {
      process.exit(null, 'SIGABRT')
      throw process.zombie
    },
    causeSegfault() {
      process.exit(null, 'SIGSEGV')
      throw process.zombie
    },
    setEmitWarningSync() {},
    resetStdioForTesting() {},
    _debugProcess() {},
    _debugEnd() {},
  })
}
