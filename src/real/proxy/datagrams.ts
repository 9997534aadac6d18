/**
 * The UDP side of the proxy. A node sends to the address under which it knows its peer; the proxy's socket there passes
 * the datagram on from the address under which the peer knows the sender, and from the sender's own port, so that an
 * answer to the source of a datagram takes the same way back. Datagrams have no order to keep: each has its own fate.
 */
import { createSocket, type Socket } from 'node:dgram'
import { drawDelayMs } from './delay.ts'
import type { Link } from './link.ts'

/** How long a datagram that is reordered stays behind those after it. */
const HELD_BACK_MS = 20

/** Decides what becomes of one datagram and calls `deliver` once, twice or never. */
export function carryDatagram(link: Link, bytes: number, random: () => number, deliver: () => void): void {
  const { weather, counts } = link
  counts.chunks++
  counts.bytes += bytes
  if (weather.cut) {
    counts.held++
    return
  }
  if (link.clear) {
    deliver()
    return
  }
  if (random() < weather.loss) {
    counts.lost++
    return
  }
  const copies = random() < weather.duplicate ? 2 : 1
  if (copies === 2) counts.duplicated++
  for (let copy = 0; copy < copies; copy++) {
    let waitMs = weather.delay === null ? 0 : drawDelayMs(weather.delay, random)
    if (waitMs > 0) counts.delayed++
    if (random() < weather.reorder) {
      counts.reordered++
      waitMs += HELD_BACK_MS
    }
    if (weather.rateBytesPerS !== null) {
      counts.throttled++
      waitMs += (bytes / weather.rateBytesPerS) * 1000
    }
    if (waitMs === 0) deliver()
    else setTimeout(deliver, waitMs)
  }
}

export interface Endpoint {
  readonly address: string
  readonly port: number
}

/** Sockets of the proxy by address and port, opened when they are first needed. */
export class DatagramSockets {
  readonly #sockets = new Map<string, Socket>()
  readonly #received: (at: Endpoint, from: Endpoint, bytes: Buffer) => void

  constructor(received: (at: Endpoint, from: Endpoint, bytes: Buffer) => void) {
    this.#received = received
  }

  at({ address, port }: Endpoint): Socket {
    const key = `${address}:${port}`
    let socket = this.#sockets.get(key)
    if (socket === undefined) {
      socket = createSocket({ type: 'udp4' })
      socket.on('error', () => {}) // a port that is closed on the other side
      socket.on('message', (bytes, from) => this.#received({ address, port }, from, bytes))
      socket.bind({ address, port, exclusive: true })
      this.#sockets.set(key, socket)
    }
    return socket
  }

  close(): void {
    for (const socket of this.#sockets.values()) socket.close()
    this.#sockets.clear()
  }
}
