/** sequelize-pool: users of a small pool, one of whom finds its resource broken and destroys it while others wait. */
import { open, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'sequelize-pool'
import { race } from 'wavetank/vitest'

race('a destroyed resource is handed to nobody', async (t) => {
  await writeFile('/tmp/data', 'x')
  const destroyed = new Set()
  const pool = new Pool({
    name: 'files',
    create: () => open('/tmp/data'),
    destroy(handle) {
      destroyed.add(handle)
      return handle.close()
    },
    validate: (handle) => handle.fd >= 0,
    max: 2,
    min: 0,
    idleTimeoutMillis: 20,
    acquireTimeoutMillis: 60_000,
    reapIntervalMillis: 10,
  })
  const use = async (name, broken) => {
    const handle = await pool.acquire()
    t.assert(!destroyed.has(handle), `${name} was given a destroyed resource`)
    await handle.stat()
    if (broken) await pool.destroy(handle)
    else pool.release(handle)
    await sleep(15)
  }
  await Promise.all(
    ['a', 'b', 'c', 'd'].map((name, i) =>
      t.task(name, async () => {
        await use(name, i === 0)
        await use(name, i === 1)
      }),
    ),
  )
  await pool.drain()
  await pool.destroyAllNow()
})
