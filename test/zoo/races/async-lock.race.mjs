/** async-lock: "locks several keys at once"; transfers over two accounts, whose keys are kept in one list. */
import { readFile, writeFile } from 'node:fs/promises'
import AsyncLock from 'async-lock'
import { race } from 'wavetank/vitest'

race('every transfer gets its two locks', async (t) => {
  const lock = new AsyncLock()
  const accounts = ['savings', 'checking']
  for (const account of accounts) await writeFile(`/tmp/${account}`, '100')
  const add = async (account, amount) => {
    const balance = Number(await readFile(`/tmp/${account}`, 'utf8'))
    await writeFile(`/tmp/${account}`, String(balance + amount))
  }
  const transfer = () =>
    lock.acquire(accounts, async () => {
      await add('savings', -10)
      await add('checking', 10)
    })
  await Promise.all([t.task('a', transfer), t.task('b', transfer), t.task('c', transfer)])
  t.assert((await readFile('/tmp/savings', 'utf8')) === '70', 'money was lost')
})
