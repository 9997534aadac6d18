/** generic-pool: the documented end of a pool, drain and then clear, with resources that can be counted. */
import { open, writeFile } from 'node:fs/promises'
import { createPool } from 'generic-pool'
import { race } from 'wavetank/vitest'

race('nothing is left of a pool that was drained and cleared', async (t) => {
  await writeFile('/tmp/data', 'x')
  const alive = new Set()
  const factory = {
    async create() {
      const handle = await open('/tmp/data')
      alive.add(handle)
      return handle
    },
    async destroy(handle) {
      await handle.close()
      alive.delete(handle)
    },
  }
  const pool = createPool(factory, { min: 2, max: 3 })
  await t.task('user', () => pool.use((handle) => handle.stat()))
  await pool.drain()
  await pool.clear()
  t.assert(alive.size === 0, `${alive.size} resources are still open`)
})
