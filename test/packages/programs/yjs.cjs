const http = require('node:http')
const WebSocket = require('ws')
const Y = require('yjs')
const { WebsocketProvider } = require('y-websocket')
const { setupWSConnection } = require('y-websocket/bin/utils')

const server = http.createServer()
const sockets = new WebSocket.Server({ server })
sockets.on('connection', (socket, request) => setupWSConnection(socket, request))
server.listen(0, async () => {
  const url = `ws://127.0.0.1:${server.address().port}`
  const peers = [1, 2].map((id) => {
    const doc = new Y.Doc()
    doc.clientID = id
    return {
      doc,
      provider: new WebsocketProvider(url, 'room', doc, { WebSocketPolyfill: WebSocket, disableBc: true }),
    }
  })
  await Promise.all(peers.map(({ provider }) => new Promise((resolve) => provider.once('sync', resolve))))
  peers[0].doc.getText('t').insert(0, 'hello')
  await new Promise((resolve) => setTimeout(resolve, 200))
  peers[1].doc.getText('t').insert(5, ' world')
  peers[0].doc.getMap('m').set('k', 1)
  await new Promise((resolve) => setTimeout(resolve, 200))
  console.log(peers.map(({ doc }) => [doc.getText('t').toString(), doc.getMap('m').get('k')]))
  for (const { provider, doc } of peers) {
    provider.destroy()
    doc.destroy()
  }
  for (const socket of sockets.clients) socket.terminate()
  sockets.close()
  server.close(() => {
    console.log('closed')
    process.exit(0)
  })
})
