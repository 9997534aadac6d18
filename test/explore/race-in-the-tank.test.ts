/**
 * Races in the tank, as a user writes them: the code under test is imported at the top of the file and uses files,
 * sockets and timers without any wrapper.
 */
import { once } from 'node:events'
import { readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, describe } from 'vitest'
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
  await server.printed('listening')
  const socket = connect(7000, 'echo')
  socket.end('hello')
  const [bytes] = await once(socket, 'data')
  t.assert(String(bytes) === 'hello', `got ${String(bytes)}`)
})

race('a server that was started again is ready when it says so again', { iterations: 10 }, async (t) => {
  const server = t.process('./echo-server.ts', { name: 'echo' })
  await server.printed('listening')
  server.kill()
  server.start()
  await server.printed('listening')
  const socket = connect(7000, 'echo')
  socket.end('hello')
  t.assert(String(await once(socket, 'data')) === 'hello', 'no echo')
})

race('answers to fetch are numbered', { iterations: 10 }, async (t) => {
  const server = t.process('./http-counter.ts', { name: 'counter' })
  await server.printed('listening')
  const ask = async () => Number(await (await fetch('http://counter:8080/')).text())
  const numbers = await Promise.all([ask(), ask()])
  t.assert(numbers.toSorted((a, b) => a - b).join() === '1,2', `got ${numbers.join()}`)
})

race('a worker answers', { iterations: 10 }, async (t) => {
  const worker = new Worker(new URL('./square-worker.mjs', import.meta.url))
  worker.postMessage(7)
  const [square] = (await once(worker, 'message')) as [number]
  t.assert(square === 49, `got ${square}`)
  await worker.terminate()
})

race('a renamed file is the old one or the new one', { iterations: 20 }, async (t) => {
  await writeFile('/tmp/settings', 'old')
  const [seen] = await Promise.all([
    t.task('reader', () => readFile('/tmp/settings', 'utf8')),
    t.task('writer', async () => {
      await writeFile('/tmp/settings.new', 'new')
      await rename('/tmp/settings.new', '/tmp/settings')
    }),
  ])
  t.assert(seen === 'old' || seen === 'new', `read "${seen}"`)
})

race.each(['a', 'b'])('file %s is there', { iterations: 3 }, async (t, name) => {
  await writeFile(`/tmp/only-${name}`, '')
  const found = (await readdir('/tmp')).filter((file) => file.startsWith('only-'))
  t.assert(found.join() === `only-${name}`, `there is ${found.join()}`)
})

describe('in a group with hooks', () => {
  const done: string[] = []
  beforeEach(() => void done.push('before'))
  afterEach(() => void done.push('after'))

  race('hooks run inside, anew for each schedule', { iterations: 5 }, (t) => {
    t.assert(done.join() === 'before', `hooks did ${done.join()}`)
  })
})

race.skip('what is skipped is not run', (t) => t.assert(false, 'it ran'))
