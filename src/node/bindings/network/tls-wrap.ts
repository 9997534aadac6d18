/**
 * `tls_wrap`: real TLS by Node's own OpenSSL, over simulated sockets. The native wrap reads and writes a `JSStream`,
 * which is fed from the socket. Payload bytes differ from run to run (OpenSSL draws its own randomness), so the
 * connection is opaque: its bytes stay out of the run's hash, and their exact length out of its times. Dates of
 * certificates are judged by the clock of the host (certificate-clock.ts).
 */
import { Buffer } from 'node:buffer'
import { current } from '../../process/current.ts'
import { takeInternals, type Binding } from '../../library/internals.ts'
import type { RunningProcess } from '../../process/running-process.ts'
import { closed, uvCode } from '../binding.ts'
import { judgeByHostClock } from './certificate-clock.ts'
import { JSStream } from './js-stream.ts'
import { guardReader, nativeCallback, type Callback } from '../native-callback.ts'
import { StreamHandle, type WriteReport } from './stream-wrap.ts'

export function tlsWrap(): Binding {
  const real = takeInternals().internalBinding('tls_wrap')
  return closed('tls_wrap', {
    TLSWrap: real.TLSWrap,
    wrap(handle: unknown, ...rest: unknown[]) {
      const [context, isServer] = rest as [object, boolean]
      if (!(handle instanceof StreamHandle)) {
        const wrapped = guardCallbacks(real.wrap(handle, ...rest), current())
        judgeByHostClock(wrapped, context, isServer, current())
        return wrapped
      }
      const stream: any = new JSStream()
      const wrapped = guardCallbacks(real.wrap(stream, ...rest), handle.process)
      judgeByHostClock(wrapped, context, isServer, handle.process)
      handle.makeOpaque()
      connectStream(stream, handle, 'later', (code) => {
        if (code === uvCode('EOF')) stream.emitEOF()
        else tellReadError(wrapped, code)
      })
      handle.process.natives.add({ close: () => wrapped.destroySSL?.() })
      return wrapped
    },
  })
}

/** The functions that OpenSSL's side calls. */
const CALLBACKS = [
  'onhandshakestart',
  'onhandshakedone',
  'onclienthello',
  'oncertcb',
  'onnewsession',
  'onkeylog',
  'onocspresponse',
  'onerror',
] as const

function guardCallbacks(wrapped: any, process: RunningProcess): any {
  if (typeof wrapped.clientHelloDone === 'function') giveTurns(wrapped, process)
  for (const name of CALLBACKS) {
    let callback: unknown
    Object.defineProperty(wrapped, name, {
      configurable: true,
      get: () => callback,
      set(value: unknown) {
        callback = typeof value === 'function' ? nativeCallback(process, value as Callback) : value
      },
    })
  }
  guardReader(wrapped, process)
  return wrapped
}

/**
 * Since Node 26 native code reports a client's hello, and asks for a certificate, from an immediate of the host's loop:
 * a server that wants to know needs turns of it until it is destroyed.
 */
function giveTurns(wrapped: any, process: RunningProcess): void {
  let turns = 0
  const { destroySSL } = wrapped
  for (const name of ['enableCertCb', 'enableSessionCallbacks']) {
    const native = wrapped[name]
    wrapped[name] = (...args: unknown[]): unknown => {
      turns++
      process.hostTurns++
      return Reflect.apply(native, wrapped, args)
    }
  }
  wrapped.destroySSL = (): unknown => {
    process.hostTurns -= turns
    turns = 0
    return Reflect.apply(destroySSL, wrapped, [])
  }
}

/** A native stream has no way to take an error: the reader of the wrap gets it directly. */
function tellReadError(wrapped: any, code: number): void {
  const { streamBaseState, kReadBytesOrError } = takeInternals().internalBinding('stream_wrap')
  streamBaseState[kReadBytesOrError] = code
  wrapped.onread?.call(wrapped, undefined)
}

/** Makes a native stream read from and write to a handle. */
export function connectStream(
  stream: any,
  handle: StreamHandle,
  report: WriteReport,
  end?: (code: number) => void,
): void {
  const { process } = handle
  handle.consumeData((bytes) => {
    stream.readBuffer(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
    process.drain() // after callbacks that natives were given directly
  }, end)
  // When the native reader is gone, what still arrives goes nowhere; natives insist on a function.
  stream.onread = () => {}
  stream.isClosing = () => !handle.isOpen
  // A process that has exited does nothing more, but its native frames have to return.
  const ended = (): boolean => process.zombie !== null
  stream.onreadstart = () => (ended() ? 0 : handle.readStart())
  stream.onreadstop = () => (ended() ? 0 : handle.readStop())
  stream.onshutdown = (request: unknown) => {
    if (ended()) return 0
    const code = handle.shutdown({ oncomplete: (status) => stream.finishShutdown(request, status) })
    if (code !== 0) process.loop.receive(() => process.guarded(() => stream.finishShutdown(request, code)))
    return 0
  }
  stream.onwrite = (request: unknown, buffers: Uint8Array[]) => {
    if (ended()) return 0
    process.loop.requestStarted()
    const finish = (status: number): void => {
      process.loop.requestEnded()
      stream.finishWrite(request, status)
    }
    const code = handle.writeBelow(buffers, report, finish)
    if (code !== 0) process.loop.receive(() => process.guarded(() => finish(code)))
    return 0
  }
}
