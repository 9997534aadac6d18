/**
 * `tls_wrap`: real TLS by Node's own OpenSSL, over simulated sockets. The native wrap reads and writes a `JSStream`,
 * which is fed from the socket. Payload bytes differ from run to run (OpenSSL draws its own randomness), so the
 * connection is opaque: its bytes stay out of the run's hash, and their exact length out of its times.
 */
import { Buffer } from 'node:buffer'
import { takeInternals, type Binding } from '../internals.ts'
import { closed } from './binding.ts'
import { JSStream } from './js-stream.ts'
import { StreamHandle } from './stream-wrap.ts'

export function tlsWrap(): Binding {
  const real = takeInternals().internalBinding('tls_wrap')
  return closed('tls_wrap', {
    TLSWrap: real.TLSWrap,
    wrap(handle: unknown, ...rest: unknown[]) {
      if (!(handle instanceof StreamHandle)) return real.wrap(handle, ...rest)
      const stream = new JSStream()
      connect(stream, handle)
      const wrapped = real.wrap(stream, ...rest)
      handle.process.natives.add({ close: () => wrapped.destroySSL?.() })
      return wrapped
    },
  })
}

/** Makes a native stream that reads from and writes to a handle. */
function connect(stream: any, handle: StreamHandle): void {
  const { process } = handle
  handle.makeOpaque()
  handle.takeData(
    (bytes) => stream.readBuffer(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)),
    () => stream.emitEOF(),
  )
  stream.isClosing = () => !handle.isOpen
  stream.onreadstart = () => handle.readStart()
  stream.onreadstop = () => handle.readStop()
  stream.onshutdown = (request: unknown) => {
    const code = handle.shutdown({ oncomplete: (status) => stream.finishShutdown(request, status) })
    if (code !== 0) process.loop.receive(() => process.guarded(() => stream.finishShutdown(request, code)))
    return 0
  }
  stream.onwrite = (request: unknown, buffers: Uint8Array[]) => {
    process.loop.requestStarted()
    const finish = (status: number): void => {
      process.loop.requestEnded()
      stream.finishWrite(request, status)
    }
    const code = handle.writeLater(buffers, finish)
    if (code !== 0) process.loop.receive(() => process.guarded(() => finish(code)))
    return 0
  }
}
