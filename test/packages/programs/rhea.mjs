import { once } from 'node:events'
import rhea from 'rhea'

const broker = rhea.create_container()
broker.on('message', ({ message, connection }) => {
  connection.open_sender(message.reply_to).send({ body: message.body.toUpperCase() })
})
const server = broker.listen({ port: 0, host: '127.0.0.1' })
await once(server, 'listening')
const container = rhea.create_container()
const connection = container.connect({ port: server.address().port, host: '127.0.0.1', reconnect: false })
container.on('receiver_open', ({ receiver }) => receiver.remote.attach && undefined)
connection.open_receiver('answers')
const sender = connection.open_sender('requests')
await once(sender, 'sendable')
sender.send({ body: 'hello amqp', reply_to: 'answers' })
const [{ message }] = await once(container, 'message')
console.log(message.body)
connection.close()
await once(connection, 'connection_close')
server.close(() => console.log('closed'))
