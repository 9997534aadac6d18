import Tinypool from 'tinypool'

const pool = new Tinypool({
  filename: new URL('../support/square-worker.mjs', import.meta.url).href,
  minThreads: 1,
  maxThreads: 2,
  useAtomics: false,
})
console.log(await Promise.all([1, 2, 3, 4].map((n) => pool.run(n))))
console.log(await pool.run(-1).catch((error) => error.message))
await pool.destroy()
console.log('destroyed')
