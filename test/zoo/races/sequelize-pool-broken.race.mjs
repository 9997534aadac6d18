/** sequelize-pool: a connection breaks and is destroyed; there is room for another, and somebody waits. */
import { open, writeFile } from 'node:fs/promises'
import { Pool } from 'sequelize-pool'
import { race } from 'wavetank/vitest'

race('whoever waits takes the place of what was destroyed', async (t) => {
  await writeFile('/tmp/data', 'x')
  const pool = new Pool({
    name: 'files',
    create: () => open('/tmp/data'),
    destroy: (handle) => handle.close(),
    validate: (handle) => handle.fd >= 0,
    max: 2,
    min: 0,
    acquireTimeoutMillis: 60_000,
  })
  const use = async (broken) => {
    const handle = await pool.acquire()
    await handle.stat()
    if (broken) await pool.destroy(handle)
    else pool.release(handle)
  }
  await Promise.all(['a', 'b', 'c', 'd'].map((name, i) => t.task(name, () => use(i < 2))))
  await pool.drain()
  await pool.destroyAllNow()
})
