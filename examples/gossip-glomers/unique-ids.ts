/** Challenge 2: ids that are unique without any coordination: the name of the node and a counter. */
import { createNode } from 'wavetank/maelstrom'

const node = createNode()
let next = 0
node.on('generate', () => ({ type: 'generate_ok', id: `${node.id}-${next++}` }))
