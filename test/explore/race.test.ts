/**
 * Races in the tank, as a user writes them: the code under test is imported at the top of the file and uses files,
 * sockets and timers without any wrapper.
 */
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { race } from 'wavetank/vitest'
import { AccountFile } from './account-file.ts'

race('deposits one after another are both kept', { iterations: 30 }, async (t) => {
  const account = new AccountFile('/tmp/account.json')
  await account.create(0)
  await account.deposit(1)
  await account.deposit(1)
  t.assert((await account.balance()) === 2, 'a deposit was lost')
})

race('an echo comes back', { iterations: 20 }, async (t) => {
  const server = t.process('./echo-server.ts', { name: 'echo' })
  while (!server.output.includes('listening')) await sleep(10)
  const socket = connect(7000, 'echo')
  socket.end('hello')
  const [bytes] = await once(socket, 'data')
  t.assert(String(bytes) === 'hello', `got ${String(bytes)}`)
})
