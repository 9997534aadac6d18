/**
 * JavaScript that native code calls, as `MakeCallback` does in C++: as the process that it belongs to, also when no step of
 * it is under way; what it throws is uncaught there and does not travel through native frames; and when it is the outermost
 * call, ticks and microtasks run after it, before native code goes on.
 */
import type { RunningProcess } from '../process/running-process.ts'

export type Callback = (this: any, ...args: any[]) => unknown

export function nativeCallback(process: RunningProcess, callback: Callback): Callback {
  return process.inside(function (this: unknown, ...args: unknown[]): unknown {
    if (process.zombie !== null) return undefined
    let result: unknown
    const call = (): void => {
      result = Reflect.apply(callback, this, args)
    }
    process.thread.scopes.within(() => process.guarded(call))
    return result
  })
}

/** Makes the reader of a native stream such a callback. Native code keeps it out of sight, behind an accessor of the class. */
export function guardReader(stream: any, process: RunningProcess): void {
  const native = Object.getPrototypeOf(stream)
  let reader: unknown
  Object.defineProperty(stream, 'onread', {
    configurable: true,
    get: () => reader,
    set(value: unknown) {
      reader = value
      const guarded = typeof value === 'function' ? nativeCallback(process, value as Callback) : value
      Reflect.set(native, 'onread', guarded, stream)
    },
  })
}
