/**
 * The proxy: every directed link of the cluster passes through it, TCP and UDP, so that a fault is a change of a link's
 * weather and its evidence a difference of counters. It runs on plain sockets, needs no rights, and never touches an
 * address outside the run's block.
 *
 * A port of a node is opened when the node listens on it, at every address under which others know the node, and
 * closed when the node ends: connections to a dead node are refused, as on a real machine.
 */
import { connect, createServer, type Server, type Socket } from 'node:net'
import type { Network } from '../cluster/network.ts'
import { ANYONE, CLIENTS, type AddressPlan } from './address-plan.ts'
import { carryDatagram, DatagramSockets, type Endpoint } from './datagrams.ts'
import { CLEAR, Link, type LinkCounts, type LinkWeather, noCounts } from './link.ts'
import { passStream } from './stream.ts'

/** The name of the clients' end of a link. */
export const CLIENT_HOST = 'workload'

/** Bytes that a node handed to the network. */
export interface SeenBytes {
  readonly protocol: 'tcp' | 'udp'
  /** Who sent them. */
  readonly from: string
  readonly to: string
  /** The port of the side that was called, or of the receiver of a datagram. */
  readonly port: number
  /** The port that the datagram was sent from. */
  readonly fromPort: number
  /** 0 for datagrams. */
  readonly connection: number
  /** Whether the side that was called sent them. */
  readonly accepted: boolean
  readonly bytes: Buffer
}

export interface ProxyOptions {
  readonly plan: AddressPlan
  /** Names in the order of their numbers, from 1. */
  readonly nodes: readonly string[]
  readonly random: () => number
  /** Whether nodes are also known by one address to all. */
  readonly shared: boolean
  /** Who opened a connection to a shared address. */
  readonly owner: (caller: Endpoint, called: Endpoint) => Promise<string | null>
  readonly saw?: (seen: SeenBytes) => void
}

export class Proxy implements Network {
  readonly words = {
    where: 'in the proxy',
    held: 'chunks, connections and datagrams held back or dropped on the cut links',
  }
  readonly #options: ProxyOptions
  readonly #links = new Map<string, Link>()
  readonly #servers = new Map<string, Server[]>()
  readonly #datagrams: DatagramSockets
  readonly #sockets = new Set<Socket>()
  #connections = 0

  constructor(options: ProxyOptions) {
    this.#options = options
    this.#datagrams = new DatagramSockets((at, from, bytes) => this.#datagram(at, from, bytes))
  }

  link(from: string, to: string): Link {
    const key = `${from} ${to}`
    let link = this.#links.get(key)
    if (link === undefined) this.#links.set(key, (link = new Link(from, to)))
    return link
  }

  /** The sum of the counters of some links. */
  counts(links: Iterable<Link>): LinkCounts {
    const sum = noCounts()
    for (const { counts } of links)
      for (const name of Object.keys(sum) as (keyof LinkCounts)[]) sum[name] += counts[name]
    return sum
  }

  change(links: Iterable<Link>, weather: Partial<LinkWeather>): void {
    for (const link of links) link.change({ ...link.weather, ...weather })
  }

