/**
 * Standard input from a pipe, read through `fs`. Until the first read nothing is taken from the pipe, so that a program
 * that uses `process.stdin` gets it all. A read that finds nothing fails with EAGAIN; asynchronous ones wait instead, as
 * a thread of libuv's pool would.
 */
import { fail } from '../../../world/disk/errno.ts'
import type { StreamEndpoint } from '../../process/stdio.ts'

export class PipeInput {
  private readonly chunks: Uint8Array[] = []
  private waiting: (() => void)[] = []
  private attached = false
  private ended = false
  private readonly endpoint: StreamEndpoint

  constructor(endpoint: StreamEndpoint) {
    this.endpoint = endpoint
  }

  read(target: Uint8Array): number {
    this.attach()
    const chunk = this.chunks[0]
    if (chunk === undefined) return this.ended ? 0 : fail('EAGAIN')
    const taken = chunk.subarray(0, target.length)
    target.set(taken)
    if (taken.length < chunk.length) this.chunks[0] = chunk.subarray(taken.length)
    else this.chunks.shift()
    return taken.length
  }

  /** Calls back when a read would not fail. */
  wait(callback: () => void): void {
    this.waiting.push(callback)
  }

  private attach(): void {
    if (this.attached) return
    this.attached = true
    const end = (): void => {
      this.ended = true
      this.wake()
    }
    this.endpoint.ondata = (bytes) => {
      this.chunks.push(bytes)
      this.wake()
    }
    this.endpoint.onend = end
    this.endpoint.onerror = end
    this.endpoint.readStart()
  }

  private wake(): void {
    const { waiting } = this
    this.waiting = []
    for (const callback of waiting) callback()
  }
}
