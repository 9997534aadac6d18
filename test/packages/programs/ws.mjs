import { once } from 'node:events'
import { WebSocket, WebSocketServer } from 'ws'

const server = new WebSocketServer({ port: 0, perMessageDeflate: true })
await once(server, 'listening')
server.on('connection', (socket) => {
  socket.on('message', (data, binary) => socket.send(binary ? data : `echo ${data}`, { binary }))
  socket.on('close', (code, reason) => {
    console.log('server saw close', code, String(reason))
    server.close(() => console.log('closed'))
  })
})
const client = new WebSocket(`ws://127.0.0.1:${server.address().port}`)
await once(client, 'open')
client.send('hello')
console.log(String((await once(client, 'message'))[0]))
client.send('x'.repeat(100_000))
console.log(String((await once(client, 'message'))[0]).length)
client.send(Buffer.from([1, 2, 3]))
console.log((await once(client, 'message'))[0])
client.ping('p')
console.log('pong', String((await once(client, 'pong'))[0]))
client.close(4000, 'done')
