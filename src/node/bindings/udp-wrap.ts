/** `udp_wrap`: datagram sockets on the network stack of the process's host. Follows src/udp_wrap.cc. */
import { Buffer } from 'node:buffer'
import type { SocketAddress } from '../../world/network/addresses.ts'
import type { UdpSocket } from '../../world/network/udp.ts'
import { current } from '../current.ts'
import { Handle, requestClass, type Request } from '../handle.ts'
import { takeInternals, type Binding } from '../internals.ts'
import { closed, uvCode } from './binding.ts'
import { describe } from './tcp-wrap.ts'

const { constants } = takeInternals().internalBinding('udp_wrap')

/** What Linux gives a socket by default. */
const BUFFER_BYTES = 212_992

const SendWrap = requestClass('SendWrap', 'UDPSENDWRAP')

/** Any view may be sent. */
function bytesOf(view: ArrayBufferView): Uint8Array {
  return view instanceof Uint8Array ? view : new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
}

function status(code: string | null): number {
  return code === null ? 0 : uvCode(code)
}

class UDP extends Handle {
  onmessage: ((size: number, handle: UDP, bytes?: Buffer, from?: object) => void) | null = null
  private socket: UdpSocket | null = null
  private receiveBytes = BUFFER_BYTES
  private sendBytes = BUFFER_BYTES

  constructor() {
    super('UDPWRAP')
  }

  get fd(): number {
    return this.socket === null ? uvCode('EBADF') : this.process.descriptorOf(this.socket)
  }

  // A socket's own, not a bound function: AsyncResource has a method of this name.
  bind(address: string, port: number, flags: number): number {
    return this.bindTo(address, port, flags)
  }

  bind6(address: string, port: number, flags: number): number {
    return this.bindTo(address, port, flags)
  }

  private bindTo(address: string, port: number, flags: number): number {
    const { host, actor } = current().site
    if (this.socket !== null) return uvCode('EINVAL')
    const socket = host.net.bindUdp(actor, {
      address,
      port,
      ipv6Only: (flags & constants.UV_UDP_IPV6ONLY) !== 0,
      reuseAddress: (flags & (constants.UV_UDP_REUSEADDR | (constants.UV_UDP_REUSEPORT ?? 0))) !== 0,
    })
    if (typeof socket === 'string') return uvCode(socket)
    this.adopt(socket)
    return 0
  }

  adopt(socket: UdpSocket): void {
    this.socket = socket
    socket.onmessage = (bytes, from) => this.received(bytes, from)
    socket.onerror = (code) => this.callback('onmessage', uvCode(code), this)
  }

  private received(bytes: Uint8Array, from: SocketAddress): void {
    const sender: Record<string, unknown> = {}
    describe(from, sender, 'EBADF')
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.callback('onmessage', bytes.length, this, buffer, sender)
  }

  /** An unbound socket is bound to any port when it is first used. */
  private bound(six: boolean): UdpSocket | string {
    if (this.socket !== null) return this.socket
    const code = this.bindTo(six ? '::' : '0.0.0.0', 0, 0)
    return code === 0 ? this.socket! : 'EINVAL'
  }

  connect(address: string, port: number): number {
    return this.connectTo(address, port, false)
  }

  connect6(address: string, port: number): number {
    return this.connectTo(address, port, true)
  }

  private connectTo(address: string, port: number, six: boolean): number {
    current()
    const socket = this.bound(six)
    return typeof socket === 'string' ? uvCode(socket) : status(socket.connect(address, port))
  }

  disconnect(): number {
    return this.socket === null ? uvCode('ENOTCONN') : status(this.socket.disconnect())
  }

  send(request: Request, list: readonly Uint8Array[], count: number, ...to: unknown[]): number {
    return this.sendTo(request, list, count, to, false)
  }

  send6(request: Request, list: readonly Uint8Array[], count: number, ...to: unknown[]): number {
    return this.sendTo(request, list, count, to, true)
  }

  /** Datagrams are sent at once: the answer is the number of bytes plus one. */
  private sendTo(
    _request: Request,
    list: readonly Uint8Array[],
    count: number,
    to: readonly unknown[],
    six: boolean,
  ): number {
    current()
    const socket = this.bound(six)
    if (typeof socket === 'string') return uvCode(socket)
    const chunks = list.slice(0, count).map(bytesOf)
    const target = to.length >= 3 ? { port: to[0] as number, address: to[1] as string } : null
    const code = socket.send(chunks, target)
    if (code !== null) return uvCode(code)
    let bytes = 0
    for (const chunk of chunks) bytes += chunk.length
    return bytes + 1
  }

  recvStart(): number {
    current()
    if (this.socket === null) return uvCode('EBADF')
    this.active = true
    this.socket.recvStart()
    return 0
  }

  recvStop(): number {
    this.active = false
    this.socket?.recvStop()
    return 0
  }

  getsockname(out: Record<string, unknown>): number {
    return describe(this.socket?.local ?? null, out, 'EBADF')
  }

  getpeername(out: Record<string, unknown>): number {
    return describe(this.socket?.remote ?? null, out, 'ENOTCONN')
  }

  addMembership(group: string): number {
    const socket = this.bound(group.includes(':'))
    return typeof socket === 'string' ? uvCode(socket) : status(socket.addMembership(group))
  }

  dropMembership(group: string): number {
    return this.socket === null ? uvCode('EADDRNOTAVAIL') : status(this.socket.dropMembership(group))
  }

  addSourceSpecificMembership(_source: string, group: string): number {
    return this.addMembership(group)
  }

  dropSourceSpecificMembership(_source: string, group: string): number {
    return this.dropMembership(group)
  }

  setMulticastInterface(): number {
    return 0
  }

  setMulticastTTL(ttl: number): number {
    return ttl < 0 || ttl > 255 ? uvCode('EINVAL') : 0
  }

  setMulticastLoopback(): number {
    return 0
  }

  setBroadcast(): number {
    return 0
  }

  setTTL(ttl: number): number {
    return ttl < 1 || ttl > 255 ? uvCode('EINVAL') : 0
  }

  /** Linux doubles what is asked for. */
  bufferSize(size: number, receive: boolean, context: Record<string, unknown>): number | undefined {
    if (this.socket === null || size > 0x7fffffff) {
      const code = this.socket === null ? 'EBADF' : 'EINVAL'
      context.errno = uvCode(code)
      context.code = code
      context.message = takeInternals().require('internal/util').getSystemErrorMessage?.(uvCode(code)) ?? code
      context.syscall = receive ? 'uv_recv_buffer_size' : 'uv_send_buffer_size'
      return undefined
    }
    if (size > 0) {
      const given = Math.min(size * 2, 2 * BUFFER_BYTES)
      if (receive) this.receiveBytes = given
      else this.sendBytes = given
    }
    return receive ? this.receiveBytes : this.sendBytes
  }

  getSendQueueSize(): number {
    return 0
  }

  getSendQueueCount(): number {
    return 0
  }

  protected override release(): void {
    this.socket?.close()
  }
}

export function udpWrap(): Binding {
  return closed('udp_wrap', { UDP, SendWrap, constants })
}
