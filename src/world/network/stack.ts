/**
 * A host's network stack: what its processes call to listen, connect, bind and resolve. Failures are the names libuv
 * gives them, never exceptions. Every socket belongs to the boot of a process (its actor) and ends with it.
 *
 * Connecting to a closed port of a live host is refused; to a host without power it times out; to an address of the
 * world's networks that no host has it is unreachable after three seconds of asking who has it, and any other address is
 * outside of every network.
 */
import type { Actor } from '../../kernel/actor.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Evidence } from '../evidence.ts'
import { isAny, isLoopback, isMulticast, parseAddress, seenBy, type SocketAddress } from './addresses.ts'
import { Link, LOOPBACK_LINK, type LinkConfig } from './link.ts'
import { connectUnix, listenUnix, pipePair, type SocketPlace } from './local-streams.ts'
import type { Network } from './network.ts'
import { PortTable } from './port-table.ts'
import type { Resolved } from './resolver.ts'
import { TcpBinding } from './tcp-binding.ts'
import { openConnection } from './tcp-connection.ts'
import { TcpEndpoint, type Done, type EndpointHome, type ErrorCode } from './tcp-endpoint.ts'
import { TcpListener } from './tcp-listener.ts'
import { Datagrams, UdpSocket } from './udp.ts'

/** The host below a stack. */
export interface StackHost {
  readonly name: string
  readonly address: string
  readonly address6: string
  readonly actor: Actor
  readonly up: boolean
  readonly powerCycles: number
}

export interface StackOptions {
  readonly sendBufferBytes: number
  readonly receiveBufferBytes: number
  /** Ports below this one need a privilege that the host's processes do not have; 0 is none. */
  readonly firstUnprivilegedPort: number
  /** How what it sends to itself travels. */
  readonly loopback: LinkConfig
}

export const DEFAULT_STACK: StackOptions = {
  sendBufferBytes: 262_144,
  receiveBufferBytes: 262_144,
  firstUnprivilegedPort: 0,
  loopback: LOOPBACK_LINK,
}

export interface BindOptions {
  readonly address: string
  readonly port: number
  readonly ipv6Only?: boolean
  /** TCP sockets that say so may listen on the same address and port. */
  readonly reusePort?: boolean
}

export interface ConnectOptions {
  readonly address: string
  readonly port: number
  /** The binding that the socket had before. */
  readonly binding?: TcpBinding
}

/** A resource that ends with its process. */
export interface Owned {
  close(): void
  vanish(): void
}

/** How long Linux asks for the owner of an address before it gives up. */
const ADDRESS_RESOLUTION_US = 3_072_000

/** The evidence that a host reports when a connection breaks on it. */
const BREAKS: Readonly<Record<ErrorCode, string>> = {
  ECONNRESET: 'connection-reset',
  EPIPE: 'connection-reset',
  ETIMEDOUT: 'connection-timed-out',
  ECONNREFUSED: 'connection-refused',
  EHOSTUNREACH: 'host-unreachable',
}

export class NetworkStack implements EndpointHome {
  readonly kernel: Kernel
  readonly host: StackHost
  readonly network: Network
  readonly evidence: Evidence
  readonly options: StackOptions
  readonly loopback: Link
  readonly datagrams: Datagrams
  /** How many faults refuse connections from other hosts now, and how many let their first packets vanish. */
  refusing = 0
  hanging = 0
  private readonly ports = new PortTable()
  private readonly udpPorts = new PortTable()
  private readonly abstractPlaces = new Map<string, SocketPlace>()
  private readonly listeners = new Map<
    number,
    { readonly binding: TcpBinding; readonly listener: TcpListener }[]
  >()
  private readonly owned = new Map<Actor, Set<Owned>>()
  private readonly endpointBindings = new Map<TcpEndpoint, TcpBinding>()

  constructor(host: StackHost, network: Network, options: Partial<StackOptions> = {}) {
    this.kernel = network.kernel
    this.host = host
    this.network = network
    this.evidence = network.evidence
    this.options = { ...DEFAULT_STACK, ...options }
    this.datagrams = new Datagrams(this, (socket) => this.udpPorts.remove(socket))
    this.loopback = new Link(this.kernel, network.evidence, host.name, host.name, this.options.loopback)
  }

