/** A small RESP server: enough of Redis for its clients. */
import { createServer } from 'node:net'

export function respServer() {
  const data = new Map()
  const subscribers = new Map()
  const bulk = (text) => (text === null ? '$-1\r\n' : `$${Buffer.byteLength(text)}\r\n${text}\r\n`)
  const array = (items) =>
    `*${items.length}\r\n${items.map((item) => (typeof item === 'number' ? `:${item}\r\n` : bulk(item))).join('')}`
  const run = (socket, [command, ...args]) => {
    switch (command.toUpperCase()) {
      case 'PING':
        return '+PONG\r\n'
      case 'SET':
        data.set(args[0], args[1])
        return '+OK\r\n'
      case 'GET':
        return bulk(data.get(args[0]) ?? null)
      case 'INCR':
        data.set(args[0], String(Number(data.get(args[0]) ?? 0) + 1))
        return `:${data.get(args[0])}\r\n`
      case 'SUBSCRIBE':
        subscribers.set(args[0], [...(subscribers.get(args[0]) ?? []), socket])
        return array(['subscribe', args[0], 1])
      case 'UNSUBSCRIBE':
        return array(['unsubscribe', args[0], 0])
      case 'PUBLISH': {
        const listeners = subscribers.get(args[0]) ?? []
        for (const listener of listeners) listener.write(array(['message', args[0], args[1]]))
        return `:${listeners.length}\r\n`
      }
      case 'INFO':
        return bulk('redis_version:7.0.0\r\nloading:0\r\n')
      case 'CLIENT':
      case 'SELECT':
      case 'HELLO':
        return command.toUpperCase() === 'HELLO' ? '-ERR unknown command HELLO\r\n' : '+OK\r\n'
      case 'QUIT':
        socket.end('+OK\r\n')
        return ''
      default:
        return `-ERR unknown command '${command}'\r\n`
    }
  }
  return createServer((socket) => {
    let rest = ''
    socket.setEncoding('utf8')
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      rest += chunk
      for (;;) {
        const parts = rest.split('\r\n')
        const count = Number(parts[0].slice(1))
        if (rest === '' || parts.length < count * 2 + 2) return
        socket.write(
          run(
            socket,
            Array.from({ length: count }, (_, i) => parts[2 * i + 2]),
          ),
        )
        rest = parts.slice(count * 2 + 1).join('\r\n')
      }
    })
  })
}
