/**
 * One shape for all file operations. Node calls each in up to four ways; the argument after the inputs decides:
 *
 * - a request object: completes later through `request.oncomplete(error)` or `(null, value)`;
 * - the `kUsePromises` symbol: returns a promise;
 * - nothing: does it now and throws the finished error;
 * - nothing, then a context object: does it now and writes the error's number into the context.
 *
 * An asynchronous operation takes effect when it completes, not when it is asked for: until then it is in the thread
 * pool, and operations of the same process may overtake each other as they may in Node.
 */
import { DeviceInode } from '../../../world/disk/inode.ts'
import type { KernelEvent } from '../../../kernel/event.ts'
import type { FileView } from '../../../world/disk/file-view.ts'
import { current } from '../../process/current.ts'
import { Request } from '../../process/handle.ts'
import { takeInternals } from '../../library/internals.ts'
import type { RunningProcess } from '../../process/running-process.ts'
import { uvCode } from '../binding.ts'
import { blockLoop } from './block.ts'
import { asyncError, codeOf, type Subject, syncError } from './errors.ts'
import { pathOf } from './path.ts'
import { filesOf } from './view.ts'

const kUsePromises: symbol = takeInternals().internalBinding('fs').kUsePromises

export type Arguments = readonly any[]

export interface Operation {
  readonly syscall: string
  /** How many arguments come before the request. */
  readonly inputs: number
  /** Which inputs the error names. */
  readonly path?: number | ((args: Arguments) => string)
  readonly dest?: number
  /** Checks that C++ makes of its arguments, at once in every form. */
  readonly check?: (args: Arguments) => void
  readonly run: (view: FileView, args: Arguments, process: RunningProcess, form: 'sync' | 'async') => unknown
  /** How long it takes, beyond the way through the thread pool. */
  readonly latencyUs?: (view: FileView, args: Arguments) => number
  /** Error codes that are an answer of `undefined` here. */
  readonly tolerates?: (code: string, args: Arguments) => boolean
}

/** The request object of the callback form. */
export class FSReqCallback extends Request {
  readonly bigint: boolean
  constructor(bigint?: boolean) {
    super('FSREQCALLBACK')
    this.bigint = bigint === true
  }
  cancel(): void {
    // Work that is in the thread pool already is not given up.
  }
}

export function operation(spec: Operation): (...args: any[]) => unknown {
  const { inputs } = spec
  const member = function (...args: any[]): unknown {
    const process = current()
    spec.check?.(args)
    const request = args[inputs]
    if (request === undefined) return runNow(process, spec, args, member)
    if (request === kUsePromises)
      return promised(
        process,
        () => perform(process, spec, args),
        delayOf(process, spec, args),
        'FSREQPROMISE',
        (event) => describe(event, process, subjectOf(spec, args), args[0]),
        (error, again) => waitsForInput(process, args[0], error, again),
      )
    const finish = (error: unknown, value?: unknown): void => {
      if (error !== null) process.finish(request, error)
      else if (value === undefined) process.finish(request, null)
      else process.finish(request, null, value)
    }
    const attempt = (): void => {
      let value: unknown
      try {
        value = perform(process, spec, args)
      } catch (error) {
        if (!waitsForInput(process, args[0], error, attempt)) finish(error)
        return
      }
      finish(null, value)
    }
    process.requests.add(request)
    const event = process.complete('fs', delayOf(process, spec, args), attempt)
    describe(event, process, subjectOf(spec, args), args[0])
    return undefined
  }
  return member
}

/** A read of a pipe that is empty stays in the thread pool until there is something. */
function waitsForInput(process: RunningProcess, fd: unknown, error: unknown, again: () => void): boolean {
  if ((error as { code?: string }).code !== 'EAGAIN' || typeof fd !== 'number') return false
  const { inode } = filesOf(process).descriptors.get(fd)
  if (!(inode instanceof DeviceInode) || inode.device.whenReadable === undefined) return false
  process.loop.requestStarted()
  inode.device.whenReadable(() => {
    process.loop.requestEnded()
    again()
  })
  return true
}

