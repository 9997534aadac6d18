import { createServer } from 'node:http'
import { once } from 'node:events'
import { Server } from 'socket.io'
import { io } from 'socket.io-client'

const http = createServer()
const server = new Server(http)
server.on('connection', (socket) => {
  socket.join('room')
  socket.on('add', (a, b, reply) => reply(a + b))
  socket.on('shout', (text) => server.to('room').emit('heard', text.toUpperCase()))
})
http.listen(0)
await once(http, 'listening')
const url = `http://127.0.0.1:${http.address().port}`
for (const transports of [['polling', 'websocket'], ['websocket']]) {
  const client = io(url, { transports, forceNew: true })
  await once(client, 'connect')
  console.log(await client.emitWithAck('add', 2, 3))
  const heard = once(client, 'heard')
  client.emit('shout', 'hey')
  console.log((await heard)[0])
  client.disconnect()
}
server.close(() => console.log('closed'))
