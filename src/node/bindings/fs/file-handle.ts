/**
 * The native half of `FileHandle`: a descriptor that closes through a promise, and that can be read as a stream base
 * (`readStart`, `onread`), which is how HTTP/2 sends files. Unlike Node, one that is dropped without closing is not
 * noticed: garbage collection is not part of the simulated world.
 */
import { Buffer } from 'node:buffer'
import { min } from '../../../kernel/arithmetic.ts'
import { close } from '../../../world/disk/open.ts'
import { read } from '../../../world/disk/read-write.ts'
import { current } from '../../process/current.ts'
import { Request } from '../../process/handle.ts'
import { takeInternals } from '../../library/internals.ts'
import type { RunningProcess } from '../../process/running-process.ts'
import { uvCode } from '../binding.ts'
import { asyncError, codeOf, syncError } from './errors.ts'
import { promised } from './operation.ts'
import { filesOf } from './view.ts'

const { streamBaseState, kReadBytesOrError, kArrayBufferOffset } =
  takeInternals().internalBinding('stream_wrap')

const READ_BYTES = 65_536

export class FileHandle extends Request {
  readonly isStreamBase = true
  onread: ((buffer?: ArrayBuffer) => unknown) | undefined
  bytesRead = 0
  readonly bytesWritten = 0
  private readonly process: RunningProcess
  private descriptor: number
  private offset: number
  private length: number
  private closing: Promise<void> | null = null
  private reading = false
  private inFlight = false

  constructor(fd: number, offset?: number, length?: number) {
    super('FILEHANDLE')
    this.process = current()
    this.descriptor = fd
    this.offset = offset ?? -1
    this.length = length ?? -1
  }

  get fd(): number {
    return this.descriptor
  }

  close(): Promise<void> {
    const { kernel } = this.process
    const { descriptors } = filesOf(this.process)
    const name =
      kernel.worded && descriptors.has(this.descriptor) ? descriptors.get(this.descriptor).name : ''
    this.closing ??= promised(
      this.process,
      () => this.closeDescriptor(),
      0,
      'FILEHANDLECLOSEREQ',
      (event) => {
        if (kernel.worded) event.detail = `close ${name}`
      },
    )
    return this.closing
  }

  closeSync(): void {
    if (this.closing !== null || this.descriptor < 0) return
    const fd = this.descriptor
    this.afterClose()
    try {
      close(filesOf(current()), fd)
    } catch (failure) {
      throw syncError(codeOf(failure), { syscall: 'close' }, this.closeSync)
    }
  }

  /** Gives the descriptor away: from now on it is the caller's. */
  releaseFD(): number {
    const fd = this.descriptor
    this.afterClose()
    return fd
  }

  readStart(): number {
    if (this.descriptor < 0 || this.closing !== null) return uvCode('EOF')
    this.reading = true
    if (this.inFlight) return 0
    if (this.length === 0) {
      this.process.complete('fs', 0, () => this.emit(uvCode('EOF')))
      return 0
    }
    this.inFlight = true
    const wanted = this.length >= 0 ? min(this.length, READ_BYTES) : READ_BYTES
    this.process.complete('fs', 0, () => this.readChunk(wanted))
    return 0
  }

  readStop(): number {
    this.reading = false
    return 0
  }

  /** The end of a stream base closes the file. The request may be a native one, so the callback runs in our scope. */
  shutdown(request: { oncomplete?: (status: number) => void }): number {
    const isClosed = this.closing !== null || this.descriptor < 0
    this.closing ??= Promise.resolve()
    this.process.complete('fs', 0, () => {
      let status = 0
      try {
        if (!isClosed) this.closeDescriptor()
      } catch (error) {
        status = (error as { errno: number }).errno
      }
      this.process.makeCallback(this, () => request.oncomplete?.(status), this)
    })
    return 0
  }

  useUserBuffer(): number {
    return uvCode('ENOSYS')
  }

  writeBuffer(): number {
    return uvCode('ENOSYS')
  }

  writev(): number {
    return uvCode('ENOSYS')
  }

  writeUtf8String(): number {
    return uvCode('ENOSYS')
  }

  writeAsciiString(): number {
    return uvCode('ENOSYS')
  }

  writeUcs2String(): number {
    return uvCode('ENOSYS')
  }

  writeLatin1String(): number {
    return uvCode('ENOSYS')
  }

  private readChunk(wanted: number): void {
    this.inFlight = false
    if (this.descriptor < 0) return
    const chunk = Buffer.allocUnsafeSlow(wanted)
    let count: number
    try {
      count = read(filesOf(this.process), this.descriptor, chunk, this.offset >= 0 ? this.offset : null)
    } catch (failure) {
      this.emit(uvCode(codeOf(failure)))
      return
    }
    if (this.length >= 0) this.length -= count
    if (this.offset >= 0) this.offset += count
    this.bytesRead += count
    if (count === 0) this.emit(uvCode('EOF'))
    else this.emit(count, chunk.buffer.slice(0, count))
    if (this.reading && count > 0) this.readStart()
  }

  private emit(result: number, bytes?: ArrayBuffer): void {
    if (typeof this.onread !== 'function') return
    const { onread } = this
    this.process.makeCallback(
      this,
      () => {
        streamBaseState[kReadBytesOrError] = result
        streamBaseState[kArrayBufferOffset] = 0
        onread.call(this, bytes)
      },
      this,
    )
  }

  private closeDescriptor(): void {
    const fd = this.descriptor
    this.afterClose()
    try {
      close(filesOf(this.process), fd)
    } catch (failure) {
      throw asyncError(codeOf(failure), { syscall: 'close' })
    }
  }

  private afterClose(): void {
    this.descriptor = -1
    if (this.reading) this.emit(uvCode('EOF'))
    this.reading = false
  }
}
