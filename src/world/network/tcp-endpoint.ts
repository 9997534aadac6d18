/**
 * One end of a stream connection (TCP, a unix socket or a pipe) as a process sees it through its kernel: a bounded send
 * buffer, a receive buffer that the process empties when its event loop gets to it, end of stream, resets and errors.
 * Data for a paused process stays in the buffer, closes the window and holds the sender back, as it would.
 *
 * Errors follow Linux and libuv. A reset ends the stream after what was received before it: ECONNRESET for a reader,
 * EPIPE once the peer had finished; a writer sees the error once and EPIPE from then on. Closing with unread data resets
 * the connection, otherwise FIN follows what is queued; data that arrives for a closed end is answered with a reset.
 *
 * No callback runs after {@link TcpEndpoint.close} or {@link TcpEndpoint.reset}; requests under way are simply dropped,
 * and the caller of close or reset must complete them.
 */
import type { Actor } from '../../kernel/actor.ts'
import { max, min } from '../../kernel/arithmetic.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { SocketAddress } from './addresses.ts'
import { gather, lengthOf, skip } from './chunks.ts'
import { Fifo } from './fifo.ts'
import type { Link } from './link.ts'
import type { Network } from './network.ts'
import type { Packet } from './packet.ts'
import { KeepAlive } from './tcp-keep-alive.ts'
import type { Reception } from './reassembly.ts'
import { ReceiveBuffer } from './receive-buffer.ts'
import type { TcpFlow } from './tcp-flow.ts'

/** A name that libuv gives an error, such as `ECONNRESET`. */
export type ErrorCode = string
export type Done = (error: ErrorCode | null) => void

/** Where an endpoint lives: the owner's view of the host's stack. */
export interface EndpointHome {
  readonly kernel: Kernel
  readonly sendBufferBytes: number
  readonly network: Pick<Network, 'isTapped' | 'showTaps'>
  /** The endpoint is no longer the process's. */
  released(endpoint: TcpEndpoint): void
  readonly host: { readonly name: string; readonly actor: Actor }
  /** A reset, a time-out: the connection broke. */
  broke(endpoint: TcpEndpoint, error: ErrorCode): void
}

interface PendingWrite {
  chunks: readonly Uint8Array[]
  attachment: unknown
  readonly done: Done
}

export class TcpEndpoint {
  readonly local: SocketAddress
  readonly remote: SocketAddress
  /** The process boot it belongs to; another one after the handle was passed on. */
  actor: Actor
  ondata: (bytes: Uint8Array, attachment: unknown) => void = () => {}
  onend: () => void = () => {}
  onerror: (error: ErrorCode) => void = () => {}
  /** Bytes of writes that found no room yet. */
  writeQueueSize = 0
  /** For users of the endpoint: options that the world records and that have no effect in it. */
  noDelay = false
  /** The number of the connection, and whether this end accepted it. */
  connection = 0
  accepted = false
  state: 'connecting' | 'established' | 'broken' | 'closed' = 'connecting'
  /** The connection is forgotten: whatever arrives is answered with a reset. */
  private forgotten = false
  private readonly home: EndpointHome
  private out!: TcpFlow
  private in!: TcpFlow
  private peer: TcpEndpoint | null = null
  private hashed = true
  private keepAlive: KeepAlive | null = null
  private reading = false
  private notified = false
  private readonly received: ReceiveBuffer
  /** FIN arrived; nothing more will. */
  private finArrived = false
  private endTold = false
  private finQueued = false
  private shutdownDone: Done | null = null
  private connectDone: Done | null = null
  /** An error that no call has reported yet. */
  private error: ErrorCode | null = null
  private readonly writes = new Fifo<PendingWrite>()
  private generation = 0
  private onReadable = () => {
    if (this.generation === 0) this.readable()
  }

  constructor(home: EndpointHome, actor: Actor, local: SocketAddress, remote: SocketAddress) {
    this.home = home
    this.received = new ReceiveBuffer(home.kernel)
    this.actor = actor
    this.local = local
    this.remote = remote
  }

  /** Wires the endpoint to its two directions. */
  attach(out: TcpFlow, incoming: TcpFlow): void {
    this.out = out
    this.in = incoming
  }

  /** Both ends are on one host and share memory: a writer knows at once that the reader is gone. */
  makeLocal(peer: TcpEndpoint): void {
    this.peer = peer
  }

  /** The bytes differ from run to run (TLS): they stay out of the run's hash, and their exact length out of its times. */
  makeOpaque(): void {
    this.hashed = false
    this.out.opaque = true
  }

  // Called by the process.

