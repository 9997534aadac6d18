/** Two hosts with a client and a server, for tests of the network: everything that happens to them is kept. */
import type { Actor } from '../../kernel/actor.ts'
import type { Host } from '../host.ts'
import { World, type WorldOptions } from '../world.ts'
import type { ErrorCode, TcpEndpoint } from './tcp-endpoint.ts'
import type { TcpListener } from './tcp-listener.ts'

export const SECOND = 1_000_000

export interface Seen {
  readonly endpoint: TcpEndpoint
  readonly chunks: Uint8Array[]
  text(): string
  ended: boolean
  error: ErrorCode | null
}

export function watch(endpoint: TcpEndpoint): Seen {
  const seen: Seen = {
    endpoint,
    chunks: [],
    text: () => Buffer.concat(seen.chunks).toString(),
    ended: false,
    error: null,
  }
  endpoint.ondata = (bytes) => seen.chunks.push(bytes)
  endpoint.onend = () => (seen.ended = true)
  endpoint.onerror = (error) => (seen.error = error)
  endpoint.readStart()
  return seen
}

export class Pair {
  readonly world: World
  readonly a: Host
  readonly b: Host
  readonly client: Actor
  readonly server: Actor
  readonly accepted: Seen[] = []
  listener!: TcpListener

  constructor(options: Partial<WorldOptions> = {}) {
    this.world = new World({ seed: 1, ...options })
    this.a = this.world.addHost('a')
    this.b = this.world.addHost('b')
    this.client = this.world.kernel.actor('client')
    this.server = this.world.kernel.actor('server')
  }

  listen(port = 80, backlog = 511): this {
    const listener = this.b.net.listenTcp(this.server, { address: '0.0.0.0', port, backlog })
    if (typeof listener === 'string') throw new Error(listener)
    this.listener = listener
    listener.onconnection = (endpoint) => this.accepted.push(watch(endpoint))
    return this
  }

  /** Connects without waiting; `outcome` is undefined until it is known. */
  begin(
    port = 80,
    address = this.b.address,
  ): { endpoint: TcpEndpoint; outcome: () => ErrorCode | null | undefined } {
    let outcome: ErrorCode | null | undefined
    const endpoint = this.a.net.connectTcp(this.client, { address, port }, (error) => (outcome = error))
    if (typeof endpoint === 'string') throw new Error(endpoint)
    return { endpoint, outcome: () => outcome }
  }

  connect(port = 80): { client: Seen; server: Seen } {
    const { endpoint, outcome } = this.begin(port)
    const client = watch(endpoint)
    this.run()
    if (outcome() !== null) throw new Error(`connecting: ${outcome()}`)
    return { client, server: this.accepted[this.accepted.length - 1] }
  }

  run(): void {
    const pause = this.world.kernel.run(1_000_000)
    if (pause !== 'idle') throw new Error(`the world does not come to rest: ${pause}`)
  }

  /** Lets some virtual time pass. */
  runFor(us: number): void {
    const { kernel } = this.world
    kernel.schedule(kernel.actor('watch'), 'watch', us, () => kernel.stop())
    kernel.run()
  }

  get now(): number {
    return this.world.kernel.now
  }
}

export const bytes = (text: string): Uint8Array => Buffer.from(text)
export const ignore = (): void => {}
