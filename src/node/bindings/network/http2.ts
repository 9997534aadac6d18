/**
 * `http2`: Node's own nghttp2 sessions. They write from native immediates, which only a turn of the host's loop runs: a
 * process that has sessions asks for one after each of its steps. A native callback then runs as the process of its
 * session, like a libuv callback.
 */
import { current, running } from '../../process/current.ts'
import { takeInternals, type Binding } from '../../library/internals.ts'
import type { RunningProcess, SharedThread } from '../../process/running-process.ts'
import { JSStream } from './js-stream.ts'
import { guardReader, nativeCallback } from '../native-callback.ts'
import { StreamHandle } from './stream-wrap.ts'
import { connectStream } from './tls-wrap.ts'

interface NativeSession {
  consume(stream: object): void
  request(...args: unknown[]): unknown
  destroy(...args: unknown[]): unknown
}

export function http2(thread: SharedThread): Binding {
  const real = takeInternals().internalBinding('http2')
  const owners = new WeakMap<object, RunningProcess>()
  const RealSession = real.Http2Session as new (...args: unknown[]) => NativeSession

  class Http2Session extends RealSession {
    constructor(...args: unknown[]) {
      super(...args)
      const process = current()
      owners.set(this, process)
      process.hostTurns++
      const native = { close: () => super.destroy(0, true) }
      process.natives.add(native)
      natives.set(this, native)
    }

    override request(...args: unknown[]): unknown {
      const stream = super.request(...args)
      if (stream instanceof real.Http2Stream) guardReader(stream, owners.get(this)!)
      return stream
    }

    override consume(handle: object): void {
      if (!(handle instanceof StreamHandle)) {
        super.consume(handle)
        return
      }
      const stream = new JSStream()
      connectStream(stream, handle, 'at once')
      super.consume(stream)
    }

    override destroy(...args: unknown[]): unknown {
      const process = owners.get(this)
      const native = natives.get(this)
      if (process !== undefined && native !== undefined) {
        natives.delete(this)
        process.natives.delete(native)
        // Its last writes need a turn or two of their own.
        process.complete('http2', 0, () => {
          process.hostTurns--
        })
      }
      return super.destroy(...args)
    }
  }
  const natives = new WeakMap<object, { close(): void }>()

  return {
    ...real,
    Http2Session,
    setCallbackFunctions(...callbacks: ((...args: unknown[]) => unknown)[]) {
      real.setCallbackFunctions(
        ...callbacks.map(
          (callback) =>
            function (this: object, ...args: any[]): unknown {
              const owner = running ?? owners.get(this) ?? thread.turnOwner
              if (owner === null) return undefined
              const [stream] = args
              if (stream instanceof real.Http2Stream && !Object.hasOwn(stream, 'onread'))
                guardReader(stream, owner)
              return Reflect.apply(nativeCallback(owner, callback), this, args)
            },
        ),
      )
    },
  }
}
