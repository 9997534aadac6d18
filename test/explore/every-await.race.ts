/** Loaded by every-await.test.ts: a race whose awaits only stand for I/O. */
import { race } from 'wavetank/vitest'
import { InMemoryBank } from './in-memory-bank.ts'

race('the total is always the same', async (t) => {
  const bank = new InMemoryBank()
  const [, total] = await Promise.all([
    t.task('transfer', () => bank.transfer(10)),
    t.task('total', () => bank.total()),
  ])
  t.assert(total === 100, 'money was on its way')
})

race('the total after a transfer is the same', async (t) => {
  const bank = new InMemoryBank()
  await bank.transfer(10)
  t.assert((await bank.total()) === 100, 'money was on its way')
})
