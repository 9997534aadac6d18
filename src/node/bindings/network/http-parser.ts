/**
 * `http_parser`: Node's own llhttp parser. Two things differ. The list of connections that time-outs are checked against
 * reads the process's clock, not the real one; and parsers are native objects with strong roots, so those in use are
 * known to their process and closed with it.
 */
import { Buffer } from 'node:buffer'
import { max } from '../../../kernel/arithmetic.ts'
import { current, running } from '../../process/current.ts'
import { takeInternals, type Binding } from '../../library/internals.ts'
import type { RunningProcess } from '../../process/running-process.ts'
import { closed } from '../binding.ts'
import { nativeCallback, type Callback } from '../native-callback.ts'
import { StreamHandle } from './stream-wrap.ts'

const real = takeInternals().internalBinding('http_parser')
const { emitDestroy } = takeInternals().require('internal/async_hooks')
const { kOnMessageBegin, kOnHeadersComplete, kOnBody, kOnMessageComplete, kOnExecute } = real.HTTPParser

/** The connections of an HTTP server, by the start of the message they are in the middle of (`ConnectionsList` in C++). */
class ConnectionsList {
  readonly connections = new Set<Parser>()
  readonly busy = new Set<Parser>()

  all(): Parser[] {
    return [...this.connections].sort((a, b) => a.messageStartUs - b.messageStartUs)
  }

  idle(): Parser[] {
    return this.all().filter((parser) => parser.messageStartUs === 0)
  }

  active(): Parser[] {
    return [...this.busy]
  }

  expired(headersTimeoutMs: number, requestTimeoutMs: number): Parser[] {
    const nowUs = current().kernel.now
    const expired: Parser[] = []
    for (const parser of this.busy) {
      const ageUs = nowUs - parser.messageStartUs
      const late =
        (headersTimeoutMs > 0 && !parser.headersDone && ageUs > headersTimeoutMs * 1000) ||
        (requestTimeoutMs > 0 && ageUs > requestTimeoutMs * 1000)
      if (!late) continue
      expired.push(parser)
      this.busy.delete(parser)
    }
    return expired
  }
}

interface NativeParser {
  initialize(type: number, resource: object, maxHeaderSize: number, lenient: number): void
  remove(): void
  free(): void
  getAsyncId(): number
  close(): void
  execute(buffer: Uint8Array): number | Error
  consume(handle: object): void
  unconsume(): void
  getCurrentBuffer(): Buffer | undefined
}

class Parser extends (real.HTTPParser as new () => NativeParser) {
  messageStartUs = 0
  headersDone = false
  private list: ConnectionsList | null = null
  private owner: RunningProcess | null = null
  private source: StreamHandle | null = null
  /** It reads from a native stream: TLS. */
  private readsNatively = false
  private currentBuffer: Buffer | undefined
  private headersComplete: Callback | undefined
  private messageComplete: Callback | undefined
  private body: Callback | undefined
  private executed: Callback | undefined

  override initialize(
    type: number,
    resource: object,
    maxHeaderSize = 0,
    lenient = 0,
    list?: ConnectionsList,
  ): void {
    super.initialize(type, resource, maxHeaderSize, lenient)
    this.leaveList()
    this.owner = current()
    this.owner.natives.add(this)
    if (list === undefined) return
    this.list = list
    this.begin()
  }

  /** A connection that sends nothing at all counts from its beginning. */
  private begin(): void {
    this.messageStartUs = max(1, this.owner!.kernel.now)
    this.headersDone = false
    this.list?.connections.add(this)
    this.list?.busy.add(this)
  }

  get [kOnMessageBegin](): Callback | undefined {
    return this.list === null ? undefined : messageBegan
  }

  set [kOnMessageBegin](_callback: Callback | undefined) {}

  get [kOnHeadersComplete](): Callback {
    return headersCompleted
  }

  set [kOnHeadersComplete](callback: Callback) {
    this.headersComplete = callback
  }

  get [kOnBody](): Callback {
    return bodyArrived
  }

  set [kOnBody](callback: Callback) {
    this.body = callback
  }

  get [kOnMessageComplete](): Callback {
    return messageCompleted
  }

  set [kOnMessageComplete](callback: Callback) {
    this.messageComplete = callback
  }

  /** Called by native code only where that reads. */
  get [kOnExecute](): Callback | undefined {
    const { executed, owner } = this
    return executed === undefined || owner === null ? executed : nativeCallback(owner, executed)
  }

  set [kOnExecute](callback: Callback | null) {
    this.executed = callback ?? undefined
  }

  began(): void {
    if (this.list !== null) this.begin()
  }

  completeHeaders(args: unknown[]): unknown {
    this.headersDone = true
    return this.headersComplete === undefined ? undefined : Reflect.apply(this.headersComplete, this, args)
  }

  /**
   * In C++ this is a callback of its own, unlike those of headers and messages: when the parser reads from the socket
   * itself, ticks and promises run after every piece of a body.
   */
  takeBody(args: unknown[]): unknown {
    const result = this.body === undefined ? undefined : Reflect.apply(this.body, this, args)
    if (this.source !== null || this.readsNatively) this.owner?.drain()
    return result
  }

  completeMessage(args: unknown[]): unknown {
    if (this.list !== null) {
      this.messageStartUs = 0
      this.list.busy.delete(this)
    }
    return this.messageComplete === undefined ? undefined : Reflect.apply(this.messageComplete, this, args)
  }

  /** Reads straight from the socket, without a stream in between. */
  override consume(handle: object): void {
    if (!(handle instanceof StreamHandle)) {
      this.readsNatively = true
      super.consume(handle)
      return
    }
    this.source = handle
    handle.consumeData((bytes) => {
      const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      const result = this.execute(buffer)
      const { executed } = this
      this.currentBuffer = buffer
      if (executed !== undefined) handle.process.makeCallback(handle, executed, this, result)
      this.currentBuffer = undefined
    })
  }

  override unconsume(): void {
    if (this.source === null) super.unconsume()
    this.readsNatively = false
    this.source?.returnData()
    this.source = null
  }

  override getCurrentBuffer(): Buffer | undefined {
    return this.currentBuffer === undefined ? super.getCurrentBuffer() : Buffer.from(this.currentBuffer)
  }

  override remove(): void {
    this.leaveList()
    super.remove()
  }

  override free(): void {
    this.disown()
    super.free()
  }

  override close(): void {
    this.disown()
    super.close()
  }

  private disown(): void {
    // The native event waits for the host's loop, when no process is running.
    emitDestroy(this.getAsyncId())
    this.leaveList()
    this.readsNatively = false
    this.source?.returnData()
    this.source = null
    this.owner?.natives.delete(this)
    this.owner = null
  }

  private leaveList(): void {
    this.list?.connections.delete(this)
    this.list?.busy.delete(this)
    this.list = null
  }
}

function messageBegan(this: Parser): void {
  if (running !== null) this.began()
}

function headersCompleted(this: Parser, ...args: unknown[]): unknown {
  return this.completeHeaders(args)
}

function bodyArrived(this: Parser, ...args: unknown[]): unknown {
  return this.takeBody(args)
}

function messageCompleted(this: Parser, ...args: unknown[]): unknown {
  return this.completeMessage(args)
}

Object.defineProperty(Parser, 'name', { value: 'HTTPParser' })

export function httpParser(): Binding {
  const { methods, allMethods } = real
  return closed('http_parser', { HTTPParser: Parser, ConnectionsList, methods, allMethods })
}