  /**
   * Writes chunks in one go. True: all of it is in the send buffer. False: `done` follows when it is. A string: the
   * error, and nothing was taken. The bytes are copied, so the buffers are the caller's again when the write is done.
   */
  write(chunks: readonly Uint8Array[], done: Done, attachment: unknown = null): boolean | ErrorCode {
    if (this.state === 'broken') {
      const { error } = this
      this.error = null
      return error ?? 'EPIPE'
    }
    if (this.state === 'closed') return 'EBADF'
    if (this.finQueued || this.peer?.state === 'closed') return 'EPIPE'
    if (this.hashed) this.observe(chunks)
    if (this.state === 'established' && this.writes.length === 0) {
      const rest = this.accept(chunks, attachment)
      if (rest === null) return true
      this.queueWrite({ chunks: rest, attachment: null, done })
      this.out.waitForRoom()
    } else {
      this.queueWrite({ chunks, attachment, done })
    }
    return false
  }

  readStart(): void {
    this.reading = true
    if (this.hasNews()) this.notify()
  }

  readStop(): void {
    this.reading = false
  }

  /** FIN after what is queued. True: it is on its way; false: `done` follows once the queued writes are accepted. */
  shutdown(done: Done): boolean | ErrorCode {
    if (this.state !== 'established' && this.state !== 'connecting') return 'ENOTCONN'
    this.finQueued = true
    if (this.writes.length === 0 && this.state === 'established') {
      this.out.finish()
      return true
    }
    this.shutdownDone = done
    return false
  }

  close(): void {
    if (this.state === 'closed') return
    const before = this.state
    this.leave()
    if (before === 'connecting') this.out.abandon()
    else if (before === 'established') {
      if (!this.received.isEmpty) this.resetPeer()
      else this.out.finish()
    }
  }

  private resetPeer(): void {
    this.forgotten = true
    this.out.reset()
  }

  reset(): void {
    if (this.state === 'closed') return
    const before = this.state
    this.leave()
    if (before === 'established') this.resetPeer()
    else this.out.abandon()
  }

  /** Asks a silent peer whether it is still there, after `delayUs` of silence. */
  setKeepAlive(enabled: boolean, delayUs: number): void {
    this.keepAlive?.stop()
    this.keepAlive = null
    if (enabled && this.state !== 'closed')
      this.keepAlive = new KeepAlive(this.home.kernel, this.home.host.actor, this, this.out, delayUs)
  }

  /** The handle was passed to another process of the host. */
  transfer(actor: Actor): void {
    this.actor = actor
    this.reading = false
    this.notified = false
    const generation = ++this.generation
    // Callbacks in the queue of the former process must not read for the new one.
    this.onReadable = () => {
      if (this.generation === generation) this.readable()
    }
  }

  /** Bytes that arrived and were not read. */
  get unreadBytes(): number {
    return this.received.bytes
  }

  // Called by the network.

  /** A link was cut, or (null) some host lost power. */
  pathImpaired(link: Link | null): void {
    if (this.out.suffersFrom(link)) this.doubt()
  }

  /** The peer may be silent for good: an end that waits for it probes it. */
  doubt(): void {
    this.out.doubt()
    this.keepAlive?.doubt()
  }

  /** The host lost power: the endpoint is gone without a word. */
  vanish(): void {
    if (this.state === 'closed' && this.forgotten) return
    this.leave()
    this.forgotten = true
    this.out.abandon()
  }

  /** A middlebox forgot the connection: both ends see a reset. False where there was none to forget. */
  cutOff(): boolean {
    if (this.state !== 'established') return false
    this.out.reset()
    this.break('ECONNRESET')
    return true
  }

  /**
   * Lets everything vanish that the two ends send each other, and counts it; null: no more, also if this end is gone, since
   * the other one goes on sending. False if it is not connected.
   */
  swallow(tally: { packets: number } | null): boolean {
    if (tally !== null && this.state !== 'established') return false
    this.out.swallowed = tally
    this.in.swallowed = tally
    if (tally !== null) for (const flow of [this.out, this.in]) flow.doubt()
    return true
  }

  whenConnected(done: Done): void {
    this.connectDone = done
  }

  establish(): void {
    if (this.state !== 'connecting') return
    this.state = 'established'
    this.tellConnected(null)
    this.roomFreed()
  }

  receive(packet: Packet): Reception {
    this.out.lastReceivedTime = this.home.kernel.now
    switch (packet.kind) {
      case 'rst':
        this.break(
          this.state === 'connecting'
            ? 'ECONNREFUSED'
            : this.finArrived && !this.finQueued
              ? 'EPIPE'
              : 'ECONNRESET',
        )
        return 'taken'
      case 'data':
        if (this.state === 'closed' || this.forgotten) {
          this.forgotten = true
          return 'refused'
        }
        this.received.push(packet)
        this.notify()
        return 'taken'
      case 'fin':
        if (this.forgotten) return 'refused'
        this.finArrived = true
        this.notify()
        return 'taken'
      default:
        return this.forgotten ? 'refused' : 'taken'
    }
  }

