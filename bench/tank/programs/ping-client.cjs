// Sends a message, waits for its echo, sends the next: first to warm up, then to be measured.
const net = require('node:net')

const warm = Number(process.env.WARM)
const count = Number(process.env.COUNT)
const message = Buffer.alloc(100, 'm')

const socket = net.connect(Number(process.env.PORT), process.env.SERVER)
socket.setNoDelay(true)
let received = 0
let echoes = 0
socket.on('connect', () => socket.write(message))
socket.on('data', (bytes) => {
  received += bytes.length
  if (received < message.length) return
  received -= message.length
  echoes++
  if (echoes === warm) console.log('start')
  if (echoes === warm + count) {
    console.log('done')
    socket.end()
  } else socket.write(message)
})