  /** All links are clear again. */
  heal(): void {
    for (const link of this.#links.values()) link.change(CLEAR)
  }

  /** Opens a port of a node for everybody who knows it. */
  async open(node: string, port: number, protocol: 'tcp' | 'udp'): Promise<void> {
    const number = this.#numberOf(node)
    const viewers = [...this.#options.nodes.map((_, index) => index + 1), CLIENTS]
    if (this.#options.shared && protocol === 'tcp') viewers.push(ANYONE)
    const addresses = viewers
      .filter((viewer) => viewer !== number)
      .map((viewer) => this.#options.plan.seen(viewer, number))
    if (protocol === 'udp') {
      for (const address of addresses) this.#datagrams.at({ address, port })
      return
    }
    const key = `${node} ${port}`
    if (this.#servers.has(key)) return
    const servers: Server[] = []
    this.#servers.set(key, servers)
    await Promise.all(addresses.map(async (address) => servers.push(await this.#listen(address, node, port))))
  }

  /** A node has ended: what it listened on is closed. */
  close(node: string): void {
    for (const [key, servers] of this.#servers) {
      if (!key.startsWith(`${node} `)) continue
      for (const server of servers) server.close()
      this.#servers.delete(key)
    }
  }

  /** Ends everything. */
  end(): void {
    for (const node of this.#options.nodes) this.close(node)
    for (const socket of this.#sockets) socket.destroy()
    this.#datagrams.close()
  }

  #numberOf(node: string): number {
    return this.#options.nodes.indexOf(node) + 1
  }

  #nameOf(number: number): string {
    return number === CLIENTS ? CLIENT_HOST : this.#options.nodes[number - 1]
  }

  #listen(address: string, node: string, port: number): Promise<Server> {
    const server = createServer({ allowHalfOpen: true, pauseOnConnect: false }, (caller) =>
      this.#accept(caller, address, node, port),
    )
    return new Promise((resolve, reject) => {
      server.once('error', reject)
      server.listen({ host: address, port, exclusive: true }, () => {
        server.off('error', reject)
        server.on('error', () => {})
        resolve(server)
      })
    })
  }

  #accept(caller: Socket, address: string, node: string, port: number): void {
    this.#remember(caller)
    const { viewer } = this.#options.plan.parse(address)!
    if (viewer !== ANYONE) {
      this.#pass(caller, this.#nameOf(viewer), node, port)
      return
    }
    const { remoteAddress = '', remotePort = 0 } = caller
    const known = this.#options.owner({ address: remoteAddress, port: remotePort }, { address, port })
    void known.then((from) => {
      if (!caller.destroyed) this.#pass(caller, from, node, port)
    })
  }

  /**
   * `from`: null where it is not known, as when the caller has closed its socket again. That passes without a link, but
   * not to a node that is cut from any other: it may come from there.
   */
  #pass(caller: Socket, from: string | null, node: string, port: number): void {
    const { plan, random, saw, nodes } = this.#options
    if (from === null && this.#isCut(node)) {
      caller.resetAndDestroy()
      return
    }
    const own = plan.own(this.#numberOf(node))
    const number = from === null ? ANYONE : from === CLIENT_HOST ? CLIENTS : nodes.indexOf(from) + 1
    const localAddress = number === this.#numberOf(node) ? own : plan.seen(this.#numberOf(node), number)
    const connection = ++this.#connections
    const name = from ?? `stranger ${connection}`
    passStream({
      caller,
      there: this.link(name, node),
      back: this.link(node, name),
      dial: () =>
        this.#remember(connect({ host: own, port, localAddress, allowHalfOpen: true, noDelay: true })),
      random,
      saw:
        saw === undefined
          ? null
          : (bytes, accepted) =>
              saw({
                protocol: 'tcp',
                from: accepted ? node : name,
                to: accepted ? name : node,
                port,
                fromPort: 0,
                connection,
                accepted,
                bytes,
              }),
      closed: () => {
        if (from !== null) return
        this.#links.delete(`${name} ${node}`)
        this.#links.delete(`${node} ${name}`)
      },
    })
  }

  #isCut(node: string): boolean {
    return [...this.#links.values()].some(
      ({ from, to, weather }) => weather.cut && (from === node || to === node),
    )
  }

  #remember(socket: Socket): Socket {
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
    socket.on('error', () => {})
    return socket
  }

  #datagram(at: Endpoint, from: Endpoint, bytes: Buffer): void {
    const { plan, random, saw } = this.#options
    const { viewer, node } = plan.parse(at.address)!
    const [sender, receiver] = [this.#nameOf(viewer), this.#nameOf(node)]
    const seen = { protocol: 'udp', from: sender, to: receiver, port: at.port, fromPort: from.port } as const
    saw?.({ ...seen, connection: 0, accepted: false, bytes })
    const back = this.#datagrams.at({ address: plan.seen(node, viewer), port: from.port })
    const own = node === CLIENTS ? plan.own(CLIENTS) : plan.own(node)
    carryDatagram(this.link(sender, receiver), bytes.length, random, () => back.send(bytes, at.port, own))
  }
}
