/**
 * Loopback addresses of one run. The run owns the block 127.B.0.0/16; the third number says who looks, the fourth whom
 * they see: node 3 knows node 5 as 127.B.3.5, where the proxy listens, and node 5 itself listens on 127.B.5.5. So an
 * address names a directed link, and a link can be cut one way. The clients look from 254. Programs that must give one
 * address of a node to all others (etcd, Redis) use 127.B.0.5; there the proxy finds out who calls by the owner of the
 * socket (`socket-owner.ts`).
 *
 * A block is taken by a listener at its last address: the kernel gives it back when the process ends, however it ends.
 */
import { createServer, type Server } from 'node:net'
import { UsageError } from '../../kernel/errors.ts'

export const CLIENTS = 254
export const ANYONE = 0
const MOST_NODES = 200
const FIRST_BLOCK = 16
const LAST_BLOCK = 249
const LOCK_PORT = 40_047

export class AddressPlan {
  readonly block: number
  readonly #lock: Server

  private constructor(block: number, lock: Server) {
    this.block = block
    this.#lock = lock
  }

  /** Takes the first free block from a starting point on. */
  static async take(start = Math.floor(Math.random() * (LAST_BLOCK - FIRST_BLOCK))): Promise<AddressPlan> {
    const blocks = LAST_BLOCK - FIRST_BLOCK + 1
    for (let offset = 0; offset < blocks; offset++) {
      const block = FIRST_BLOCK + ((start + offset) % blocks)
      const lock = await listenAt(`127.${block}.255.254`)
      if (lock !== null) return new AddressPlan(block, lock)
    }
    throw new UsageError(
      'ERR_WAVETANK_ADDRESSES',
      'wavetank real: no block of loopback addresses is free; this machine needs all of 127.0.0.0/8 on its loopback interface (Linux has it), and other runs may hold the rest',
    )
  }

  /** The address under which `viewer` knows the node of this number; both from 1. */
  seen(viewer: number, node: number): string {
    return `127.${this.block}.${viewer}.${node}`
  }

  /** The address at which a node itself listens. */
  own(node: number): string {
    return this.seen(node, node)
  }

  /** Whom an address of this block connects. */
  parse(address: string): { readonly viewer: number; readonly node: number } | null {
    const [first, block, viewer, node] = address.split('.').map(Number)
    return first === 127 && block === this.block ? { viewer, node } : null
  }

  release(): void {
    this.#lock.close()
  }
}

/** Refuses clusters that do not fit into a block. */
export function checkNodeCount(count: number): void {
  if (count <= MOST_NODES) return
  throw new UsageError('ERR_WAVETANK_NODES', `wavetank real: at most ${MOST_NODES} nodes, not ${count}`)
}

function listenAt(address: string): Promise<Server | null> {
  return new Promise((resolve) => {
    const server = createServer()
    server.unref()
    server.once('error', () => resolve(null))
    server.listen({ host: address, port: LOCK_PORT, exclusive: true }, () => resolve(server))
  })
}
