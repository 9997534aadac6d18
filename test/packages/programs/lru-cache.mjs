import { LRUCache } from 'lru-cache'
import { setTimeout as sleep } from 'node:timers/promises'

const cache = new LRUCache({ max: 2, ttl: 50, fetchMethod: async (key) => `fetched ${key}` })
cache.set('a', 1)
cache.set('b', 2)
cache.get('a')
cache.set('c', 3)
console.log([...cache.keys()])
await sleep(100)
console.log(cache.get('a'), await cache.fetch('z'))
