/**
 * One proxied TCP connection: two directions, each on a link of its own. While a link is clear, chunks are written on as
 * they come, with back pressure; otherwise they wait in a queue until they are due, in their order. The end of a
 * direction (FIN, or a reset) is an element of the queue too, so that a cut holds it as it holds bytes.
 *
 * A new connection needs both directions: while one of them is cut, the peer is not called.
 */
import type { Socket } from 'node:net'
import { drawDelayMs } from './delay.ts'
import type { Link, LinkUser } from './link.ts'

/** Bytes that a direction holds before it stops reading. */
const MOST_QUEUED = 4 << 20
/** What a program sees of a lost segment: TCP's least retransmission time-out on Linux. */
const RETRANSMISSION_MS = 200

export interface StreamOptions {
  /** The socket of the node that called. */
  readonly caller: Socket
  readonly there: Link
  readonly back: Link
  /** Calls the peer. */
  readonly dial: () => Socket
  readonly random: () => number
  /** Bytes as they were handed over, before they are passed on. `accepted`: by the side that was called. */
  readonly saw: ((bytes: Buffer, accepted: boolean) => void) | null
  readonly closed: () => void
}

/** Carries a connection until both of its sides are closed. */
export function passStream(options: StreamOptions): void {
  new ProxiedStream(options).begin()
}

class ProxiedStream implements LinkUser {
  readonly #options: StreamOptions
  #peer: Socket | null = null
  #forward: Direction | null = null
  #backward: Direction | null = null
  #over = false

  constructor(options: StreamOptions) {
    this.#options = options
  }

  begin(): void {
    const { caller, there, back } = this.#options
    there.counts.connections++
    there.users.add(this)
    back.users.add(this)
    caller.on('error', () => {}) // `close` follows
    caller.once('close', () => {
      if (this.#peer === null) this.#end()
    })
    if (there.weather.cut || back.weather.cut) {
      if (there.weather.cut) there.counts.held++
      else back.counts.held++
      caller.pause()
    } else this.#connect()
  }

  changed(): void {
    const { there, back } = this.#options
    if (this.#over) return
    if (this.#peer === null) {
      if (!there.weather.cut && !back.weather.cut) this.#connect()
      return
    }
    this.#forward?.pump()
    this.#backward?.pump()
  }

  reset(): boolean {
    if (this.#over) return false
    this.#options.caller.resetAndDestroy()
    this.#peer?.resetAndDestroy()
    this.#end()
    return true
  }

  #connect(): void {
    const { caller, there, back, random, saw } = this.#options
    const peer = this.#options.dial()
    this.#peer = peer
    peer.setNoDelay(true)
    caller.setNoDelay(true)
    this.#forward = new Direction(caller, peer, there, random, saw && ((bytes) => saw(bytes, false)))
    this.#backward = new Direction(peer, caller, back, random, saw && ((bytes) => saw(bytes, true)))
    let open = 2
    const closed = (): void => {
      if (--open === 0) this.#end()
    }
    caller.once('close', closed)
    peer.once('close', closed)
  }

  #end(): void {
    if (this.#over) return
    this.#over = true
    this.#options.there.users.delete(this)
    this.#options.back.users.delete(this)
    this.#forward?.stop()
    this.#backward?.stop()
    this.#options.closed()
  }
}

interface Waiting {
  /** Null ends the direction; a reset is an end that is seen as one. */
  readonly bytes: Buffer | null
  readonly reset: boolean
  readonly dueMs: number
}

class Direction {
  readonly #source: Socket
  readonly #target: Socket
  readonly #link: Link
  readonly #random: () => number
  readonly #queue: Waiting[] = []
  #queuedBytes = 0
  #lastDueMs = 0
  #timer: NodeJS.Timeout | null = null
  #ended = false

  constructor(
    source: Socket,
    target: Socket,
    link: Link,
    random: () => number,
    saw: ((bytes: Buffer) => void) | null,
  ) {
    this.#source = source
    this.#target = target
    this.#link = link
    this.#random = random
    source.on('data', (bytes: Buffer) => {
      saw?.(bytes)
      this.#take(bytes)
    })
    source.once('end', () => this.#finish(false))
    source.once('error', () => this.#finish(true))
    source.once('close', () => this.#finish(false))
    target.on('drain', () => this.#source.resume())
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#queue.length = 0
  }

  /** Passes on what is due. */
  pump(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    while (this.#queue.length > 0 && !this.#link.weather.cut) {
      const [next] = this.#queue
      const waitMs = next.dueMs - performance.now()
      if (waitMs > 0) {
        this.#timer = setTimeout(() => this.pump(), waitMs)
        return
      }
      this.#queue.shift()
      this.#queuedBytes -= next.bytes?.length ?? 0
      this.#pass(next)
    }
    if (this.#queuedBytes < MOST_QUEUED && !this.#target.writableNeedDrain) this.#source.resume()
  }

  #take(bytes: Buffer): void {
    const { counts, clear } = this.#link
    counts.chunks++
    counts.bytes += bytes.length
    if (clear && this.#queue.length === 0) {
      if (!this.#target.write(bytes)) this.#source.pause()
      return
    }
    this.#enqueue(bytes, false)
  }

  #finish(reset: boolean): void {
    if (this.#ended) return
    this.#ended = true
    if (this.#link.clear && this.#queue.length === 0) this.#pass({ bytes: null, reset, dueMs: 0 })
    else this.#enqueue(null, reset)
  }

  #enqueue(bytes: Buffer | null, reset: boolean): void {
    this.#queue.push({ bytes, reset, dueMs: this.#dueMs(bytes) })
    this.#queuedBytes += bytes?.length ?? 0
    if (this.#queuedBytes >= MOST_QUEUED) this.#source.pause()
    if (this.#queue.length === 1) this.pump()
  }

  /** When a chunk may pass, by the weather at the moment it was sent. Nothing overtakes in a stream. */
  #dueMs(bytes: Buffer | null): number {
    const { weather, counts } = this.#link
    const nowMs = performance.now()
    let dueMs = nowMs
    if (weather.cut) counts.held++
    if (bytes !== null && weather.delay !== null) {
      const delayMs = drawDelayMs(weather.delay, this.#random)
      if (delayMs > 0) counts.delayed++
      dueMs += delayMs
    }
    if (bytes !== null && weather.loss > 0 && this.#random() < weather.loss) {
      counts.lost++
      dueMs += RETRANSMISSION_MS
    }
    if (bytes !== null && weather.rateBytesPerS !== null) {
      counts.throttled++
      dueMs = Math.max(dueMs, this.#lastDueMs) + (bytes.length / weather.rateBytesPerS) * 1000
    }
    this.#lastDueMs = Math.max(dueMs, this.#lastDueMs)
    return this.#lastDueMs
  }

  #pass({ bytes, reset }: Waiting): void {
    if (this.#target.destroyed) return
    if (bytes !== null) {
      if (!this.#target.write(bytes)) this.#source.pause()
    } else if (reset) this.#target.resetAndDestroy()
    else this.#target.end()
  }
}
