/** `udp_wrap`: datagram sockets on the network stack of the process's host. Follows src/udp_wrap.cc. */
import { Buffer } from 'node:buffer'
import { isIP, isIPv6 } from 'node:net'
import { min } from '../../../kernel/arithmetic.ts'
import type { SocketAddress } from '../../../world/network/addresses.ts'
import { UdpSocket } from '../../../world/network/udp.ts'
import { current } from '../../process/current.ts'
import { Handle, requestClass, type Request } from '../../process/handle.ts'
import { takeInternals, type Binding } from '../../library/internals.ts'
import { closed, uvCode } from '../binding.ts'
import { describe } from './tcp-wrap.ts'

const { constants } = takeInternals().internalBinding('udp_wrap')

/** What Linux gives a socket by default. */
const BUFFER_BYTES = 212_992

interface SendRequest extends Request {
  oncomplete?: (status: number, bytes: number) => void
}

const SendWrap = requestClass('SendWrap', 'UDPSENDWRAP')

/** Any view may be sent. */
function bytesOf(view: ArrayBufferView): Uint8Array {
  return view instanceof Uint8Array ? view : new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
}

function status(code: string | null): number {
  return code === null ? 0 : uvCode(code)
}

export class UDP extends Handle {
  onmessage: ((size: number, handle: UDP, bytes?: Buffer, from?: object) => void) | null = null
  private socket: UdpSocket | null = null
  private receiveBytes = BUFFER_BYTES
  private sendBytes = BUFFER_BYTES
  private queuedBytes = 0
  private queuedCount = 0

  constructor() {
    super('UDPWRAP')
  }

  get fd(): number {
    return this.socket === null ? uvCode('EBADF') : this.process.descriptors.of(this.socket, 'UDP')
  }

  /** Takes over the socket of another handle. */
  open(fd: number): number {
    const process = current()
    const socket = process.descriptors.socket(fd, 'UDP')
    if (process.isWatched(fd)) return uvCode('EEXIST')
    if (!(socket instanceof UdpSocket)) return uvCode('EBADF')
    this.adopt(socket)
    return 0
  }

  // A socket's own, not a bound function: AsyncResource has a method of this name.
  bind(address: string, port: number, flags: number): number {
    return this.bindTo(address, port, flags)
  }

  bind6(address: string, port: number, flags: number): number {
    return this.bindTo(address, port, flags)
  }

