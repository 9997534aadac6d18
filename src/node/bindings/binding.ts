/**
 * Conventions of simulated bindings: what libuv, c-ares and the thread pool would have been.
 *
 * - A binding is made by a function: `(thread) => members` for one that all processes of a thread share, or
 *   `(process) => members` where it holds data or classes of a process. bindings/index.ts lists them all by name. A
 *   binding with a subject of its own has a file of its name; `fs`, the network, DNS, threads and modules are folders of
 *   several; environment.ts has those that are a few lines each.
 * - Members of a shared binding begin with `current()`: the process whose step is running. It throws when that process
 *   has exited, so a zombie can do nothing.
 * - Handles (what stays: sockets, watchers) extend {@link Handle}; requests (what completes once) are plain
 *   `AsyncResource`s of Node's type name, made by {@link requestClass}. Both remember their process when constructed.
 * - A binding never calls JavaScript of a process directly. It arrives through the loop:
 *   - `handle.callback('onread', …)` runs a method of a handle as one libuv callback: call it from something that
 *     `kernel.deliver(process.actor, …)` or `process.complete(…)` brought, never from inside a binding call;
 *   - `process.complete(kind, delayUs, run)` is the thread pool: `run` happens as a poll-phase callback, later;
 *   - `process.finish(request, ...args)` calls `request.oncomplete(...args)` in the request's async scope, inside such
 *     a callback; `process.makeCallback(resource, fn, self, ...args)` is the general form;
 *   - a request in flight keeps the loop alive: `process.loop.requestStarted()` / `requestEnded()` (complete() and
 *     finish() do both).
 * - Errors are negative numbers from {@link uvCode}, as libuv returns them.
 * - Bindings are closed: {@link closed} takes constants of the real one, and everything else that is not ours throws.
 */
import { InternalError } from '../../kernel/errors.ts'
import { takeInternals, type Binding } from '../library/internals.ts'

/** A simulated process asked for something that the tank does not have. */
export class UnsupportedError extends Error {
  readonly code = 'ERR_WAVETANK_UNSUPPORTED'
  override readonly name = 'UnsupportedError'
}

/**
 * A binding with exactly the given members, which become the binding. Numbers, strings, booleans and symbols of the real binding, and plain
 * collections of them, are constants and are taken over; its functions and classes are replaced by ones that throw.
 */
export function closed(name: string, members: Binding): Binding {
  return Object.setPrototypeOf(members, closedBase(name)) as Binding
}

const bases = new Map<string, Binding>()

/** The members that every binding of a name inherits; made once per thread. */
function closedBase(name: string): Binding {
  let base = bases.get(name)
  if (base === undefined) {
    base = {}
    const real = takeInternals().internalBinding(name)
    for (const key of Reflect.ownKeys(real)) {
      const descriptor = Object.getOwnPropertyDescriptor(real, key)!
      const value: unknown = descriptor.get === undefined ? descriptor.value : undefined
      if (typeof value === 'function') base[key] = refusing(name, String(key))
      else if (isConstant(value)) base[key] = value
    }
    bases.set(name, base)
  }
  return base
}

function isConstant(value: unknown): boolean {
  if (value === null || value === undefined) return false
  if (typeof value !== 'object') return typeof value !== 'function'
  if (ArrayBuffer.isView(value) || value instanceof Map) return false
  return Object.values(value).every(isConstant)
}

/** A stand-in that throws its name when called or constructed. */
export function refusing(binding: string, member: string): (...args: unknown[]) => never {
  return function () {
    throw new UnsupportedError(`the tank does not simulate ${member} of Node's private binding '${binding}'`)
  }
}

let uvByName: Map<string, number> | undefined

/** libuv's negative number for an error's name, as in `ECONNREFUSED`. */
export function uvCode(name: string): number {
  if (uvByName === undefined) {
    uvByName = new Map()
    for (const [code, [label]] of takeInternals().internalBinding('uv').getErrorMap())
      uvByName.set(label, code)
  }
  const code = uvByName.get(name)
  if (code === undefined) throw new InternalError(`unknown libuv error ${name}`)
  return code
}
