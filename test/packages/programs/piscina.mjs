import { Piscina } from 'piscina'

const pool = new Piscina({
  filename: new URL('../support/square-worker.mjs', import.meta.url).href,
  minThreads: 1,
  maxThreads: 2,
  atomics: 'disabled',
})
console.log(await Promise.all([1, 2, 3].map((n) => pool.run(n))))
console.log(await pool.run(-1).catch((error) => error.message))
await pool.destroy()
console.log('destroyed')