  get sendBufferBytes(): number {
    return this.options.sendBufferBytes
  }

  /** Binds a TCP socket; port 0 is any free one. */
  bindTcp(
    actor: Actor,
    { address, port, ipv6Only = false, reusePort = false }: BindOptions,
  ): TcpBinding | ErrorCode {
    const local = this.localAddress(address)
    if (typeof local === 'string') return local
    if (port > 0 && port < this.options.firstUnprivilegedPort) return 'EACCES'
    const chosen = port === 0 ? this.ports.ephemeral() : port
    if (chosen === 0) return 'EADDRINUSE'
    const wanted = {
      address: local.address,
      family: local.family,
      port: chosen,
      ipv6Only,
      reusesPort: reusePort,
    }
    if (this.ports.conflicts({ ...wanted, shares: true })) return 'EADDRINUSE'
    const binding = new TcpBinding(this.ports, wanted)
    this.own(actor, binding)
    return binding
  }

  /** Listens on a bound socket, which then belongs to the listener. */
  listen(actor: Actor, binding: TcpBinding, backlog: number): TcpListener | ErrorCode {
    if (this.ports.conflicts(binding)) return 'EADDRINUSE' // another socket listens since it was bound
    binding.shares = false
    this.disown(actor, binding)
    const listener = new TcpListener(this.kernel, actor, binding, backlog, (closed) => {
      this.disown(closed.actor, closed)
      binding.close()
      const entries = this.listeners.get(binding.port)
      const at = entries?.findIndex((entry) => entry.listener === closed) ?? -1
      if (entries !== undefined && at >= 0) entries.splice(at, 1)
    })
    const entries = this.listeners.get(binding.port)
    if (entries === undefined) this.listeners.set(binding.port, [{ binding, listener }])
    else entries.push({ binding, listener })
    this.own(actor, listener)
    return listener
  }

  /** Binds and listens. */
  listenTcp(actor: Actor, options: BindOptions & { readonly backlog?: number }): TcpListener | ErrorCode {
    const binding = this.bindTcp(actor, options)
    if (typeof binding === 'string') return binding
    const listener = this.listen(actor, binding, options.backlog ?? 511)
    if (typeof listener === 'string') {
      this.disown(actor, binding)
      binding.close()
    }
    return listener
  }

  /** Connects; `done` gets the result. A string is an error that is known at once. */
  connectTcp(actor: Actor, options: ConnectOptions, done: Done): TcpEndpoint | ErrorCode {
    const parsed = parseAddress(options.address)
    if (parsed === null) return 'EINVAL'
    if (options.port === 0) return 'ECONNREFUSED'
    let { address } = parsed
    if (isAny(address)) address = parsed.family === 4 ? '127.0.0.1' : '::1'
    const target = isLoopback(address) ? this : this.network.stackAt(address)
    if (target === undefined && !this.network.isLocal(address)) return 'ENETUNREACH'
    const source = this.sourceFor(address, options.binding)
    if (source === null) return 'EINVAL'
    let binding = options.binding
    if (binding === undefined) {
      const port = this.ports.ephemeral()
      if (port === 0) return 'EADDRNOTAVAIL'
      binding = new TcpBinding(this.ports, { address: source, family: parsed.family, port, ipv6Only: false })
    } else this.disown(actor, binding)
    const family = parsed.mapped || binding.family === 6 ? 6 : parsed.family
    const local = { address: seenBy(family, source), family, port: binding.port } as const
    const remote = { address: seenBy(family, address), family, port: options.port } as const
    const endpoint = new TcpEndpoint(this, actor, local, remote)
    this.endpointBindings.set(endpoint, binding)
    this.own(actor, endpoint)
    endpoint.whenConnected(done)
    openConnection({
      client: this,
      server: target ?? null,
      endpoint,
      from: { address: source, family: parsed.family, port: binding.port },
      to: { address, family: parsed.family, port: options.port },
    })
    if (target === undefined) {
      this.kernel.schedule(this.host.actor, 'unreachable', ADDRESS_RESOLUTION_US, () =>
        endpoint.break('EHOSTUNREACH'),
      )
    }
    return endpoint
  }

