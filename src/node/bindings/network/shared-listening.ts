/**
 * A bound TCP socket of which several processes have a descriptor, as a cluster without its own scheduling has: any
 * listener may accept. Here connections go round among the listeners. The socket closes with its last descriptor.
 */
import type { TcpBinding } from '../../../world/network/tcp-binding.ts'
import type { TcpEndpoint } from '../../../world/network/tcp-endpoint.ts'
import type { TcpListener } from '../../../world/network/tcp-listener.ts'
import { running } from '../../process/current.ts'
import type { RunningProcess } from '../../process/running-process.ts'

/** A handle on the socket. */
export interface SharedHandle {
  readonly process: RunningProcess
  accepted(endpoint: TcpEndpoint): void
}

export class SharedListening {
  readonly binding: TcpBinding
  private listener: TcpListener | null = null
  private readonly holders = new Set<SharedHandle>()
  /** Those who listen, the next to accept first. */
  private readonly listening: SharedHandle[] = []

  constructor(binding: TcpBinding, holder: SharedHandle) {
    this.binding = binding
    this.holders.add(holder)
    holder.process.placement.host.net.disown(holder.process.actor, binding)
  }

  join(holder: SharedHandle): void {
    this.holders.add(holder)
  }

  /** Null, or the error's code. */
  listen(handle: SharedHandle, backlog: number): string | null {
    const { actor, placement } = handle.process
    if (this.listener === null) {
      const listener = placement.host.net.listen(actor, this.binding, backlog)
      if (typeof listener === 'string') return listener
      this.listener = listener
      listener.onconnection = (endpoint) => this.accept(endpoint)
    }
    if (!this.listening.includes(handle)) this.listening.push(handle)
    if (this.listening.length === 1) this.moveTo(handle)
    return null
  }

  leave(handle: SharedHandle): void {
    this.holders.delete(handle)
    const at = this.listening.indexOf(handle)
    if (at >= 0) this.listening.splice(at, 1)
    const [heir] = this.listening.length > 0 ? this.listening : this.holders
    if (heir !== undefined) this.moveTo(heir)
    else if (this.listener === null) this.binding.close()
    else this.listener.close()
  }

  private moveTo({ process }: SharedHandle): void {
    if (this.listener !== null && this.listener.actor !== process.actor)
      process.placement.host.net.transfer(this.listener, process.actor)
  }

  private accept(endpoint: TcpEndpoint): void {
    const taker = this.listening.find(({ process }) => process === running) ?? this.listening[0]
    if (taker === undefined) {
      endpoint.reset()
      return
    }
    const { process } = taker
    if (endpoint.actor !== process.actor) process.placement.host.net.transfer(endpoint, process.actor)
    if (process === running) taker.accepted(endpoint)
    else process.loop.receive(() => taker.accepted(endpoint))
    this.listening.push(...this.listening.splice(this.listening.indexOf(taker), 1))
    this.moveTo(this.listening[0])
  }
}
