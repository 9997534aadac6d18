/** cache-manager: a cache near the code in front of a larger one, asked for the same key by several readers. */
import { readFile, writeFile } from 'node:fs/promises'
import { createCache } from 'cache-manager'
import { race } from 'wavetank/vitest'

race('a cache in front of a cache answers', async (t) => {
  await writeFile('/tmp/user-1', 'Ada')
  const [near, far] = [createCache({ ttl: 1_000 }), createCache({ ttl: 60_000 })]
  const user = () => near.wrap('user-1', () => far.wrap('user-1', () => readFile('/tmp/user-1', 'utf8')))
  const names = await Promise.all([t.task('a', user), t.task('b', user)])
  t.assert(names.join() === 'Ada,Ada', `read ${names.join()}`)
})