/** Operations that change neither names nor contents. */
const READING = new Set([
  'access',
  'stat',
  'lstat',
  'fstat',
  'statfs',
  'read',
  'scandir',
  'readlink',
  'realpath',
  'opendir',
])

/** Says which file an event is about, where strategies and people want to know; `fd` may be what has no path. */
export function describe(
  event: KernelEvent,
  process: RunningProcess,
  { syscall, path, dest }: Subject,
  fd?: unknown,
): void {
  if (!process.kernel.described) return
  const { descriptors, disk } = filesOf(process)
  const name = path ?? (typeof fd === 'number' && descriptors.has(fd) ? descriptors.get(fd).name : '')
  if (process.kernel.worded) event.detail = `${syscall} ${name}${dest === undefined ? '' : ` → ${dest}`}`
  // A file is known by its last name, however it was reached; what has two names touches the whole disk.
  const resource =
    dest === undefined ? `disk ${disk.name}/${name.slice(name.lastIndexOf('/') + 1)}` : `disk ${disk.name}`
  event.also = { resource, write: !READING.has(syscall) }
}

/** Runs something in the thread pool and settles a promise with its outcome. */
export function promised<T>(
  process: RunningProcess,
  run: () => T,
  delayUs = 0,
  type = 'FSREQPROMISE',
  scheduled: (event: KernelEvent) => void = () => {},
  waits: (error: unknown, again: () => void) => boolean = () => false,
): Promise<T> {
  const resource = new Request(type)
  return new Promise<T>((resolve, reject) => {
    const attempt = (): void => {
      let settle: () => void
      try {
        const value = run()
        settle = () => resolve(value)
      } catch (error) {
        if (waits(error, attempt)) return
        settle = () => reject(error)
      }
      process.makeCallback(resource, settle, undefined)
      resource.emitDestroy()
    }
    scheduled(process.complete('fs', delayUs, attempt))
  })
}

function runNow(
  process: RunningProcess,
  spec: Operation,
  args: Arguments,
  member: (...args: any[]) => unknown,
): unknown {
  const delayUs = delayOf(process, spec, args)
  if (delayUs > 0) blockLoop(process, delayUs)
  try {
    return spec.run(filesOf(process), args, process, 'sync')
  } catch (failure) {
    const code = codeOf(failure)
    if (spec.tolerates?.(code, args) === true) return undefined
    const context = args[spec.inputs + 1]
    if (typeof context === 'object' && context !== null) {
      context.errno = uvCode(code)
      context.syscall = spec.syscall
      return undefined
    }
    throw syncError(code, subjectOf(spec, args), member)
  }
}

function perform(process: RunningProcess, spec: Operation, args: Arguments): unknown {
  try {
    return spec.run(filesOf(process), args, process, 'async')
  } catch (failure) {
    const code = codeOf(failure)
    if (spec.tolerates?.(code, args) === true) return undefined
    throw asyncError(code, subjectOf(spec, args))
  }
}

function delayOf(process: RunningProcess, spec: Operation, args: Arguments): number {
  const view = filesOf(process)
  return view.disk.faults.stallUs() + (spec.latencyUs?.(view, args) ?? 0)
}

function subjectOf(spec: Operation, args: Arguments): Subject {
  return {
    syscall: spec.syscall,
    path: typeof spec.path === 'number' ? pathOf(args[spec.path]) : spec.path?.(args),
    dest: spec.dest === undefined ? undefined : pathOf(args[spec.dest]),
  }
}

/** The bytes behind any view of a buffer. */
export function bytesOf(value: ArrayBufferView | ArrayBuffer, offset = 0, length?: number): Uint8Array {
  if (ArrayBuffer.isView(value)) {
    return new Uint8Array(value.buffer, value.byteOffset + offset, length ?? value.byteLength - offset)
  }
  return new Uint8Array(value, offset, length ?? value.byteLength - offset)
}
