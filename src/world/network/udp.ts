/**
 * UDP: datagrams that are lost, duplicated, reordered and corrupted as their link says, received by the sockets that are bound, and
 * dropped when a receiver does not keep up. Unicast, broadcast to the world's network, and multicast to members. A
 * connected socket learns of a closed port (ICMP) as ECONNREFUSED; others never do. Fragmentation is left out.
 */
import type { Actor } from '../../kernel/actor.ts'
import { isAny, isLoopback, isMulticast, parseAddress, seenBy, type SocketAddress } from './addresses.ts'
import { gather, lengthOf } from './chunks.ts'
import { Fifo } from './fifo.ts'
import { DEFERRED, LinkChoices, LOST, REPLAY_MEMORY, type Link } from './link.ts'
import { bytesWords } from './packet.ts'
import type { PortHolder } from './port-table.ts'
import type { NetworkStack } from './stack.ts'
import type { ErrorCode } from './tcp-endpoint.ts'

/** The most a datagram carries over IPv4. */
const DATAGRAM_LIMIT = 65_507
/** Linux's default receive buffer (net.core.rmem_default). */
const RECEIVE_BUFFER_BYTES = 212_992
const LIMITED_BROADCAST = '255.255.255.255'
const NETWORK_BROADCAST = '10.255.255.255'

interface Datagram {
  readonly bytes: Uint8Array
  readonly from: SocketAddress
}

export class UdpSocket implements PortHolder {
  readonly address: string
  readonly family: 4 | 6
  readonly port: number
  readonly ipv6Only: boolean
  readonly shares: boolean
  actor: Actor
  onmessage: (bytes: Uint8Array, from: SocketAddress) => void = () => {}
  onerror: (error: ErrorCode) => void = () => {}
  remote: SocketAddress | null = null
  broadcast = false
  multicastLoop = true
  closed = false
  private readonly stack: NetworkStack
  private readonly groups = new Set<string>()
  private readonly received = new Fifo<Datagram>()
  private receivedBytes = 0
  private receiving = false
  private readonly onReadable = () => this.readable()

  constructor(stack: NetworkStack, actor: Actor, holder: PortHolder) {
    this.stack = stack
    this.actor = actor
    this.address = holder.address
    this.family = holder.family
    this.port = holder.port
    this.ipv6Only = holder.ipv6Only
    this.shares = holder.shares
  }

  get local(): SocketAddress {
    return { address: this.address, family: this.family, port: this.port }
  }

  recvStart(): void {
    if (this.receiving) return
    this.receiving = true
    for (let left = this.received.length; left > 0; left--) this.notify()
  }

  recvStop(): void {
    this.receiving = false
  }

  /** Sends a datagram, to the given address or to the one it is connected to. */
  send(
    chunks: readonly Uint8Array[],
    to: { readonly address: string; readonly port: number } | null,
  ): ErrorCode | null {
    if (this.closed) return 'EBADF'
    const target = to ?? this.remote
    if (target === null) return 'EDESTADDRREQ'
    if (to !== null && this.remote !== null) return 'EISCONN'
    const length = lengthOf(chunks)
    if (length > DATAGRAM_LIMIT) return 'EMSGSIZE'
    const parsed = parseAddress(target.address)
    if (parsed === null || (this.family === 4 && parsed.family === 6)) return 'EINVAL'
    if (target.port === 0) return 'EINVAL'
    const bytes = gather(chunks, length)
    const { kernel, network, host } = this.stack
    kernel.hash.addBytes(bytes)
    if (network.isTapped) {
      const remote = { address: target.address, family: parsed.family, port: target.port }
      network.showTaps({
        protocol: 'udp',
        host: host.name,
        local: this.local,
        remote,
        connection: 0,
        accepted: false,
        bytes,
      })
    }
    return this.stack.datagrams.send(this, bytes, parsed.address, target.port)
  }

  connect(address: string, port: number): ErrorCode | null {
    if (this.remote !== null) return 'EISCONN'
    const parsed = parseAddress(address)
    if (parsed === null) return 'EINVAL'
    const family = this.family
    this.remote = { address: seenBy(family, parsed.address), family, port }
    return null
  }

  disconnect(): ErrorCode | null {
    if (this.remote === null) return 'ENOTCONN'
    this.remote = null
    return null
  }

