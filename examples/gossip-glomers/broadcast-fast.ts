/**
 * Challenge 3d: broadcast to 25 nodes in at most four hops. Nodes form a tree of depth two, whatever topology is
 * suggested. A message crosses each edge once and at once; acknowledgements are collected.
 */
import { createNode } from 'wavetank/maelstrom'
import { reliableBroadcast } from './reliable-broadcast.ts'
import { tree } from './tree.ts'

const node = createNode()
reliableBroadcast(node, { neighbours: () => tree(node.ids, node.id), batchMs: 0, acknowledgeMs: 500 })
