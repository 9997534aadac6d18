/** cockatiel: a bulkhead in front of a slow store, used by callers of whom one may lose patience. */
import { readFile, writeFile } from 'node:fs/promises'
import { bulkhead } from 'cockatiel'
import { race } from 'wavetank/vitest'

race('every call through a bulkhead ends', async (t) => {
  await writeFile('/tmp/page', 'hello')
  const policy = bulkhead(1, 10)
  const read = () => readFile('/tmp/page', 'utf8')
  const impatient = new AbortController()
  setTimeout(() => impatient.abort(), 1)
  await Promise.allSettled([
    t.task('a', () => policy.execute(read)),
    t.task('impatient', () => policy.execute(read, impatient.signal)),
    t.task('b', () => policy.execute(read)),
  ])
})
