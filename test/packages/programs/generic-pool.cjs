const { createPool } = require('generic-pool')

async function main() {
  let made = 0
  const pool = createPool(
    { create: async () => ({ id: ++made }), destroy: async () => {} },
    { max: 2, acquireTimeoutMillis: 50 },
  )
  const [a, b] = await Promise.all([pool.acquire(), pool.acquire()])
  console.log(a.id, b.id, pool.pending)
  console.log(await pool.acquire().catch((error) => error.name))
  const waiting = pool.acquire()
  await pool.release(a)
  console.log((await waiting).id, made)
  await pool.release(b)
  await pool.release(a)
  await pool.drain()
  await pool.clear()
  console.log('drained', pool.size)
}
main()
