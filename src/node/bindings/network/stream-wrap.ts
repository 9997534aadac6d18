/**
 * `stream_wrap`, and the stream part of every handle that carries bytes (`StreamBase` and `LibuvStreamWrap` in C++): TCP
 * sockets and pipes over an endpoint of the simulated network. The scratch array and the request classes are the host's
 * own, because native streams (TLS, HTTP/2) use them too.
 */
import { AsyncResource } from 'node:async_hooks'
import { Buffer } from 'node:buffer'
import { min } from '../../../kernel/arithmetic.ts'
import { current } from '../../process/current.ts'
import { Handle } from '../../process/handle.ts'
import { takeInternals, type Binding } from '../../library/internals.ts'
import type { StreamEndpoint } from '../../process/stdio.ts'
import { closed, uvCode } from '../binding.ts'
import { ShutdownRequest, WriteRequest } from './stream-requests.ts'

const real = takeInternals().internalBinding('stream_wrap')
const { kReadBytesOrError, kArrayBufferOffset, kBytesWritten, kLastWriteWasAsync } = real
const streamBaseState = real.streamBaseState as Int32Array

export function streamWrap(): Binding {
  const { LibuvStreamWrap } = real
  return closed('stream_wrap', {
    ShutdownWrap: ShutdownRequest,
    WriteWrap: WriteRequest,
    LibuvStreamWrap,
    streamBaseState,
  })
}

/** A write or shutdown request of Node's library; a native object with JavaScript members. */
export interface StreamRequest {
  oncomplete(status: number, handle?: unknown, error?: undefined): void
}

/** A write that the library gave no request for. */
interface DispatchedWrite extends StreamRequest {
  /** Its status, if it ended before the library could set its callback. */
  readonly writeStatus: number | null
}

/**
 * An error or 0, as libuv says. Since Node 26.10 the library passes no request, and gets one when there is something to
 * wait for.
 */
export type WriteResult = number | DispatchedWrite

/** When a native stream hears that all it wrote was taken: TLS cannot bear it at once, HTTP/2 counts on it. */
export type WriteReport = 'at once' | 'later'

type Encoding = 'utf8' | 'latin1' | 'ascii' | 'utf16le'

export abstract class StreamHandle extends Handle {
  onread: ((buffer?: ArrayBuffer) => Uint8Array | undefined) | null = null
  reading = false
  bytesRead = 0
  bytesWritten = 0
  protected endpoint: StreamEndpoint | null = null
  private userBuffer: Uint8Array | null = null
  /** Requests under way, in order: they are cancelled when the handle is closed. */
  private readonly pending = new Set<PendingRequest>()
  /** Bytes that did not fit into the reader's own buffer. */
  private left: Uint8Array | null = null

  get writeQueueSize(): number {
    return this.endpoint?.writeQueueSize ?? 0
  }

  /** Takes over a connected (or connecting) endpoint of the world. */
  protected attach(endpoint: StreamEndpoint): void {
    this.endpoint = endpoint
    if (this.opaque) endpoint.makeOpaque?.()
    // V8 makes functions old that are assigned one by one, with all that they lead to: see young-garbage.ts.
    const reactions: Pick<StreamEndpoint, 'ondata' | 'onend' | 'onerror'> = {
      ondata: (bytes, attachment) => this.received(bytes, attachment),
      onend: () => this.readEnded(uvCode('EOF')),
      onerror: (code) => this.readEnded(uvCode(code)),
    }
    Object.assign(endpoint, reactions)
    if (this.wantsData) endpoint.readStart()
  }

  readStart(): number {
    current()
    if ((this.endpoint === null && !this.readsWhenConnected) || !this.isOpen) return uvCode('ENOTCONN')
    this.active = true
    this.wantsData = true
    if (this.endpoint === null) return 0
    if (this.left !== null) this.process.loop.receive(this.deliverLeft)
    this.endpoint.readStart()
    return 0
  }

  readStop(): number {
    this.wantsData = false
    this.endpoint?.readStop()
    this.settleActivity()
    return 0
  }

  protected wantsData = false
  /** A descriptor that was opened may be read before it is connected: data comes once it is. */
  protected readsWhenConnected = false

