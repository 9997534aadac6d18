/** Challenge 1: a node that echoes. `npx wavetank maelstrom test -w echo --bin echo.ts --node-count 1 --time-limit 10` */
import { createNode } from 'wavetank/maelstrom'

const node = createNode()
node.on('echo', ({ body }) => ({ type: 'echo_ok', echo: body.echo }))
