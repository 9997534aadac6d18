/** `tcp_wrap`: TCP sockets and servers on the network stack of the process's host. Follows src/tcp_wrap.cc and libuv. */
import type { TcpEndpoint } from '../../../world/network/tcp-endpoint.ts'
import { TcpBinding } from '../../../world/network/tcp-binding.ts'
import type { SocketAddress } from '../../../world/network/addresses.ts'
import { current } from '../../process/current.ts'
import { requestClass } from '../../process/handle.ts'
import { takeInternals, type Binding } from '../../library/internals.ts'
import { closed, uvCode } from '../binding.ts'
import { SharedListening } from './shared-listening.ts'
import { SocketHandle, type ConnectRequest } from './socket-handle.ts'

const { constants } = takeInternals().internalBinding('tcp_wrap')

/** How long a connection is idle before it is probed, by default. */
const KEEP_ALIVE_S = { ofLinux: 7200, ofLibuv: 60 } as const

export class TCP extends SocketHandle {
  private binding: TcpBinding | null = null
  /** Set when other processes have descriptors of the bound socket, too. */
  private shared: SharedListening | null = null
  /** libuv reports an address in use when the socket is used, not when it is bound. */
  private delayedError: string | null = null
  private noDelay = false
  private keepAlive = false
  private typeOfService = 0

  declare protected endpoint: TcpEndpoint | null

  constructor(type: number) {
    super(type === constants.SERVER ? 'TCPSERVERWRAP' : 'TCPWRAP')
  }

  get fd(): number {
    const socket = this.endpoint ?? this.listener ?? this.binding
    return socket === null ? -1 : this.process.descriptors.of(socket, 'TCP')
  }

  /** Takes over a descriptor that another handle of the process has, or that the process was born with. */
  open(fd: number): number {
    const process = current()
    const socket = process.descriptors.socket(fd, 'TCP')
    if (process.isWatched(fd)) return uvCode('EEXIST')
    if (this.adoptSocket(socket)) return 0
    if (!(socket instanceof TcpBinding)) return uvCode('EBADF')
    this.binding = socket
    return 0
  }

  bind(address: string, port: number, flags?: number): number {
    return this.bindTo(address, port, (flags ?? 0) & ~constants.UV_TCP_IPV6ONLY)
  }

  bind6(address: string, port: number, flags?: number): number {
    return this.bindTo(address, port, flags ?? 0)
  }

  private bindTo(address: string, port: number, flags: number): number {
    const { host, actor } = current().placement
    if (this.binding !== null || this.endpoint !== null) return uvCode('EINVAL')
    const ipv6Only = (flags & constants.UV_TCP_IPV6ONLY) !== 0
    const reusePort = (flags & (constants.UV_TCP_REUSEPORT ?? 0)) !== 0 // since Node 22
    const binding = host.net.bindTcp(actor, { address, port, ipv6Only, reusePort })
    if (binding === 'EADDRINUSE') this.delayedError = binding
    else if (typeof binding === 'string') return uvCode(binding)
    else this.binding = binding
    return 0
  }

  listen(backlog: number): number {
    const { host, actor } = current().placement
    if (this.delayedError !== null) return uvCode(this.delayedError)
    if (this.listener !== null) return 0
    if (this.shared !== null) {
      const code = this.shared.listen(this, backlog)
      if (code === null) this.active = true
      return code === null ? 0 : uvCode(code)
    }
    if (this.binding === null) {
      const binding = host.net.bindTcp(actor, { address: '0.0.0.0', port: 0 })
      if (typeof binding === 'string') return uvCode(binding)
      this.binding = binding
    }
    const listener = host.net.listen(actor, this.binding, backlog)
    if (typeof listener === 'string') return uvCode(listener)
    this.process.descriptors.become(this.binding, listener)
    this.adoptListener(listener)
    return 0
  }

  protected override newClient(): TCP {
    return new TCP(constants.SOCKET)
  }

  connect(request: ConnectRequest, address: string, port: number): number {
    return this.connectTo(request, address, port)
  }

