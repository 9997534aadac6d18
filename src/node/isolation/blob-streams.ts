/**
 * Blobs are the host's, since natives clone them, and their streams read on an immediate: of the host, since Node 24.
 * For a simulated process the method comes from an instance of Node's module that takes the process's own timers.
 */
import { running } from '../process/current.ts'
import type { Library } from '../library/builtins.ts'

const ID = 'internal/blob'

/** Once per thread. */
export function shareBlobStreams(library: Library): void {
  const { Blob } = library.internals.require(ID)
  const ofHost: () => unknown = Blob.prototype.stream
  let ofTank: (() => unknown) | undefined
  const { stream } = {
    stream(this: unknown): unknown {
      if (running === null) return ofHost.call(this)
      ofTank ??= library.another(ID).Blob.prototype.stream as () => unknown
      return ofTank.call(this)
    },
  }
  const descriptor = Object.getOwnPropertyDescriptor(Blob.prototype, 'stream')!
  Object.defineProperty(Blob.prototype, 'stream', { ...descriptor, value: stream })
}
