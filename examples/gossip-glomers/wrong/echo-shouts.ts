/** Wrong: it echoes something else. */
import { createNode } from 'wavetank/maelstrom'

createNode().on('echo', ({ body }) => ({ type: 'echo_ok', echo: String(body.echo).toUpperCase() }))