  /** A stream is active while it reads; connecting and writing are requests. */
  protected settleActivity(): void {
    this.active = this.wantsData
  }

  useUserBuffer(buffer: Uint8Array): number {
    this.userBuffer = buffer
    return 0
  }

  setBlocking(): number {
    return 0
  }

  writeBuffer(request: StreamRequest | null, data: Uint8Array, attachment?: unknown): WriteResult {
    if (!ArrayBuffer.isView(data))
      throw Object.assign(new TypeError('Second argument must be a buffer'), { code: 'ERR_INVALID_ARG_TYPE' })
    return this.write(request, [data], attachment)
  }

  writev(request: StreamRequest | null, chunks: readonly unknown[], allBuffers: boolean): WriteResult {
    if (allBuffers) return this.write(request, chunks as Uint8Array[])
    const buffers: Uint8Array[] = []
    for (let i = 0; i < chunks.length; i += 2) {
      const chunk = chunks[i]
      buffers.push(
        typeof chunk === 'string' ? Buffer.from(chunk, chunks[i + 1] as Encoding) : (chunk as Uint8Array),
      )
    }
    return this.write(request, buffers)
  }

  writeUtf8String(request: StreamRequest | null, text: string, attachment?: unknown): WriteResult {
    return this.write(request, [Buffer.from(text, 'utf8')], attachment)
  }

  writeAsciiString(request: StreamRequest | null, text: string): WriteResult {
    return this.write(request, [Buffer.from(text, 'latin1')])
  }

  writeLatin1String(request: StreamRequest | null, text: string): WriteResult {
    return this.write(request, [Buffer.from(text, 'latin1')])
  }

  writeUcs2String(request: StreamRequest | null, text: string): WriteResult {
    return this.write(request, [Buffer.from(text, 'utf16le')])
  }

  shutdown(request: StreamRequest): number {
    const { loop } = current()
    if (this.endpoint === null) return uvCode('ENOTCONN')
    const pending = this.begin(request, 'SHUTDOWNWRAP')
    const result = this.endpoint.shutdown((code) => this.finish(pending, code))
    if (typeof result === 'string') {
      this.forget(pending)
      return uvCode(result)
    }
    if (result) loop.receive(() => this.finish(pending, null))
    return 0
  }

  protected write(
    request: StreamRequest | null,
    chunks: readonly Uint8Array[],
    attachment?: unknown,
  ): WriteResult {
    current()
    if (real.kLastWriteErr !== undefined) streamBaseState[real.kLastWriteErr] = 0
    streamBaseState[kBytesWritten] = 0
    streamBaseState[kLastWriteWasAsync] = 0
    if (this.endpoint === null || !this.isOpen) return uvCode('EBADF')
    let bytes = 0
    for (const chunk of chunks) bytes += chunk.length
    let pending: PendingRequest | null = null
    const result = this.endpoint.write(
      chunks,
      (code) => {
        if (pending !== null) this.finish(pending, code)
      },
      attachment ?? null,
    )
    if (typeof result === 'string') {
      if (real.kLastWriteErr !== undefined) streamBaseState[real.kLastWriteErr] = uvCode(result)
      return uvCode(result)
    }
    this.bytesWritten += bytes
    streamBaseState[kBytesWritten] = bytes
    if (result) return 0
    streamBaseState[kLastWriteWasAsync] = 1
    if (request !== null) {
      pending = this.begin(request, 'WRITEWRAP')
      return 0
    }
    const made: DispatchedWrite = { oncomplete() {}, writeStatus: null }
    pending = this.begin(made, 'WRITEWRAP')
    return made
  }

  /** Writes for a native stream on top of this one, and reports the status: of bytes taken at once, as `report` says. */
  writeBelow(chunks: readonly Uint8Array[], report: WriteReport, done: (status: number) => void): number {
    const request: StreamRequest = { oncomplete: done }
    const code = this.write(request, chunks) as number
    if (code !== 0 || streamBaseState[kLastWriteWasAsync] === 1) return code
    if (report === 'at once') done(0)
    else {
      const pending = this.begin(request, 'WRITEWRAP')
      this.process.loop.receive(() => this.finish(pending, null))
    }
    return 0
  }

