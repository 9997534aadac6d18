/** @node-redis/client: one client subscribes and unsubscribes while another publishes. */
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from 'redis-client'
import { race } from 'wavetank/vitest'

race('a subscriber may leave at any time', async (t) => {
  const server = t.process('../servers/redis.mjs', { name: 'redis' })
  while (!server.output.includes('listening')) await sleep(5)
  const [subscriber, publisher] = [1, 2].map(() => createClient({ socket: { host: 'redis' } }))
  await Promise.all([subscriber.connect(), publisher.connect()])
  const heard = []
  await subscriber.subscribe('news', (message) => heard.push(message))
  await Promise.all([
    t.task('publisher', async () => {
      await publisher.publish('news', '1')
      await publisher.publish('news', '2')
    }),
    t.task('subscriber', () => subscriber.unsubscribe('news')),
  ])
  t.assert(heard.join() === '1,2'.slice(0, heard.join().length), `heard ${heard.join()}`)
})