  addMembership(group: string): ErrorCode | null {
    const parsed = parseAddress(group)
    if (parsed === null || !isMulticast(parsed.address)) return 'EINVAL'
    if (this.groups.has(parsed.address)) return 'EADDRINUSE'
    this.groups.add(parsed.address)
    return null
  }

  dropMembership(group: string): ErrorCode | null {
    const parsed = parseAddress(group)
    if (parsed === null || !isMulticast(parsed.address)) return 'EINVAL'
    return this.groups.delete(parsed.address) ? null : 'EADDRNOTAVAIL'
  }

  close(): void {
    if (this.closed) return
    this.vanish()
    this.stack.disown(this.actor, this)
  }

  /** Another descriptor of the same socket, for another process of the host: either may take a datagram. */
  duplicate(actor: Actor): UdpSocket {
    const twin = this.stack.adoptUdp(new UdpSocket(this.stack, actor, this))
    twin.remote = this.remote
    twin.broadcast = this.broadcast
    twin.multicastLoop = this.multicastLoop
    for (const group of this.groups) twin.groups.add(group)
    return twin
  }

  /** The handle was passed to another process of the host. */
  transfer(actor: Actor): void {
    this.actor = actor
  }

  get isReceiving(): boolean {
    return this.receiving
  }

  /** The host lost power. */
  vanish(): void {
    this.closed = true
    this.received.clear()
    this.stack.datagrams.unbind(this)
  }

  /** Whether it takes datagrams for an address of its host, or for a group. */
  takes(address: string, port: number, from: SocketAddress): boolean {
    if (this.port !== port || this.closed) return false
    const { remote } = this
    if (
      remote !== null &&
      (remote.port !== from.port || parseAddress(remote.address)?.address !== from.address)
    )
      return false
    if (isMulticast(address)) return this.groups.has(address)
    const four = !address.includes(':')
    const any = isAny(this.address) && (this.family === 4) === four
    const dual = this.address === '::' && !this.ipv6Only && four
    return any || dual || parseAddress(this.address)?.address === address || isBroadcast(address)
  }

  receive(bytes: Uint8Array, from: SocketAddress): void {
    if (this.receivedBytes + bytes.length > RECEIVE_BUFFER_BYTES) {
      this.stack.evidence.report('datagram-overflow', { host: this.stack.host.name })
      return
    }
    this.receivedBytes += bytes.length
    this.received.push({
      bytes,
      from: { ...from, address: seenBy(this.family, from.address), family: this.family },
    })
    if (this.receiving) this.notify()
  }

  private notify(): void {
    this.stack.kernel.deliver(this.actor, this.onReadable)
  }

  private readable(): void {
    if (!this.receiving || this.closed) return
    const datagram = this.received.shift()
    if (datagram === undefined) return
    this.receivedBytes -= datagram.bytes.length
    this.onmessage(datagram.bytes, datagram.from)
  }

  /** A port was closed where this connected socket sends to. */
  refused(): void {
    if (this.remote === null || this.closed) return
    this.stack.kernel.deliver(this.actor, () => {
      if (!this.closed) this.onerror('ECONNREFUSED')
    })
  }
}

/** A datagram on its way. */
interface Flight {
  readonly target: NetworkStack
  readonly socket: UdpSocket
  readonly bytes: Uint8Array
  readonly address: string
  readonly port: number
  readonly from: SocketAddress
}

/** Another host as this one sends to it. */
interface Peer {
  readonly choices: LinkChoices
  /** The last datagrams, while the link replays. */
  readonly recent: Flight[]
}

/** The UDP half of a host's stack. */
export class Datagrams {
  private readonly stack: NetworkStack
  private readonly sockets: UdpSocket[] = []
  private readonly peers = new Map<string, Peer>()
  private readonly release: (socket: UdpSocket) => void

  constructor(stack: NetworkStack, release: (socket: UdpSocket) => void) {
    this.stack = stack
    this.release = release
  }

  /** Whether a socket is bound: only then can datagrams be sent or received. */
  get inUse(): boolean {
    return this.sockets.length > 0
  }

  add(socket: UdpSocket): void {
    this.sockets.push(socket)
  }

  unbind(socket: UdpSocket): void {
    const at = this.sockets.indexOf(socket)
    if (at >= 0) this.sockets.splice(at, 1)
    this.release(socket)
  }

