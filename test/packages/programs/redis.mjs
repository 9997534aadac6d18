import { once } from 'node:events'
import { createClient } from 'redis'
import { respServer } from '../support/resp-server.mjs'

const server = respServer().listen(0)
await once(server, 'listening')
const client = createClient({ url: `redis://127.0.0.1:${server.address().port}`, RESP: 2 })
client.on('error', (error) => console.log('error', error.message))
await client.connect()
await client.set('a', '1')
console.log(await Promise.all([client.get('a'), client.incr('n'), client.incr('n')]))
const subscriber = client.duplicate()
await subscriber.connect()
const heard = new Promise((resolve) => subscriber.subscribe('news', (text) => resolve(text)))
await new Promise((resolve) => setTimeout(resolve, 50))
await client.publish('news', 'hello')
console.log(await heard)
client.destroy()
subscriber.destroy()
server.close(() => console.log('closed'))
