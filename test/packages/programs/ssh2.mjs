/** An SSH server and client: key exchange, a signature, a command. */
import ssh2 from 'ssh2'

const { Client, Server, utils } = ssh2
const hostKey = utils.generateKeyPairSync('ed25519')
const userKey = utils.generateKeyPairSync('ed25519')
const allowed = utils.parseKey(userKey.public)

const server = new Server({ hostKeys: [hostKey.private] }, (client) => {
  client.on('authentication', (context) => {
    if (context.method !== 'publickey') context.reject(['publickey'])
    else if (context.signature && !allowed.verify(context.blob, context.signature, context.hashAlgo))
      context.reject()
    else context.accept()
  })
  client.on('session', (accept) => {
    accept().on('exec', (accepted, _, { command }) => {
      const stream = accepted()
      stream.write(`ran ${command}`)
      stream.exit(3)
      stream.end()
    })
  })
})
await new Promise((resolve) => server.listen(2222, '127.0.0.1', resolve))
const client = new Client()
await new Promise((resolve, reject) => {
  client.on('ready', resolve).on('error', reject)
  client.connect({ host: '127.0.0.1', port: 2222, username: 'me', privateKey: userKey.private })
})
client.exec('uptime', (_, stream) => {
  let text = ''
  stream.on('data', (chunk) => (text += chunk))
  stream.on('close', (code) => {
    console.log(text, code)
    client.end()
    server.close(() => console.log('closed'))
  })
})
