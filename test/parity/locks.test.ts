/** `navigator.locks`, of Node 24 and later: who gets a lock when, what is stolen or given up, and threads among each other. */
import { describe } from 'vitest'
import { same } from './parity.ts'

describe('locks', () => {
  same('are granted in order, shared ones together', async (log) => {
    const locks = (globalThis as any).navigator?.locks
    if (locks === undefined) return log('Node has no locks yet')
    const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
    const hold = (name: string, mode: string, label: string, ms: number) =>
      locks.request(name, { mode }, async (lock: any) => {
        log(label, lock.name, lock.mode)
        await wait(ms)
        log(label, 'done')
        return label
      })
    const all = [
      hold('a', 'shared', 'first', 40),
      hold('a', 'shared', 'second', 20),
      hold('a', 'exclusive', 'third', 20),
      hold('a', 'shared', 'fourth', 20),
      hold('b', 'exclusive', 'other', 10),
    ]
    const { held, pending } = await locks.query()
    const told = (list: any[]) => list.map(({ name, mode }) => `${name} ${mode}`).sort()
    log(told(held), told(pending))
    log(await Promise.all(all), await locks.query())
  })

  same('are available or not, stolen, given up and kept by who throws', async (log) => {
    const locks = (globalThis as any).navigator?.locks
    if (locks === undefined) return log('Node has no locks yet')
    const told = ({ name, message }: any) => log(name, message)
    let free: (value?: unknown) => void = () => {}
    const first = locks.request('a', () => new Promise((resolve) => (free = resolve)))
    log(await locks.request('a', { ifAvailable: true }, (lock: unknown) => [lock, 'none']))
    const controller = new AbortController()
    const given = locks.request('a', { signal: controller.signal }, () => log('never')).catch(told)
    controller.abort()
    await given
    first.catch(told)
    log(await locks.request('a', { steal: true }, () => 'stolen'))
    free('too late')
    await locks
      .request('b', () => {
        throw new Error('at once')
      })
      .catch(told)
    await locks.request('c', () => Promise.reject(new Error('later'))).catch(told)
    const { held } = await locks.query()
    log(held.map(({ name }: any) => name))
    for (const wrong of [
      () => locks.request('-a', () => {}),
      () => locks.request('a', { mode: 'odd' }, () => {}),
      () => locks.request('a', { steal: true, ifAvailable: true }, () => {}),
      () => locks.request('a'),
    ]) {
      await wrong().catch(told)
    }
  })

  same('are the process’s: a thread waits for another', async (log, require) => {
    const { Worker, isMainThread, parentPort } = require('node:worker_threads')
    const locks = (globalThis as any).navigator?.locks
    if (locks === undefined) return log('Node has no locks yet')
    if (!isMainThread) {
      await locks.request('a', () => parentPort.postMessage('the thread has it'))
      return undefined
    }
    await locks.request('a', async () => {
      const worker = new Worker(process.argv[1])
      worker.on('message', log)
      worker.on('exit', (code: number) => log('exit', code))
      await new Promise((resolve) => worker.on('online', resolve))
      await new Promise((resolve) => setTimeout(resolve, 50))
      log('the main thread lets go')
    })
    return undefined
  })
})
