/** A race with a bug: loaded by race.test.ts, never by the test runner itself. */
import { race } from 'wavetank/vitest'
import { AccountFile } from './account-file.ts'

race('two deposits are both kept', async (t) => {
  const account = new AccountFile('/tmp/account.json')
  await account.create(0)
  await Promise.all([t.task('a', () => account.deposit(1)), t.task('b', () => account.deposit(1))])
  t.assert((await account.balance()) === 2, 'a deposit was lost')
})
