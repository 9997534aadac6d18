/**
 * A listening socket: connections whose handshake is complete wait here until the process accepts them. When more than
 * `backlog` wait, the host drops further SYNs, and clients try again later, as on Linux.
 */
import type { Actor } from '../../kernel/actor.ts'
import { max, min } from '../../kernel/arithmetic.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { SocketAddress } from './addresses.ts'
import { Fifo } from './fifo.ts'
import type { TcpEndpoint } from './tcp-endpoint.ts'

/** Linux lowers any greater backlog to this (net.core.somaxconn). */
const BACKLOG_LIMIT = 4096

export class TcpListener {
  readonly local: SocketAddress
  actor: Actor
  onconnection: (endpoint: TcpEndpoint) => void = () => {}
  closed = false
  private readonly kernel: Kernel
  private readonly backlog: number
  private readonly waiting = new Fifo<TcpEndpoint>()
  private readonly release: (listener: TcpListener) => void
  private readonly onAcceptable = () => this.accept()

  constructor(
    kernel: Kernel,
    actor: Actor,
    local: SocketAddress,
    backlog: number,
    release: (listener: TcpListener) => void,
  ) {
    this.kernel = kernel
    this.actor = actor
    this.local = local
    this.backlog = min(max(0, backlog), BACKLOG_LIMIT)
    this.release = release
  }

  get full(): boolean {
    return this.waiting.length > this.backlog
  }

  /** A handshake is complete. */
  enqueue(endpoint: TcpEndpoint): void {
    this.waiting.push(endpoint)
    this.kernel.deliver(this.actor, this.onAcceptable)
  }

  /** The handle was passed to another process of the host. */
  transfer(actor: Actor): void {
    this.actor = actor
  }

  close(): void {
    if (this.closed) return
    this.closed = true
    this.release(this)
    for (const endpoint of this.waiting.values()) endpoint.reset()
    this.waiting.clear()
  }

  /** The host lost power. */
  vanish(): void {
    this.closed = true
    for (const endpoint of this.waiting.values()) endpoint.vanish()
    this.waiting.clear()
  }

  private accept(): void {
    if (this.closed) return
    const endpoint = this.waiting.shift()
    if (endpoint !== undefined) this.onconnection(endpoint)
  }
}
