/**
 * `stream_pipe`: moves everything from one stream to another without Node's streams in between. HTTP/2 sends files so: the
 * source is a file handle of ours, the sink a native stream. Follows src/stream_pipe.cc; one write is under way at a time.
 */
import { current } from '../../process/current.ts'
import { Request } from '../../process/handle.ts'
import { takeInternals, type Binding } from '../../library/internals.ts'
import type { RunningProcess } from '../../process/running-process.ts'
import { closed } from '../binding.ts'
import { ShutdownRequest, WriteRequest } from './stream-requests.ts'

const { streamBaseState, kReadBytesOrError, kLastWriteWasAsync } =
  takeInternals().internalBinding('stream_wrap')

interface Source {
  onread?: ((buffer?: ArrayBuffer) => unknown) | undefined
  readStart(): number
  readStop(): number
}

interface Sink {
  writeBuffer(request: object, bytes: Uint8Array): number
  shutdown(request: object): number
}

class StreamPipe extends Request {
  onunpipe: (() => void) | undefined
  readonly source: Source
  readonly sink: Sink
  private readonly process: RunningProcess
  private isOpen = false
  private isWriting = false
  private isEnded = false

  constructor(source: Source, sink: Sink) {
    super('STREAMPIPE')
    this.source = source
    this.sink = sink
    this.process = current()
    const { onread } = source
    // The reader hears of ends and errors once the pipe has dealt with them.
    source.onread = (bytes) => {
      const result = streamBaseState[kReadBytesOrError] as number
      if (result >= 0) this.carry(new Uint8Array(bytes!))
      else {
        this.finish()
        streamBaseState[kReadBytesOrError] = result
        onread?.call(source)
      }
    }
  }

  start(): void {
    this.isOpen = true
    this.source.readStart()
  }

  unpipe(): void {
    if (!this.isOpen) return
    this.isOpen = false
    this.source.readStop()
    const { process } = this
    process.complete('unpipe', 0, () => {
      if (this.onunpipe !== undefined) process.makeCallback(this, this.onunpipe, this)
      this.emitDestroy()
    })
  }

  isClosed(): boolean {
    return !this.isOpen
  }

  pendingWrites(): number {
    return this.isWriting ? 1 : 0
  }

  private carry(bytes: Uint8Array): void {
    if (!this.isOpen) return
    this.source.readStop()
    this.isWriting = true
    const request = new WriteRequest()
    // The sink reads the bytes until it is done with them.
    Object.assign(request, { bytes, oncomplete: (status: number) => this.written(status) })
    const code = this.sink.writeBuffer(request, bytes)
    if (code !== 0 || streamBaseState[kLastWriteWasAsync] === 0) this.written(code)
  }

  private written(status: number): void {
    this.isWriting = false
    if (!this.isOpen) return
    if (status !== 0) this.unpipe()
    else if (this.isEnded) this.finish()
    else this.source.readStart()
  }

  /** The source has ended: so does the sink, once everything is written. */
  private finish(): void {
    this.isEnded = true
    if (!this.isOpen || this.isWriting) return
    const request = new ShutdownRequest()
    Object.assign(request, { oncomplete: () => this.unpipe() })
    if (this.sink.shutdown(request) !== 0) this.unpipe()
  }
}

export function streamPipe(): Binding {
  return closed('stream_pipe', { StreamPipe })
}
