/** Each of them in a body that must hold under all schedules, and in one like it that must not. */
import { describe, expect, it } from 'vitest'
import type { RaceContext } from './context.ts'
import type { RaceBody } from '../running/environment.ts'
import type { RaceFailure } from '../finding/failure.ts'
import { find, hold } from '../search/exploration.test-support.ts'
import { Channel } from './channel.ts'
import { Condition } from './condition.ts'
import { Mutex } from './mutex.ts'
import { Semaphore } from './semaphore.ts'
import { SharedAtomics } from './shared-atomics.ts'

const together = (t: RaceContext, ...works: readonly (() => unknown)[]): Promise<unknown> =>
  Promise.all(works.map((work, i) => t.task(`t${i}`, work)))

async function exhaust(body: RaceBody): Promise<string> {
  return (await hold(body, { strategy: 'dfs', iterations: 20_000 })).summary
}

async function failureOf(body: RaceBody): Promise<RaceFailure> {
  return (await find(body, { strategy: 'dfs', iterations: 20_000 })).failure
}

const HOLDS = /^all \d+ schedules hold$/

describe('a semaphore', () => {
  const users = (permits: number, most: number): RaceBody => {
    return async (t) => {
      const semaphore = new Semaphore(t, 'semaphore', permits)
      let inside = 0
      const use = async (): Promise<void> => {
        await semaphore.acquire()
        t.assert(++inside <= most, 'too many')
        await t.point('inside')
        inside--
        await semaphore.release()
      }
      await together(t, use, use, use)
    }
  }

  it('lets in as many as it has permits', async () => {
    expect(await exhaust(users(1, 1))).toMatch(HOLDS)
    expect((await failureOf(users(2, 1))).message).toBe('too many')
  })
})

describe('a condition', () => {
  const handover = (checks: boolean): RaceBody => {
    return async (t) => {
      const mutex = new Mutex(t, 'mutex')
      const changed = new Condition(t, 'changed')
      let ready = false
      const consumer = () =>
        mutex.runExclusive(async () => {
          if (!checks || !ready) await changed.wait(mutex)
        })
      const producer = () =>
        mutex.runExclusive(async () => {
          ready = true
          await changed.notifyOne()
        })
      await together(t, consumer, producer)
    }
  }

  it('loses a wake-up that comes before its wait', async () => {
    expect(await exhaust(handover(true))).toMatch(HOLDS)
    const { category, message } = await failureOf(handover(false))
    expect([category, message]).toEqual(['deadlock', expect.stringContaining('changed to be notified')])
  })
})

describe('a channel', () => {
  const senders = (from: number): RaceBody => {
    return async (t) => {
      const channel = new Channel<number>(t, 'channel')
      const received: number[] = []
      const send = (first: number) => async () => {
        await channel.send(first)
        await channel.send(first + 1)
      }
      const receive = async (): Promise<void> => {
        for (let i = 0; i < 2 * from; i++) received.push(await channel.receive())
      }
      await together(t, receive, ...[10, 20].slice(0, from).map(send))
      const sorted = [...received].sort((a, b) => a - b)
      t.assert(
        received.every((item, i) => item === sorted[i]),
        `not in order: ${received.join()}`,
      )
    }
  }

  it('keeps the order of one sender, and of no two', async () => {
    expect(await exhaust(senders(1))).toMatch(HOLDS)
    expect((await failureOf(senders(2))).message).toMatch(/^not in order/)
  })
})

describe('shared atomics', () => {
  const cells = (t: RaceContext): SharedAtomics =>
    new SharedAtomics(t, 'cells', new Int32Array(new SharedArrayBuffer(8)))

  it('do what Atomics does', async () => {
    const results: unknown[] = []
    await exhaust(async (t) => {
      const memory = new Int32Array(new SharedArrayBuffer(8))
      const shared = new SharedAtomics(t, 'cells', memory)
      results.length = 0
      results.push(
        await shared.store(1, 12),
        await shared.add(1, 3),
        await shared.sub(1, 1),
        await shared.and(1, 6),
        await shared.or(1, 9),
        await shared.xor(1, 5),
        await shared.exchange(1, 4),
        await shared.compareExchange(1, 4, 8),
        await shared.compareExchange(1, 4, 9),
        await shared.load(1),
        await shared.wait(1, 0),
        await shared.notify(1),
        [...memory],
      )
    })
    expect(results).toEqual([12, 12, 15, 14, 6, 15, 10, 4, 8, 8, 'not-equal', 0, [0, 8]])
  })

  it('lose nothing between a load and a store that are one', async () => {
    const counting = (add: (shared: SharedAtomics) => Promise<unknown>): RaceBody => {
      return async (t) => {
        const shared = cells(t)
        await together(
          t,
          () => add(shared),
          () => add(shared),
        )
        t.assert((await shared.load(0)) === 2, 'lost')
      }
    }
    expect(await exhaust(counting((shared) => shared.add(0, 1)))).toMatch(HOLDS)
    const inTwo = counting(async (shared) => shared.store(0, (await shared.load(0)) + 1))
    expect((await failureOf(inTwo)).message).toBe('lost')
  })

  it('wait until they are notified, in FIFO order, unless the value has changed', async () => {
    const lock = (wakes: boolean): RaceBody => {
      return async (t) => {
        const shared = cells(t)
        let inside = 0
        const use = async (): Promise<void> => {
          while ((await shared.compareExchange(0, 0, 1)) !== 0) await shared.wait(0, 1)
          t.assert(++inside === 1, 'two inside')
          await t.point('inside')
          inside--
          await shared.store(0, 0)
          if (wakes) await shared.notify(0, 1)
        }
        await together(t, use, use)
      }
    }
    expect(await exhaust(lock(true))).toMatch(HOLDS)
    const { category, message } = await failureOf(lock(false))
    expect([category, message]).toEqual(['deadlock', expect.stringContaining('cells[0] to be notified')])
  })

  it('count whom they wake', async () => {
    const counts: number[][] = []
    await exhaust(async (t) => {
      const shared = cells(t)
      const order: number[] = []
      const waiting = [0, 1, 2].map((i) =>
        t.task(`w${i}`, async () => {
          await t.hold(`turn ${i}`)
          const woken = shared.wait(0, 0).then(() => order.push(i))
          await t.point('waits')
          t.release(`turn ${i + 1}`)
          await woken
        }),
      )
      t.release('turn 0')
      await t.hold('turn 3')
      counts.push([await shared.notify(0, 1), await shared.notify(0), await shared.notify(0)])
      await Promise.all(waiting)
    }).catch(() => {})
    expect(counts.length).toBeGreaterThan(0)
    expect(Math.max(...counts.map(([first]) => first))).toBe(1)
    expect(counts).toContainEqual([1, 2, 0])
  })
})
