/** As much of a Redis server as publish and subscribe need. */
import { createServer } from 'node:net'

const subscribers = new Map()
const bulk = (text) => `$${Buffer.byteLength(text)}\r\n${text}\r\n`

const COMMANDS = {
  SUBSCRIBE(socket, [channel]) {
    subscribers.set(channel, (subscribers.get(channel) ?? new Set()).add(socket))
    socket.write(`*3\r\n${bulk('subscribe')}${bulk(channel)}:1\r\n`)
  },
  UNSUBSCRIBE(socket, [channel]) {
    subscribers.get(channel)?.delete(socket)
    socket.write(`*3\r\n${bulk('unsubscribe')}${bulk(channel)}:0\r\n`)
  },
  PUBLISH(socket, [channel, message]) {
    const listeners = subscribers.get(channel) ?? new Set()
    for (const listener of listeners)
      listener.write(`*3\r\n${bulk('message')}${bulk(channel)}${bulk(message)}`)
    socket.write(`:${listeners.size}\r\n`)
  },
}

createServer((socket) => {
  let received = ''
  socket.on('error', () => {})
  socket.on('data', (bytes) => {
    received += bytes
    for (;;) {
      const head = /^\*(\d+)\r\n/.exec(received)
      if (head === null) return
      let rest = received.slice(head[0].length)
      const words = []
      for (let i = 0; i < Number(head[1]); i++) {
        const length = /^\$(\d+)\r\n/.exec(rest)
        if (length === null) return
        const end = length[0].length + Number(length[1])
        if (rest.length < end + 2) return
        words.push(rest.slice(length[0].length, end))
        rest = rest.slice(end + 2)
      }
      received = rest
      COMMANDS[words[0].toUpperCase()](socket, words.slice(1))
    }
  })
}).listen(6379, () => console.log('listening'))
