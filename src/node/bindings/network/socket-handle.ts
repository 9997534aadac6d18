/**
 * A stream handle over a socket: what `tcp_wrap` and `pipe_wrap` share (`ConnectionWrap` in C++). It listens, accepts,
 * connects, takes over sockets that exist already and gives them away. Addresses, paths and the order in which a handle
 * lets go of what it has are each class's own.
 */
import { TcpEndpoint } from '../../../world/network/tcp-endpoint.ts'
import { TcpListener } from '../../../world/network/tcp-listener.ts'
import type { Request } from '../../process/handle.ts'
import { uvCode } from '../binding.ts'
import { StreamHandle } from './stream-wrap.ts'

export interface ConnectRequest extends Request {
  oncomplete?: (
    status: number,
    handle: SocketHandle,
    request: Request,
    readable: boolean,
    writable: boolean,
  ) => void
}

export abstract class SocketHandle extends StreamHandle {
  onconnection: ((status: number, client?: SocketHandle) => void) | null = null
  protected listener: TcpListener | null = null
  private connecting: ConnectRequest | null = null

  /** A handle for an accepted connection. */
  protected abstract newClient(): SocketHandle

  /** Listens through a listener that exists already: a new one, or one that another process passed on. */
  adoptListener(listener: TcpListener): void {
    this.listener = listener
    this.active = true
    const accept = (endpoint: TcpEndpoint): void => this.accepted(endpoint)
    listener.onconnection = accept // not the function itself: see young-garbage.ts
  }

  accepted(endpoint: TcpEndpoint): void {
    const client = this.triggering(() => this.newClient())
    client.adopt(endpoint)
    this.callback('onconnection', 0, client)
  }

  /** Takes over a connected endpoint: an accepted connection, or one that another process passed on. */
  adopt(endpoint: TcpEndpoint): void {
    this.attach(endpoint)
  }

  /** Takes over a listener or an endpoint that a descriptor of the process leads to; false for anything else. */
  protected adoptSocket(socket: unknown): boolean {
    if (socket instanceof TcpListener) this.adoptListener(socket)
    else if (socket instanceof TcpEndpoint) this.adopt(socket)
    else return false
    return true
  }

  /** The socket that another process of the host may take over. */
  get socket(): TcpEndpoint | TcpListener | null {
    return (this.endpoint as TcpEndpoint | null) ?? this.listener
  }

  /** The socket leaves this handle. */
  detachSocket(): void {
    this.endpoint = null
    this.listener = null
  }

  /** A connect is under way until {@link connected}. */
  protected connectStarted(request: ConnectRequest): void {
    this.connecting = request
    this.process.loop.requestStarted()
  }

  protected connected(code: string | null): void {
    const request = this.connecting
    if (request === null) return
    this.connecting = null
    this.process.loop.requestEnded()
    const status = code === null ? 0 : uvCode(code)
    this.process.finish(request, status, this, request, code === null, code === null)
  }

  /** libuv calls a connect that was under way back with ECANCELED. */
  protected cancelConnect(): void {
    if (this.connecting !== null && this.process.zombie === null)
      this.process.loop.close(() => this.connected('ECANCELED'))
  }

  /** The process's descriptors of these are closed. */
  protected closeDescriptors(sockets: readonly (object | null)[]): void {
    for (const socket of sockets) if (socket !== null) this.process.descriptors.close(socket)
  }
}
