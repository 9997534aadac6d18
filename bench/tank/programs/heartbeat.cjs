// One of several peers that tell each other every 50 ms that they are there.
const net = require('node:net')

const peers = process.env.PEERS.split(',').filter((peer) => peer !== process.env.SELF)
const lastSeen = new Map()

net
  .createServer((socket) => {
    socket.setEncoding('utf8')
    let rest = ''
    socket.on('data', (text) => {
      const lines = (rest + text).split('\n')
      rest = lines.pop()
      for (const line of lines) lastSeen.set(JSON.parse(line).from, Date.now())
    })
  })
  .listen(7000, () => {
    for (const peer of peers) {
      const socket = net.connect(7000, peer)
      socket.on('error', () => {})
      setInterval(() => socket.write(`${JSON.stringify({ from: process.env.SELF, at: Date.now() })}\n`), 50)
    }
  })

setInterval(() => {
  for (const peer of peers) {
    if (Date.now() - (lastSeen.get(peer) ?? 0) > 1000) throw new Error(`${peer} is silent`)
  }
}, 5000)