  connect6(request: ConnectRequest, address: string, port: number): number {
    return this.connectTo(request, address, port)
  }

  private connectTo(request: ConnectRequest, address: string, port: number): number {
    const process = current()
    const { host, actor } = process.placement
    if (this.delayedError !== null) return uvCode(this.delayedError)
    const binding = this.binding ?? undefined
    const endpoint = host.net.connectTcp(actor, { address, port, binding }, (code) => this.connected(code))
    if (typeof endpoint === 'string' && endpoint !== 'ECONNREFUSED') return uvCode(endpoint)
    this.connectStarted(request)
    if (typeof endpoint === 'string') process.loop.receive(() => this.connected(endpoint))
    else {
      if (this.binding !== null) process.descriptors.become(this.binding, endpoint)
      this.binding = null
      this.attach(endpoint)
      this.applyOptions()
    }
    return 0
  }

  getsockname(out: Record<string, unknown>): number {
    if (this.delayedError !== null) return uvCode(this.delayedError)
    const local = this.endpoint?.local ?? this.listener?.local ?? this.binding
    return describe(local, out, 'EBADF')
  }

  getpeername(out: Record<string, unknown>): number {
    const { endpoint } = this
    return describe(endpoint?.state === 'established' ? endpoint.remote : null, out, 'ENOTCONN')
  }

  setNoDelay(enable: boolean): number {
    this.noDelay = enable
    if (this.endpoint !== null) this.endpoint.noDelay = enable
    return 0
  }

  /** Linux refuses a delay of 0 after the probes were switched on: they wait for its default then. */
  setKeepAlive(enable: boolean, delayS: number): number {
    this.keepAlive = enable
    this.endpoint?.setKeepAlive(this.keepAlive, (delayS < 1 ? KEEP_ALIVE_S.ofLinux : delayS) * 1e6)
    return this.endpoint !== null && enable && delayS < 1 ? uvCode('EINVAL') : 0
  }

  /** libuv remembers options that were set before there was a socket, but not the delay of probes. */
  private applyOptions(): void {
    if (this.endpoint === null) return
    this.endpoint.noDelay = this.noDelay
    if (this.keepAlive) this.endpoint.setKeepAlive(true, KEEP_ALIVE_S.ofLibuv * 1e6)
  }

  setSimultaneousAccepts(): number {
    return 0
  }

  /** Kept to be read again: no packet is preferred in this network. */
  setTypeOfService(type: number): number {
    this.typeOfService = type
    return 0
  }

  getTypeOfService(): number {
    return this.typeOfService
  }

  /** Closes with RST. */
  reset(callback?: () => void): number {
    if (!this.isOpen) return 0
    this.endpoint?.reset()
    this.close(callback)
    return 0
  }

  /** The socket with its descriptors, for another process to have one of; null when it is not just bound. */
  share(): SharedListening | null {
    if (this.shared === null && this.binding !== null && this.listener === null && this.isOpen)
      this.shared = new SharedListening(this.binding, this)
    return this.shared
  }

  /** Why it could not be bound, which libuv reports later; null when it could. */
  get bindError(): string | null {
    return this.delayedError
  }

  failLater(code: string): void {
    this.delayedError = code
  }

  adoptShared(shared: SharedListening): void {
    this.shared = shared
    this.binding = shared.binding
    shared.join(this)
  }

  protected override release(): void {
    this.closeDescriptors([this.endpoint, this.listener, this.binding])
    super.release()
    this.listener?.close()
    if (this.shared === null) this.binding?.close()
    else this.shared.leave(this)
    this.cancelConnect()
  }
}

/** Writes an address as Node's library expects it. */
export function describe(
  address: SocketAddress | null,
  out: Record<string, unknown>,
  missing: string,
): number {
  if (address === null) return uvCode(missing)
  out.address = address.address
  out.port = address.port
  out.family = address.family === 4 ? 'IPv4' : 'IPv6'
  return 0
}

export function tcpWrap(): Binding {
  return closed('tcp_wrap', { TCP, TCPConnectWrap: requestClass('TCPConnectWrap', 'TCPCONNECTWRAP') })
}
