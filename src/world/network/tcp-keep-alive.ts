/**
 * Keep-alive probes of a connection: after `delay` without traffic, a probe each second; the tenth without an answer
 * breaks the connection with ETIMEDOUT (libuv's settings on Linux). While the path is whole, probes change nothing, so
 * they run only from the moment at which the path is impaired or a reset got lost: an idle connection costs no events.
 */
import type { Actor } from '../../kernel/actor.ts'
import { max } from '../../kernel/arithmetic.ts'
import { KernelEvent } from '../../kernel/event.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { TcpEndpoint } from './tcp-endpoint.ts'
import type { TcpFlow } from './tcp-flow.ts'

const INTERVAL_US = 1_000_000
const PROBES = 10

export class KeepAlive {
  readonly out: TcpFlow
  private readonly kernel: Kernel
  private readonly endpoint: TcpEndpoint
  private readonly delayUs: number
  private readonly event: KernelEvent
  private unanswered = 0
  private probedAt = -Infinity

  constructor(kernel: Kernel, actor: Actor, endpoint: TcpEndpoint, out: TcpFlow, delayUs: number) {
    this.kernel = kernel
    this.endpoint = endpoint
    this.out = out
    this.delayUs = delayUs
    this.event = new KernelEvent('keep-alive', actor, () => this.fire())
    if (!out.pathIsWhole) this.doubt()
  }

  /** The peer may be silent for good: from now on it is worth asking. */
  doubt(): void {
    if (this.event.slot >= 0) return
    this.unanswered = 0
    this.kernel.arm(this.event, max(this.out.lastActivity + this.delayUs, this.probedAt + INTERVAL_US))
  }

  stop(): void {
    this.kernel.cancel(this.event)
  }

  private fire(): void {
    if (this.endpoint.state !== 'established') return
    const idleUntil = this.out.lastActivity + this.delayUs
    if (idleUntil > this.kernel.now && this.unanswered === 0) {
      this.kernel.arm(this.event, idleUntil)
    } else if (this.out.isRetransmitting) {
      this.kernel.arm(this.event, this.kernel.now + this.delayUs) // the data's own timer decides
    } else if (this.out.pathIsWhole) {
      this.unanswered = 0
      this.probedAt = this.kernel.now
      // A peer that forgot the connection answers with a reset.
      if (!this.out.probe()) this.kernel.arm(this.event, this.kernel.now + INTERVAL_US)
    } else if (++this.unanswered > PROBES) {
      this.endpoint.break('ETIMEDOUT')
    } else {
      this.kernel.arm(this.event, this.kernel.now + INTERVAL_US)
    }
  }
}
