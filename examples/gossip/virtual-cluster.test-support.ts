/** A cluster of protocol cores in one thread: virtual time, a network that is a list, and cuts. */
import { Swim, type DEFAULTS } from './swim.js'

export interface SwimEvent {
  readonly type: string
  readonly id: string
  readonly status?: string
  readonly incarnation?: number
  readonly data?: unknown
}

interface Flight {
  readonly atMs: number
  readonly to: string
  readonly reliable: boolean
  readonly message: any
}

const LATENCY_MS = 2

export class VirtualCluster {
  nowMs = 0
  readonly nodes = new Map<string, Swim>()
  readonly events = new Map<string, (SwimEvent & { atMs: number })[]>()
  readonly packets: { readonly from: string; readonly to: string; readonly message: any }[] = []
  private readonly cuts = new Set<string>()
  private readonly config: Partial<typeof DEFAULTS>
  private flights: Flight[] = []
  private state: number

  constructor({ seed = 1, config = {} }: { seed?: number; config?: Partial<typeof DEFAULTS> } = {}) {
    this.state = seed
    this.config = config
  }

  /** A small generator: the same seed gives the same run. */
  readonly random = (): number => {
    this.state = (this.state + 0x6d2b79f5) | 0
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }

  /** Starts, or starts again, members that join through all that are named. */
  start(...ids: readonly string[]): void {
    const known = [...new Set([...this.nodes.keys(), ...ids])]
    for (const id of ids) {
      const node = new Swim({ id, address: id, nowMs: this.nowMs, random: this.random, config: this.config })
      this.nodes.set(id, node)
      if (!this.events.has(id)) this.events.set(id, [])
      node.join(known, this.nowMs)
      this.drain(id)
    }
  }

  kill(id: string): void {
    this.nodes.delete(id)
  }

  node(id: string): Swim {
    return this.nodes.get(id)!
  }

  /** Drops what one sends to the other, from now on. */
  cut(from: readonly string[], to: readonly string[]): void {
    for (const a of from) for (const b of to) this.cuts.add(`${a}>${b}`)
  }

  part(left: readonly string[], right: readonly string[]): void {
    this.cut(left, right)
    this.cut(right, left)
  }

  heal(): void {
    this.cuts.clear()
  }

  /** Hands a packet to a member now. */
  give(id: string, message: object): void {
    this.node(id).handleInput(message, this.nowMs)
    this.drain(id)
  }

  drain(id: string): void {
    const node = this.node(id)
    for (let packet = node.pollTransmit(); packet !== null; packet = node.pollTransmit()) {
      const {
        address: to,
        reliable,
        message,
      } = packet as { address: string; reliable: boolean; message: any }
      this.packets.push({ from: id, to, message })
      if (this.cuts.has(`${id}>${to}`)) continue
      // Bytes, as on a wire: what one member changes later, another does not see.
      const copy: unknown = JSON.parse(JSON.stringify(message))
      this.flights.push({ atMs: this.nowMs + LATENCY_MS, to, reliable, message: copy })
    }
    for (let event = node.pollEvent(); event !== null; event = node.pollEvent())
      this.events.get(id)!.push({ ...(event as SwimEvent), atMs: this.nowMs })
  }

  runFor(ms: number): void {
    const endMs = this.nowMs + ms
    for (;;) {
      const flight = this.flights.reduce<Flight | null>(
        (first, each) => (first === null || each.atMs < first.atMs ? each : first),
        null,
      )
      const timers = [...this.nodes].map(([id, node]) => ({ id, atMs: node.pollTimeout() }))
      const timer = timers.reduce((first, each) => (each.atMs < first.atMs ? each : first))
      const nextMs = Math.min(flight?.atMs ?? Infinity, timer.atMs)
      if (nextMs > endMs) break
      this.nowMs = Math.max(this.nowMs, nextMs)
      if (flight !== null && flight.atMs === nextMs) {
        this.flights.splice(this.flights.indexOf(flight), 1)
        if (this.nodes.has(flight.to)) this.give(flight.to, flight.message as object)
      } else {
        this.node(timer.id).handleTimeout(this.nowMs)
        this.drain(timer.id)
      }
    }
    this.nowMs = endMs
  }

  /** What a member believes: id → status. */
  view(id: string): Record<string, string> {
    return Object.fromEntries(
      this.node(id)
        .members()
        .map((each) => [each.id, each.status]),
    )
  }

  /** When a member first held another for something, in virtual milliseconds; null if it never did. */
  firstMs(observer: string, id: string, status: string): number | null {
    const found = this.events.get(observer)!.find((each) => each.id === id && each.status === status)
    return found?.atMs ?? null
  }
}