  send(socket: UdpSocket, bytes: Uint8Array, address: string, port: number): ErrorCode | null {
    const { stack } = this
    const { network } = stack
    const four = !address.includes(':')
    if (isBroadcast(address)) {
      if (!socket.broadcast) return 'EACCES'
      for (const target of network.allStacks()) this.toHost(target, socket, bytes, address, port)
      return null
    }
    if (isMulticast(address)) {
      for (const target of network.allStacks()) {
        if (target !== stack || socket.multicastLoop) this.toHost(target, socket, bytes, address, port)
      }
      return null
    }
    const real = isAny(address) ? (four ? '127.0.0.1' : '::1') : address
    const target = isLoopback(real) ? stack : network.stackAt(real)
    if (target !== undefined) this.toHost(target, socket, bytes, real, port)
    else if (!network.isLocal(real)) return 'ENETUNREACH'
    return null
  }

  /** A datagram reached this host. */
  arrive(bytes: Uint8Array, address: string, port: number, from: SocketAddress): boolean {
    let taken = false
    const toAll = isMulticast(address) || isBroadcast(address)
    // Of several sockets on one address the one bound last gets what is sent to it alone, if it wants anything.
    for (const socket of toAll ? this.sockets.slice() : this.eagerFirst()) {
      if (!socket.takes(address, port, from)) continue
      socket.receive(toAll ? bytes.slice() : bytes, from)
      taken = true
      if (!toAll) break
    }
    return taken || toAll
  }

  private eagerFirst(): readonly UdpSocket[] {
    const latest = this.sockets.toReversed()
    if (latest.every(({ isReceiving }) => isReceiving)) return latest
    return [
      ...latest.filter(({ isReceiving }) => isReceiving),
      ...latest.filter(({ isReceiving }) => !isReceiving),
    ]
  }

  private toHost(
    target: NetworkStack,
    socket: UdpSocket,
    bytes: Uint8Array,
    address: string,
    port: number,
  ): void {
    const { stack } = this
    const local = target === stack
    const link = local ? stack.loopback : stack.network.link(stack.host.name, target.host.name)
    const peer = this.peer(target)
    const family = address.includes(':') ? 6 : 4
    const from: SocketAddress = { address: sourceOf(socket, address, stack), family, port: socket.port }
    const sent: Flight = { target, socket, bytes, address, port, from }
    this.transmit(link, peer.choices, sent)
    if (link.duplicates(peer.choices)) this.transmit(link, peer.choices, { ...sent, bytes: bytes.slice() })
    const which = link.replays(peer.recent.length, peer.choices)
    if (which >= 0) {
      const replayed = peer.recent[peer.recent.length - 1 - which]
      this.transmit(link, peer.choices, { ...replayed, bytes: replayed.bytes.slice() })
    }
    if (link.config.replayPpm > 0) {
      peer.recent.push({ ...sent, bytes: bytes.slice() })
      if (peer.recent.length > REPLAY_MEMORY) peer.recent.shift()
    }
  }

  private transmit(link: Link, choices: LinkChoices, flight: Flight): void {
    const { target, socket, address, port, from } = flight
    const arrival = link.send(flight.bytes.length, choices)
    if (arrival === LOST) return
    if (arrival === DEFERRED) {
      link.whenHealed(() => this.transmit(link, choices, flight))
      return
    }
    const bytes = link.damage(flight.bytes, choices)
    const { kernel, host } = this.stack
    const event = kernel.schedule(
      target.host.actor,
      'datagram',
      arrival - kernel.now,
      () => {
        if (!target.host.up || target.datagrams.arrive(bytes, address, port, from)) return
        kernel.schedule(host.actor, 'port-unreachable', link.minimumLatencyUs, () => socket.refused())
      },
      link.config.latenessUs,
    )
    if (kernel.worded) event.detail = `datagram ${bytesWords(bytes)} ${host.name} → ${target.host.name}`
  }

  private peer({ host }: NetworkStack): Peer {
    let peer = this.peers.get(host.name)
    if (peer === undefined) {
      const choices = new LinkChoices(this.stack.kernel.choices, `udp ${this.stack.host.name}→${host.name}`)
      this.peers.set(host.name, (peer = { choices, recent: [] }))
    }
    return peer
  }
}

function isBroadcast(address: string): boolean {
  return address === LIMITED_BROADCAST || address === NETWORK_BROADCAST
}

function sourceOf(socket: UdpSocket, target: string, { host }: NetworkStack): string {
  if (!isAny(socket.address)) return parseAddress(socket.address)!.address
  const four = !target.includes(':')
  if (isLoopback(target)) return four ? '127.0.0.1' : '::1'
  return four ? host.address : host.address6
}