  /** Binds a UDP socket; port 0 is any free one. `reuseAddress`: others that say so too may have the same port. */
  bindUdp(
    actor: Actor,
    {
      address,
      port,
      ipv6Only = false,
      reuseAddress = false,
    }: BindOptions & { readonly reuseAddress?: boolean },
  ): UdpSocket | ErrorCode {
    const parsed = parseAddress(address)
    const local = parsed !== null && isMulticast(parsed.address) ? parsed : this.localAddress(address) // a group may be bound, too
    if (typeof local === 'string') return local
    if (port > 0 && port < this.options.firstUnprivilegedPort) return 'EACCES'
    const chosen = port === 0 ? this.udpPorts.ephemeral() : port
    if (chosen === 0) return 'EADDRINUSE'
    const holder = {
      address: local.address,
      family: local.family,
      port: chosen,
      ipv6Only,
      shares: reuseAddress,
    }
    if (this.udpPorts.conflicts(holder)) return 'EADDRINUSE'
    return this.adoptUdp(new UdpSocket(this, actor, holder))
  }

  /** A datagram socket that may have its port is there from now on. */
  adoptUdp(socket: UdpSocket): UdpSocket {
    this.udpPorts.add(socket)
    this.datagrams.add(socket)
    this.own(socket.actor, socket)
    return socket
  }

  /** Listens at a place in the file system or in the abstract namespace. */
  listenUnix(
    actor: Actor,
    options: { readonly place: SocketPlace; readonly path: string; readonly backlog?: number },
  ): TcpListener | ErrorCode {
    return listenUnix(this, actor, options)
  }

  connectUnix(
    actor: Actor,
    options: { readonly place: SocketPlace; readonly path: string },
    done: Done,
  ): TcpEndpoint | ErrorCode {
    return connectUnix(this, actor, options, done)
  }

  /** The place of a name in Linux's abstract namespace (a path that begins with a zero byte). */
  abstractPlace(name: string): SocketPlace {
    let place = this.abstractPlaces.get(name)
    if (place === undefined) this.abstractPlaces.set(name, (place = { listener: null }))
    return place
  }

  /** Two connected endpoints for processes of this host: stdio, IPC. */
  pipePair(a: Actor, b: Actor): readonly [TcpEndpoint, TcpEndpoint] {
    return pipePair(this, a, b)
  }

  /** Addresses of a name as this host's processes see it. */
  resolve(name: string, family: 0 | 4 | 6): readonly Resolved[] | ErrorCode {
    return this.network.resolver.resolve(this.host.name, name, family)
  }

  /**
   * The listener for a connection to an address and port of this host: an exact address first, then a wildcard. Those who
   * share a port take turns by the port that a connection comes from, as Linux spreads them by a hash of it.
   */
  listenerAt(to: SocketAddress, fromPort: number): TcpListener | undefined {
    const entries = this.listeners.get(to.port)
    if (entries === undefined) return undefined
    const { address, family } = to
    const best =
      entries.find(({ binding }) => parseAddress(binding.address)?.address === address) ??
      entries.find(({ binding }) => binding.family === family && isAny(binding.address)) ??
      entries.find(({ binding }) => binding.address === '::' && !binding.ipv6Only)
    if (best === undefined || !best.binding.reusesPort) return best?.listener
    const alike = entries.filter(({ binding }) => binding.address === best.binding.address)
    return alike[fromPort % alike.length].listener
  }

  /** The server's end of a new connection, seen with the listener's family. */
  acceptedEndpoint(listener: TcpListener, local: SocketAddress, remote: SocketAddress): TcpEndpoint {
    const { family } = listener.local
    const endpoint = new TcpEndpoint(
      this,
      listener.actor,
      { address: seenBy(family, local.address), family, port: local.port },
      { address: seenBy(family, remote.address), family, port: remote.port },
    )
    this.own(listener.actor, endpoint)
    return endpoint
  }

  /** Everything that a process's boot has is closed, as the kernel does when a process ends. */
  release(actor: Actor): void {
    const owned = this.owned.get(actor)
    this.owned.delete(actor)
    if (owned !== undefined) for (const each of owned) each.close()
  }

