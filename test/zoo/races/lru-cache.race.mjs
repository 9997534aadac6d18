/** lru-cache: a cache that fetches what it has not, and somebody who only peeks. */
import { readFile, writeFile } from 'node:fs/promises'
import LRU from 'lru-cache'
import { race } from 'wavetank/vitest'

race('a peek sees a value or nothing', async (t) => {
  await writeFile('/tmp/user', 'Ada')
  const cache = new LRU({ max: 10, ttl: 1_000, fetchMethod: (key) => readFile(`/tmp/${key}`, 'utf8') })
  const reader = t.task('reader', () => cache.fetch('user'))
  const onlooker = t.task('onlooker', async () => {
    await readFile('/tmp/user')
    const seen = cache.peek('user')
    t.assert(seen === undefined || seen === 'Ada', `peek gave ${Object.prototype.toString.call(seen)}`)
  })
  await Promise.all([reader, onlooker])
})
