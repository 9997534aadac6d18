/**
 * Broadcast along the edges of a graph, in batches, until each neighbour has acknowledged. Acknowledgements ride on
 * batches that go the other way; what is left of them goes in one message now and then.
 */
import type { MaelstromNode } from 'wavetank/maelstrom'

export interface BroadcastOptions {
  /** Called once the node has its name. */
  readonly neighbours: () => readonly string[]
  /** Milliseconds for which a message waits for others that go the same way; 0 sends at once. */
  readonly batchMs: number
  /** Milliseconds after which batches are acknowledged; those that are not are sent again after twice the time. */
  readonly acknowledgeMs: number
}

class Edge {
  readonly neighbour: string
  readonly #node: MaelstromNode
  /** Messages that wait for the next batch. */
  #next: unknown[] = []
  /** Messages that were sent, by when, and have not been acknowledged. */
  readonly #sent = new Map<unknown, number>()
  /** Messages of the neighbour that have not been acknowledged to it. */
  #received: unknown[] = []

  constructor(node: MaelstromNode, neighbour: string) {
    this.#node = node
    this.neighbour = neighbour
  }

  add(message: unknown): void {
    this.#next.push(message)
  }

  flush(): void {
    if (this.#next.length === 0) return
    const now = Date.now()
    for (const message of this.#next) this.#sent.set(message, now)
    this.#node.send(this.neighbour, { type: 'gossip', messages: this.#next, seen: this.#received })
    this.#next = []
    this.#received = []
  }

  receive(messages: readonly unknown[], seen: readonly unknown[]): void {
    this.#received.push(...messages)
    for (const message of seen) this.#sent.delete(message)
  }

  acknowledge(): void {
    if (this.#received.length === 0) return
    this.#node.send(this.neighbour, { type: 'gossip', messages: [], seen: this.#received })
    this.#received = []
  }

  retry(olderThanMs: number): void {
    const now = Date.now()
    for (const [message, at] of this.#sent) if (now - at >= olderThanMs) this.#next.push(message)
    this.flush()
  }
}

export function reliableBroadcast(
  node: MaelstromNode,
  { neighbours, batchMs, acknowledgeMs }: BroadcastOptions,
): void {
  const seen = new Set<unknown>()
  const edges = new Map<string, Edge>()

  const learn = (messages: readonly unknown[], from: string): void => {
    for (const message of messages) {
      if (seen.has(message)) continue
      seen.add(message)
      for (const edge of edges.values()) if (edge.neighbour !== from) edge.add(message)
    }
    if (batchMs === 0) for (const edge of edges.values()) edge.flush()
  }

  node.onInit(() => {
    for (const neighbour of neighbours()) edges.set(neighbour, new Edge(node, neighbour))
  })
  node.on('topology', () => ({ type: 'topology_ok' }))
  node.on('broadcast', ({ src, body }) => {
    learn([body.message], src)
    return { type: 'broadcast_ok' }
  })
  node.on('gossip', ({ src, body }) => {
    const messages = body.messages as unknown[]
    edges.get(src)?.receive(messages, body.seen as unknown[])
    learn(messages, src)
  })
  node.on('read', () => ({ type: 'read_ok', messages: [...seen] }))

  if (batchMs > 0) {
    setInterval(() => {
      for (const edge of edges.values()) edge.flush()
    }, batchMs)
  }
  setInterval(() => {
    for (const edge of edges.values()) {
      edge.retry(2 * acknowledgeMs)
      edge.acknowledge()
    }
  }, acknowledgeMs)
}