  private bindTo(address: string, port: number, flags: number): number {
    const { host, actor } = current().placement
    if (this.socket !== null) return uvCode('EINVAL')
    const socket = host.net.bindUdp(actor, {
      address,
      // Node passes on what its caller gave, which may be a string or a function.
      port: port >>> 0,
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

  /** A descriptor of its socket for another process. */
  duplicate(): UdpSocket | null {
    return this.socket?.duplicate(this.process.actor) ?? null
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

  send(request: SendRequest, list: readonly Uint8Array[], count: number, ...to: unknown[]): number {
    return this.sendTo(request, list, count, to, false)
  }

  send6(request: SendRequest, list: readonly Uint8Array[], count: number, ...to: unknown[]): number {
    return this.sendTo(request, list, count, to, true)
  }

  /** Datagrams are sent at once: the answer is the number of bytes plus one, or 0 when the request completes later. */
  private sendTo(
    request: SendRequest,
    list: readonly Uint8Array[],
    count: number,
    to: readonly unknown[],
    six: boolean,
  ): number {
    const process = current()
    const socket = this.bound(six)
    if (typeof socket === 'string') return uvCode(socket)
    const chunks = list.slice(0, count).map(bytesOf)
    const target = to.length >= 3 ? { port: to[0] as number, address: to[1] as string } : null
    const code = socket.send(chunks, target)
    let bytes = 0
    for (const chunk of chunks) bytes += chunk.length
    if (process.modules.require('internal/options').getOptionValue('--test-udp-no-try-send')) {
      this.tellLater(request, status(code), bytes)
      return 0
    }
    return code === null ? bytes + 1 : uvCode(code)
  }

  /** `uv_udp_send` without a try before it: what was sent counts as queued until the loop has turned. */
  private tellLater(request: SendRequest, result: number, bytes: number): void {
    this.queuedBytes += bytes
    this.queuedCount++
    this.process.loop.requestStarted()
    this.process.loop.receive(() => {
      this.queuedBytes -= bytes
      this.queuedCount--
      this.process.loop.requestEnded()
      this.process.finish(request, result, bytes)
    })
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

  addMembership(group: string, networkInterface?: string): number {
    return this.withMember(group, networkInterface, (socket) => socket.addMembership(group))
  }

  dropMembership(group: string, networkInterface?: string): number {
    return this.withMember(group, networkInterface, (socket) => socket.dropMembership(group))
  }

  /** The sender is not compared with the source: any member of the group is heard. */
  addSourceSpecificMembership(source: string, group: string, networkInterface?: string): number {
    return isIP(source) === isIP(group) ? this.addMembership(group, networkInterface) : uvCode('EINVAL')
  }

  dropSourceSpecificMembership(source: string, group: string, networkInterface?: string): number {
    return isIP(source) === isIP(group) ? this.dropMembership(group, networkInterface) : uvCode('EINVAL')
  }

  private withMember(
    group: string,
    networkInterface: string | undefined,
    change: (socket: UdpSocket) => string | null,
  ): number {
    const { net } = current().placement.host
    if (isIP(group) === 0) return uvCode('EINVAL')
    const socket = this.bound(isIPv6(group))
    if (typeof socket === 'string') return uvCode(socket)
    if (typeof networkInterface === 'string' && isIP(group) === 4) {
      if (isIP(networkInterface) !== 4) return uvCode('EINVAL')
      if (!net.hasAddress(networkInterface)) return uvCode('ENODEV')
    }
    return status(change(socket))
  }

  /** Every address of the host is on its one network, so there is nothing to choose from. */
  setMulticastInterface(address: string): number {
    const { net } = current().placement.host
    const plain = address.replace(/%.*$/, '')
    if (isIP(plain) === 0) return uvCode('EINVAL')
    if (this.socket === null) return uvCode('EBADF')
    if (isIP(plain) === 6) return this.socket.family === 6 ? 0 : uvCode('ENOPROTOOPT')
    return net.hasAddress(plain) ? 0 : uvCode('EADDRNOTAVAIL')
  }

  setMulticastTTL(ttl: number): number {
    if (ttl < 0 || ttl > 255) return uvCode('EINVAL')
    return this.socket === null ? uvCode('EBADF') : 0
  }

  setMulticastLoopback(on: number): number {
    if (this.socket === null) return uvCode('EBADF')
    this.socket.multicastLoop = on !== 0
    return 0
  }

  setBroadcast(on: number): number {
    if (this.socket === null) return uvCode('EBADF')
    this.socket.broadcast = on !== 0
    return 0
  }

  setTTL(ttl: number): number {
    if (ttl < 1 || ttl > 255) return uvCode('EINVAL')
    return this.socket === null ? uvCode('EBADF') : 0
  }

  /** Linux doubles what is asked for. */
  bufferSize(size: number, receive: boolean, context: Record<string, unknown>): number | undefined {
    if (this.socket === null || size > 0x7fffffff) {
      const code = this.socket === null ? 'EBADF' : 'EINVAL'
      context.errno = uvCode(code)
      context.code = code
      context.message = takeInternals().internalBinding('uv').getErrorMap().get(uvCode(code))[1]
      context.syscall = receive ? 'uv_recv_buffer_size' : 'uv_send_buffer_size'
      return undefined
    }
    if (size > 0) {
      const given = min(size * 2, 2 * BUFFER_BYTES)
      if (receive) this.receiveBytes = given
      else this.sendBytes = given
    }
    return receive ? this.receiveBytes : this.sendBytes
  }

  getSendQueueSize(): number {
    return this.queuedBytes
  }

  getSendQueueCount(): number {
    return this.queuedCount
  }

  protected override release(): void {
    if (this.socket !== null) this.process.descriptors.close(this.socket)
    this.socket?.close()
  }
}

export function udpWrap(): Binding {
  return closed('udp_wrap', { UDP, SendWrap, constants })
}
