const workerpool = require('workerpool')

async function main() {
  const pool = workerpool.pool({ maxWorkers: 2, workerType: 'thread' })
  console.log(await Promise.all([1, 2, 3].map((n) => pool.exec((x) => x * 10, [n]))))
  console.log(
    await pool
      .exec(() => {
        throw new Error('inside')
      })
      .catch((error) => error.message),
  )
  await pool.terminate()
  console.log('terminated')
}
main()
