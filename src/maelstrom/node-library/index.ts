/**
 * `wavetank/maelstrom`: a small library for nodes. It reads messages from stdin, hands them to handlers by type, matches
 * replies to requests, and keeps stdout for messages alone. It has no dependency and no state but that of its nodes.
 *
 * ```ts
 * const node = createNode()
 * node.on('echo', ({ body }) => ({ type: 'echo_ok', echo: body.echo }))
 * ```
 */
export { createNode, type Handler, type MaelstromNode, type RequestOptions } from './node.ts'
export { MaelstromError } from './maelstrom-error.ts'
export type { KeyValueStore } from './key-value-store.ts'
export type { Body, Message } from '../protocol/envelope.ts'
