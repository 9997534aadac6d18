import { Redis } from 'ioredis'
import { once } from 'node:events'
import { respServer } from '../support/resp-server.mjs'

const server = respServer().listen(0)
await once(server, 'listening')
const redis = new Redis(server.address().port, '127.0.0.1')
console.log(await redis.set('k', 'v'), await redis.get('k'), await redis.get('none'))
console.log(await redis.pipeline().incr('n').incr('n').get('n').exec())
const subscriber = redis.duplicate()
await subscriber.subscribe('news')
const message = once(subscriber, 'message')
console.log('receivers', await redis.publish('news', 'hello'))
console.log(await message)
console.log(await redis.call('NONSENSE').catch((error) => error.message))
redis.disconnect()
subscriber.disconnect()
server.close(() => console.log('closed'))