  /** The host loses power: nothing is closed, everything is forgotten. */
  powerOff(): void {
    const all = [...this.owned.values()]
    this.owned.clear()
    for (const owned of all) for (const each of owned) each.vanish()
    for (const stack of this.network.allStacks()) stack.pathImpaired(null)
    this.listeners.clear()
    this.ports.clear()
    this.udpPorts.clear()
    this.abstractPlaces.clear()
    this.endpointBindings.clear()
  }

  /** What a fault does to a connection from another host that asks to be let in; null: nothing. */
  turnsAway(): 'refused' | 'dropped' | null {
    if (this.refusing > 0) {
      this.evidence.report('connection-turned-away', { host: this.host.name })
      return 'refused'
    }
    if (this.hanging > 0) {
      this.evidence.report('connection-hung', { host: this.host.name })
      return 'dropped'
    }
    return null
  }

  /** Breaks the TCP connections to other hosts, in the order in which they were opened; says how many there were. */
  resetConnections(): number {
    let broken = 0
    for (const endpoint of this.connections()) if (endpoint.cutOff()) broken++
    return broken
  }

  /** The TCP connections to other hosts, in the order in which they were opened. */
  connections(): TcpEndpoint[] {
    return [...this.owned.values()]
      .flatMap((set) => [...set])
      .filter((owned) => owned instanceof TcpEndpoint)
      .filter((endpoint) => !this.isMine(endpoint.remote.address))
  }

  private isMine(address: string): boolean {
    return isLoopback(address) || address === this.host.address || address === this.host.address6
  }

  /** An endpoint or listener was passed to another process of this host. */
  transfer(socket: TcpEndpoint | TcpListener | UdpSocket, actor: Actor): void {
    this.disown(socket.actor, socket)
    socket.transfer(actor)
    this.own(actor, socket)
  }

  own(actor: Actor, owned: Owned): void {
    const set = this.owned.get(actor)
    if (set === undefined) this.owned.set(actor, new Set([owned]))
    else set.add(owned)
  }

  disown(actor: Actor, owned: Owned): void {
    this.owned.get(actor)?.delete(owned)
  }

  released(endpoint: TcpEndpoint): void {
    this.disown(endpoint.actor, endpoint)
    const binding = this.endpointBindings.get(endpoint)
    if (binding === undefined) return
    this.endpointBindings.delete(endpoint)
    binding.close()
  }

  /** A link was cut, or (null) some host lost power: connections that wait for something begin to probe. */
  pathImpaired(link: Link | null): void {
    for (const owned of this.owned.values())
      for (const each of owned) if (each instanceof TcpEndpoint) each.pathImpaired(link)
  }

  broke(endpoint: TcpEndpoint, error: ErrorCode): void {
    const kind = BREAKS[error]
    if (kind !== undefined)
      this.evidence.report(kind, { host: this.host.name, remote: endpoint.remote.address })
  }

  /** The canonical form of an address to bind; a string is the error. */
  /** Whether an interface of the host has an address; the unspecified ones stand for any. */
  hasAddress(address: string): boolean {
    return typeof this.localAddress(address) !== 'string'
  }

  private localAddress(text: string): { readonly address: string; readonly family: 4 | 6 } | ErrorCode {
    const parsed = parseAddress(text)
    if (parsed === null) return 'EINVAL'
    const { address } = parsed
    const mine =
      isAny(address) || isLoopback(address) || address === this.host.address || address === this.host.address6
    if (!mine) return 'EADDRNOTAVAIL'
    return parsed.mapped ? { address: seenBy(6, address), family: 6 } : parsed
  }

  /** The address a connection comes from; null where the bound address cannot reach the target. */
  private sourceFor(target: string, binding: TcpBinding | undefined): string | null {
    const four = !target.includes(':')
    if (binding !== undefined && !isAny(binding.address)) {
      const bound = parseAddress(binding.address)!
      return (bound.family === 4) === four ? bound.address : null
    }
    if (binding !== undefined && binding.family === 4 && !four) return null
    if (isLoopback(target)) return four ? '127.0.0.1' : '::1'
    return four ? this.host.address : this.host.address6
  }
}