  /** Hands all data to a listener that makes its own callbacks: a parser, a native stream. */
  consumeData(data: (bytes: Uint8Array) => void, end: (code: number) => void = this.endToReader): void {
    this.taken = { data, end }
  }

  returnData(): void {
    this.taken = null
  }

  private taken: { readonly data: (bytes: Uint8Array) => void; readonly end: (code: number) => void } | null =
    null

  /** Node's library asks this before it lets native code consume a socket. */
  get isStreamBase(): boolean {
    return true
  }

  /** The endpoint that a child reads and writes if it inherits this stream. */
  lend(): StreamEndpoint | null {
    return this.endpoint
  }

  /** Does not close its endpoint, if that is among those given: another program of the process will use it. */
  letGoOf(endpoints: readonly StreamEndpoint[]): void {
    if (this.endpoint === null || !endpoints.includes(this.endpoint)) return
    this.endpoint.readStop()
    this.endpoint = null
  }

  /** Its bytes differ from run to run: they stay out of the hash. */
  makeOpaque(): void {
    this.opaque = true
    this.endpoint?.makeOpaque?.()
  }

  private opaque = false

  private begin(request: StreamRequest, type: string): PendingRequest {
    const pending = new PendingRequest(type, this.asyncId(), request)
    this.pending.add(pending)
    this.process.loop.requestStarted()
    return pending
  }

  private forget(pending: PendingRequest): boolean {
    if (!this.pending.delete(pending)) return false
    this.process.loop.requestEnded()
    return true
  }

  private finish(pending: PendingRequest, code: string | null): void {
    if (!this.forget(pending)) return
    const { request } = pending
    this.process.makeCallback(pending, request.oncomplete, request, code === null ? 0 : uvCode(code), this)
    pending.emitDestroy()
  }

  protected override release(): void {
    this.endpoint?.close()
    this.cancelPending()
  }

  /** libuv calls what was under way back with ECANCELED, before the close callback. */
  protected cancelPending(): void {
    this.left = null
    if (this.process.zombie !== null) return
    for (const pending of this.pending) this.process.loop.close(() => this.finish(pending, 'ECANCELED'))
  }

  /** Bytes came; `attachment` is a handle that was passed with them. */
  protected received(bytes: Uint8Array, _attachment: unknown): void {
    this.bytesRead += bytes.length
    const { taken } = this
    if (taken !== null) {
      taken.data(bytes)
      return
    }
    if (this.userBuffer !== null) {
      this.left = bytes
      this.deliverLeft()
      return
    }
    streamBaseState[kReadBytesOrError] = bytes.length
    streamBaseState[kArrayBufferOffset] = bytes.byteOffset
    this.callback('onread', bytes.buffer)
  }

  /** Fills the reader's buffer as often as there are bytes for it and the reader still reads. */
  private readonly deliverLeft = (): void => {
    while (this.left !== null && this.wantsData && this.isOpen) {
      const target = this.userBuffer!
      const size = min(target.length, this.left.length)
      target.set(this.left.subarray(0, size))
      this.left = size === this.left.length ? null : this.left.subarray(size)
      streamBaseState[kReadBytesOrError] = size
      streamBaseState[kArrayBufferOffset] = target.byteOffset
      const next = this.callback('onread', target.buffer)
      if (next instanceof Uint8Array) this.userBuffer = next
    }
  }

  private readEnded(code: number): void {
    this.wantsData = false
    this.settleActivity()
    if (this.taken === null) this.endToReader(code)
    else this.process.makeCallback(this, this.taken.end, null, code)
  }

  /** End of stream, or an error, as the reader of the handle sees it. */
  private readonly endToReader = (code: number): void => {
    streamBaseState[kReadBytesOrError] = code
    this.callback('onread', undefined)
  }
}

/** A write or shutdown that did not complete at once: an async resource of its own, as in Node. */
class PendingRequest extends AsyncResource {
  readonly request: StreamRequest
  constructor(type: string, triggerAsyncId: number, request: StreamRequest) {
    super(type, { triggerAsyncId, requireManualDestroy: true })
    this.request = request
  }
}
