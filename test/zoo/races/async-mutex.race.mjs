/** async-mutex: "acquire, then release in a finally", by three writers of one counter in a file. */
import { readFile, writeFile } from 'node:fs/promises'
import { Mutex } from 'async-mutex'
import { race } from 'wavetank/vitest'

race('every writer gets its turn', async (t) => {
  const mutex = new Mutex()
  await writeFile('/tmp/counter', '0')
  const increment = async () => {
    await mutex.acquire()
    try {
      await writeFile('/tmp/counter', String(Number(await readFile('/tmp/counter', 'utf8')) + 1))
    } finally {
      mutex.release()
    }
  }
  await Promise.all(['a', 'b', 'c'].map((name) => t.task(name, increment)))
  t.assert((await readFile('/tmp/counter', 'utf8')) === '3', 'an update was lost')
})
