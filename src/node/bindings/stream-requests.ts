/**
 * Write and shutdown requests: the host's own native objects, because native streams (TLS, HTTP/2) take them too. Such a
 * stream may complete one in a turn of the host's loop, outside of any step: the callback is then entered as the process
 * that made the request.
 */
import { running } from '../current.ts'
import { takeInternals } from '../internals.ts'
import type { NodeProcess } from '../process.ts'

type Completed = (this: unknown, ...args: unknown[]) => unknown
type RequestClass = new () => object

const real = takeInternals().internalBinding('stream_wrap')

function requestClass(name: string, Native: RequestClass): RequestClass {
  const made = class extends Native {
    readonly #owner: NodeProcess | null = running
    #completed: Completed | undefined

    get oncomplete(): Completed | undefined {
      return this.#completed === undefined || running === this.#owner ? this.#completed : this.#enter
    }

    set oncomplete(completed: Completed | undefined) {
      this.#completed = completed
    }

    get #enter(): Completed {
      return this.#owner!.inside(this.#completed!)
    }
  }
  Object.defineProperty(made, 'name', { value: name })
  return made
}

export const WriteRequest = requestClass('WriteWrap', real.WriteWrap)
export const ShutdownRequest = requestClass('ShutdownWrap', real.ShutdownWrap)