  roomFreed(): void {
    if (this.state !== 'established') return
    for (;;) {
      const write = this.writes.first()
      if (write === undefined) break
      const before = this.writeQueueSize
      const rest = this.accept(write.chunks, write.attachment)
      this.writeQueueSize = before - lengthOf(write.chunks) + (rest === null ? 0 : lengthOf(rest))
      if (rest !== null) {
        write.chunks = rest
        write.attachment = null
        this.out.waitForRoom()
        return
      }
      this.writes.shift()
      this.tell(write.done, null)
    }
    if (this.shutdownDone !== null) {
      this.out.finish()
      this.tell(this.shutdownDone, null)
      this.shutdownDone = null
    }
  }

  /** The connection ended with an error: a reset came, or nothing came for too long. */
  break(error: ErrorCode): void {
    this.forgotten = true
    this.out.abandon()
    if (this.state === 'closed' || this.state === 'broken') return
    const wasConnecting = this.state === 'connecting'
    this.state = 'broken'
    this.home.broke(this, error)
    if (wasConnecting) this.tellConnected(error)
    else {
      this.error = error
      this.notify()
    }
    // A reader has taken the error before the writer hears of it, so the writer sees a broken pipe.
    const writeError = this.reading ? 'EPIPE' : error
    for (let write = this.writes.shift(); write !== undefined; write = this.writes.shift())
      this.tell(write.done, writeError)
    this.writeQueueSize = 0
    if (this.shutdownDone !== null) this.tell(this.shutdownDone, 'ENOTCONN')
    this.shutdownDone = null
  }

  /** Written bytes go into the hash of the run, and taps may see them. */
  private observe(chunks: readonly Uint8Array[]): void {
    const { kernel, network, host } = this.home
    for (const bytes of chunks) {
      if (this.peer === null) kernel.hash.addBytes(bytes)
      else kernel.hash.addPrinted(bytes, 'sends') // a child's output, as a rule
      if (!network.isTapped) continue
      const protocol = this.peer === null ? 'tcp' : 'local'
      const { local, remote, connection, accepted } = this
      network.showTaps({ protocol, host: host.name, local, remote, connection, accepted, bytes })
    }
  }

  private queueWrite(write: PendingWrite): void {
    this.writes.push(write)
    this.writeQueueSize += lengthOf(write.chunks)
  }

  /** Copies what the send buffer has room for and sends it; returns the rest, or null if all of it went. */
  private accept(chunks: readonly Uint8Array[], attachment: unknown): Uint8Array[] | null {
    const total = lengthOf(chunks)
    let room = this.home.sendBufferBytes - this.out.heldBytes()
    if (room < total) {
      this.out.applyAcks()
      room = this.home.sendBufferBytes - this.out.heldBytes()
    }
    const size = min(total, max(0, room))
    if (size > 0) this.out.send(gather(chunks, size), attachment)
    return size === total ? null : skip(chunks, size)
  }

  private hasNews(): boolean {
    return !this.received.isEmpty || (this.finArrived ? !this.endTold : this.error !== null)
  }

  private notify(): void {
    if (this.notified || !this.reading) return
    this.notified = true
    this.home.kernel.deliver(this.actor, this.onReadable)
  }

  /** The process's loop got to this socket: one read. */
  private readable(): void {
    this.notified = false
    if (!this.reading || this.state === 'closed') return
    if (!this.received.isEmpty) this.read()
    else if (this.finArrived) this.tellEnd()
    else this.tellError()
    if (this.hasNews()) this.notify() // which does nothing once reading stopped, as it does when closed
  }

  private tellEnd(): void {
    if (this.endTold) return
    this.endTold = true
    this.onend()
  }

  private tellError(): void {
    const { error } = this
    if (error === null) return
    this.error = null
    this.onerror(error)
  }

  private read(): void {
    const { bytes, attachment } = this.received.read()
    this.in.consumedBytes += bytes.length
    this.in.read()
    this.ondata(bytes, attachment)
  }

  private leave(): void {
    if (this.keepAlive !== null) this.setKeepAlive(false, 0)
    this.state = 'closed'
    this.reading = false
    this.writes.clear()
    this.writeQueueSize = 0
    this.shutdownDone = null
    this.connectDone = null
    this.home.released(this)
  }

  private tellConnected(error: ErrorCode | null): void {
    if (this.connectDone !== null) this.tell(this.connectDone, error)
    this.connectDone = null
  }

  private tell(done: Done, error: ErrorCode | null): void {
    this.home.kernel.deliver(this.actor, () => {
      if (this.state !== 'closed') done(error)
    })
  }
}
