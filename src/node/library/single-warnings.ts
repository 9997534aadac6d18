/**
 * Warnings that Node prints once: in place of those of `internal/util`, whose memory of them is the host's. Modules that
 * processes share warn once in each of them.
 */
import { running } from '../process/current.ts'
import type { RunningProcess } from '../process/running-process.ts'

/** Codes and features that a process has warned of: each only once. */
const warnedOf = new WeakMap<RunningProcess, Set<unknown>>()

function firstWarning(process: RunningProcess, what: unknown): boolean {
  let warned = warnedOf.get(process)
  if (warned === undefined) warnedOf.set(process, (warned = new Set()))
  if (warned.has(what)) return false
  warned.add(what)
  return true
}

/** Warns once in each process, in Node's words. */
export function emitExperimentalWarning(
  feature: string,
  prefix?: string,
  code?: string,
  ctor?: unknown,
): void {
  if (running === null || !firstWarning(running, `experimental ${feature}`)) return
  const message = `${prefix ?? ''}${feature} is an experimental feature and might change at any time`
  running.object.emitWarning(message, 'ExperimentalWarning', code, ctor)
}

/** A deprecated function of a module that processes share warns once in each of them. */
export function deprecate<F extends (...args: any[]) => unknown>(
  fn: F,
  message: string,
  code?: string,
  synchronously?: boolean,
): F {
  const warn = (process: RunningProcess): void => {
    const { object } = process
    if (object.noDeprecation) return
    if (!firstWarning(process, code ?? deprecated)) return
    const emit = synchronously
      ? process.modules.require('internal/process/warning').emitWarningSync
      : object.emitWarning
    emit(message, 'DeprecationWarning', code, deprecated)
  }
  function deprecated(this: unknown, ...args: unknown[]): unknown {
    if (running !== null) warn(running)
    if (new.target) return Reflect.construct(fn, args, new.target)
    return Reflect.apply(fn, this, args)
  }
  Object.setPrototypeOf(deprecated, fn)
  if (fn.prototype) deprecated.prototype = fn.prototype
  return deprecated as unknown as F
}

/** The form of it for code that decides at each call. */
export function deprecationEmitter(
  code: string | undefined,
  message: string,
  deprecated: unknown,
  synchronously?: boolean,
  isDue: (argument: unknown) => boolean = () => true,
): (argument: unknown) => void {
  const emitter = (argument: unknown): void => {
    if (running === null || !isDue(argument)) return
    const isExperiment = code === 'ExperimentalWarning'
    if (!firstWarning(running, isExperiment ? emitter : (code ?? emitter))) return
    const { object, modules } = running
    if (isExperiment) object.emitWarning(message, code, deprecated)
    else if (code === undefined) object.emitWarning(message, 'DeprecationWarning', deprecated)
    else if (synchronously)
      modules
        .require('internal/process/warning')
        .emitWarningSync(message, 'DeprecationWarning', code, deprecated)
    else object.emitWarning(message, 'DeprecationWarning', code, deprecated)
  }
  return emitter
}

/** A class that was called without `new`. */
export function deprecateInstantiation(
  Target: new (...args: any[]) => unknown,
  code: string,
  ...args: unknown[]
): unknown {
  const message = `Instantiating ${Target.name} without the 'new' keyword has been deprecated.`
  deprecationEmitter(code, message, Target)(undefined)
  return Reflect.construct(Target, args)
}

/** Deprecations that modules of the host or the thread, or the engine's side, announce once for all of them. */
const FOR_ALL: ReadonlySet<unknown> = new Set([
  'DEP0005',
  'DEP0030',
  'DEP0121',
  'DEP0123',
  'DEP0147',
  'DEP0182',
])

/**
 * Whether a module that processes share gives a warning that it will not repeat: it would reach the first process of the
 * thread, and no other. `by` is the function that is deprecated, as `util.deprecate` makes it.
 */
export function isGivenOnce(type: unknown, code: unknown, by: unknown): boolean {
  const {
    type: name = 'Warning',
    code: number,
    ctor,
  }: any = typeof type === 'object' && type !== null ? type : { type, code, ctor: by }
  if (name === 'ExperimentalWarning') return true
  return name === 'DeprecationWarning' && (FOR_ALL.has(number) || isDeprecated(ctor))
}

/** Whether `util.deprecate` made a function: it inherits from the one that it stands for, and is no class. */
export function isDeprecated(fn: unknown): boolean {
  if (typeof fn !== 'function') return false
  const prototype: unknown = Object.getPrototypeOf(fn)
  return (
    typeof prototype === 'function' &&
    prototype !== Function.prototype &&
    !sourceOf.call(fn).startsWith('class')
  )
}

// Taken now: a program may replace it.
const sourceOf = Function.prototype.toString

/** Whether the process wants to hear of what will be deprecated. */
export function isPendingDeprecation(): boolean {
  if (running === null || running.object.noDeprecation) return false
  return running.modules.require('internal/options').getOptionValue('--pending-deprecation') as boolean
}
