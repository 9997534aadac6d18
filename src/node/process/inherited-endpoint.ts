/**
 * A stream that a process shares with the parent it inherited it from. Its events reach this process, not the parent;
 * closing it here leaves it open there, since on a real host it is one of several descriptors.
 */
import type { Actor } from '../../kernel/actor.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { TcpEndpoint } from '../../world/network/tcp-endpoint.ts'
import type { StreamEndpoint } from './stdio.ts'

export class InheritedEndpoint implements StreamEndpoint {
  ondata: TcpEndpoint['ondata'] = () => {}
  onend: () => void = () => {}
  onerror: (error: string) => void = () => {}
  private closed = false
  private readonly endpoint: StreamEndpoint
  private readonly kernel: Kernel
  private readonly actor: Actor

  constructor(endpoint: StreamEndpoint, kernel: Kernel, actor: Actor) {
    this.endpoint = endpoint
    this.kernel = kernel
    this.actor = actor
  }

  get state(): TcpEndpoint['state'] {
    return this.closed ? 'closed' : this.endpoint.state
  }

  get writeQueueSize(): number {
    return this.endpoint.writeQueueSize
  }

  write(...[chunks, done, attachment]: Parameters<TcpEndpoint['write']>): ReturnType<TcpEndpoint['write']> {
    return this.endpoint.write(chunks, (code) => this.here(() => done(code)), attachment)
  }

  readStart(): void {
    const { endpoint } = this
    endpoint.ondata = (bytes, attachment) => this.here(() => this.ondata(bytes, attachment))
    endpoint.onend = () => this.here(() => this.onend())
    endpoint.onerror = (code) => this.here(() => this.onerror(code))
    endpoint.readStart()
  }

  readStop(): void {
    this.endpoint.readStop()
  }

  /** The others may go on writing. */
  shutdown(): true {
    return true
  }

  close(): void {
    if (!this.closed) this.endpoint.readStop()
    this.closed = true
  }

  reset(): void {
    this.close()
  }

  /** The parent hears of it first; its children as an event of their own. */
  private here(callback: () => void): void {
    if (this.closed) return
    this.kernel.schedule(this.actor, 'inherited', 0, () => this.kernel.deliver(this.actor, callback))
  }
}
