/**
 * Write and shutdown requests: the host's own native objects, because native streams (TLS, HTTP/2) take them too. Such a
 * stream completes one when it likes: while it is fed, as a callback of its own, or in a turn of the host's loop, outside
 * of any step. The callback is then entered as the process that made the request (see native-callback.ts).
 */
import { running } from '../../process/current.ts'
import { takeInternals } from '../../library/internals.ts'
import type { RunningProcess } from '../../process/running-process.ts'
import { nativeCallback } from '../native-callback.ts'

type Completed = (this: unknown, ...args: unknown[]) => unknown
type RequestClass = new () => object

const real = takeInternals().internalBinding('stream_wrap')

function requestClass(name: string, Native: RequestClass): RequestClass {
  const made = class extends Native {
    readonly #owner: RunningProcess | null = running
    #completed: Completed | undefined

    get oncomplete(): Completed | undefined {
      const completed = this.#completed
      return completed === undefined || this.#owner === null
        ? completed
        : nativeCallback(this.#owner, completed)
    }

    set oncomplete(completed: Completed | undefined) {
      this.#completed = completed
    }
  }
  Object.defineProperty(made, 'name', { value: name })
  return made
}

export const WriteRequest = requestClass('WriteWrap', real.WriteWrap)
export const ShutdownRequest = requestClass('ShutdownWrap', real.ShutdownWrap)
