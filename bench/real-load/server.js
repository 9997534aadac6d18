// A register over TCP, in memory, one line per request: what a load generator is measured against.
import { createServer } from 'node:net'

let value = 0
createServer({ noDelay: true }, (socket) => {
  socket.on('error', () => {})
  socket.on('data', (bytes) => {
    for (const line of bytes.toString('latin1').split('\n')) {
      if (line.startsWith('w')) value = Number(line.slice(1))
      if (line !== '') socket.write(`${value}\n`)
    }
  })
}).listen(7000)
