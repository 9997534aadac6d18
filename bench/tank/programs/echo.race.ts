/** A race of a client with a server in a process of its own: what an exploration with real sockets costs. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { race } from 'wavetank/vitest'

race('an echo comes back', async (t) => {
  const server = t.process('./ping-server.cjs', { name: 'echo', env: { PORT: '7000' } })
  await server.printed('listening')
  const socket = connect(7000, server.name)
  socket.write('hello')
  const [bytes] = await once(socket, 'data')
  t.assert(String(bytes) === 'hello')
})
