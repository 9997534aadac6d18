/** Socket.IO in a cluster of three workers, whose rooms are one; then one worker is killed. */
const cluster = require('node:cluster')
const { createServer } = require('node:http')
const { setTimeout: sleep } = require('node:timers/promises')
const { createAdapter, setupPrimary } = require('@socket.io/cluster-adapter')

const WORKERS = 3

async function primary() {
  setupPrimary()
  const listening = new Promise((resolve) => {
    let count = 0
    cluster.on('listening', () => ++count === WORKERS && resolve())
  })
  for (let i = 0; i < WORKERS; i++) cluster.fork()
  await listening
  const { io } = require('socket.io-client')
  const heard = []
  const connected = (n) =>
    new Promise((resolve) => {
      const socket = io('http://127.0.0.1:3000', { transports: ['websocket'] })
      socket.on('chat', (text) => heard.push(`${n} ${text}`))
      socket.on('connect', () => resolve(socket))
    })
  const clients = await Promise.all([0, 1, 2, 3].map(connected))
  clients[0].emit('chat', 'hello')
  await sleep(500)
  console.log(heard.sort(), await new Promise((resolve) => clients[1].emit('count', resolve)))
  const [first] = Object.values(cluster.workers)
  first.on('exit', (code, signal) => console.log('exit', code, signal))
  first.process.kill('SIGKILL')
  await sleep(10_000)
  console.log(clients.filter((client) => client.connected).length)
  process.exit()
}

function worker() {
  const { Server } = require('socket.io')
  const server = createServer()
  const io = new Server(server)
  io.adapter(createAdapter())
  io.on('connection', (socket) => {
    socket.on('chat', (text) => io.emit('chat', text))
    socket.on('count', async (answer) => answer((await io.fetchSockets()).length))
  })
  server.listen(3000, '127.0.0.1')
}

if (cluster.isPrimary) primary()
else worker()
