// A TCP server that sends back whatever comes.
const net = require('node:net')

net
  .createServer((socket) => {
    socket.setNoDelay(true)
    socket.on('data', (bytes) => socket.write(bytes))
    socket.on('error', () => {})
  })
  .listen(Number(process.env.PORT), () => console.log('listening'))
