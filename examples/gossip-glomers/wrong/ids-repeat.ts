/** Wrong: every node counts for itself, and the ids do not say which node it was. */
import { createNode } from 'wavetank/maelstrom'

let next = 0
createNode().on('generate', () => ({ type: 'generate_ok', id: next++ }))
