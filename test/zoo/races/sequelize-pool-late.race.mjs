/** sequelize-pool: users who do not wait longer for a resource than they are willing to. */
import { open, writeFile } from 'node:fs/promises'
import { Pool, TimeoutError } from 'sequelize-pool'
import { race } from 'wavetank/vitest'

race('what nobody holds is not in use', async (t) => {
  await writeFile('/tmp/data', 'x')
  const pool = new Pool({
    name: 'files',
    create: () => open('/tmp/data'),
    destroy: (handle) => handle.close(),
    validate: (handle) => handle.fd >= 0,
    max: 2,
    min: 0,
    acquireTimeoutMillis: 500,
  })
  const use = async () => {
    const handle = await pool.acquire().catch((error) => {
      if (!(error instanceof TimeoutError)) throw error
    })
    if (handle === undefined) return // later, then
    await handle.stat()
    pool.release(handle)
  }
  await Promise.all(['a', 'b', 'c'].map((name) => t.task(name, use)))
  await pool.drain()
  t.assert(pool.using === 0, `${pool.using} are still in use`)
  await pool.destroyAllNow()
})
