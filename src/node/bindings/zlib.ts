/**
 * `zlib`: Node's own compressors. Work for the thread pool is done at once and completes as an event. They are native
 * objects with strong roots, so those in use are closed when their process ends. Node's library adds to their
 * prototypes when it loads, so every process has classes of its own.
 */
import { AsyncResource } from 'node:async_hooks'
import { current } from '../process/current.ts'
import { takeInternals, type Binding } from '../library/internals.ts'
import { closed } from './binding.ts'

/** How long the thread pool takes for a chunk, at least. */
const CHUNK_US = 30

interface Stream {
  init(...args: unknown[]): unknown
  write(...args: unknown[]): unknown
  writeSync(...args: unknown[]): unknown
  reset(): unknown
  close(): void
  onerror?: (...error: unknown[]) => void
}

export function zlib(): Binding {
  const real = takeInternals().internalBinding('zlib')
  const streams: Binding = {}
  for (const [name, value] of Object.entries(real)) {
    if (typeof value === 'function' && 'writeSync' in (value.prototype ?? {}))
      streams[name] = simulated(name, value)
  }
  return closed('zlib', { ...streams, crc32: real.crc32 })
}

function simulated(name: string, Native: new (...args: unknown[]) => Stream): unknown {
  const made = {
    [name]: class extends Native {
      private readonly resource = new AsyncResource('ZLIB', { requireManualDestroy: true })
      private readonly process = current()
      private done: (() => void) | undefined
      private isWriting = false

      override init(...args: unknown[]): unknown {
        this.done = args.find((argument) => typeof argument === 'function') as (() => void) | undefined
        const result = super.init(...args)
        this.process.natives.add(this)
        return result
      }

      getAsyncId(): number {
        return this.resource.asyncId()
      }

      override write(...args: unknown[]): void {
        current()
        const { onerror, process } = this
        let error = null as unknown[] | null
        this.onerror = (...details) => {
          error = details
        }
        super.writeSync(...args)
        this.onerror = onerror
        this.isWriting = true
        process.complete('zlib', CHUNK_US, () => {
          this.isWriting = false
          if (error !== null) process.makeCallback(this.resource, onerror!, this, ...error)
          else if (this.done !== undefined) process.makeCallback(this.resource, this.done, this)
        })
      }

      /** Before Node 22 native code would do it while the other thread writes. */
      override reset(): unknown {
        if (this.isWriting) throw new Error('Cannot reset zlib stream while a write is in progress')
        return super.reset()
      }

      override close(): void {
        this.process.natives.delete(this)
        super.close()
      }
    },
  }
  return made[name]
}
