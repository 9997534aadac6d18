import { describe, expect, it } from 'vitest'
import { bareEnvironment, type RaceBody } from '../running/environment.ts'
import { exploreClosure } from './closure.ts'
import { NO_COVERAGE } from './coverage.ts'
import { exploreProgram } from './exploration.ts'
import { find, hold } from './exploration.test-support.ts'
import type { ShareThreads } from './shares.ts'
import { Mutex } from '../authoring/mutex.ts'
import { SharedCell } from '../authoring/shared-cell.ts'
import type { RaceProgram } from '../running/program.ts'
import { RaceRun } from '../running/race-run.ts'
import { dfs, random, STRATEGIES, type StrategyName } from './strategies/index.ts'

const lostUpdate: RaceBody = async (t) => {
  const balance = new SharedCell(t, 'balance', 0)
  const deposit = async () => balance.set((await balance.get()) + 1)
  await Promise.all([t.task('a', deposit), t.task('b', deposit)])
  t.assert(balance.peek() === 2, 'a deposit was lost')
}

const lockedUpdate: RaceBody = async (t) => {
  const balance = new SharedCell(t, 'balance', 0)
  const mutex = new Mutex(t, 'mutex')
  const deposit = () => mutex.runExclusive(async () => balance.set((await balance.get()) + 1))
  await Promise.all([t.task('a', deposit), t.task('b', deposit)])
  t.assert(balance.peek() === 2, 'a deposit was lost')
}

const programOf = (body: RaceBody): RaceProgram => {
  const environment = bareEnvironment(body)
  return (schedule) =>
    new RaceRun({ ...schedule, environment, maxSteps: 10_000, latenessUs: 1_000_000 }).execute()
}

const NO_THREADS: ShareThreads = {
  every: (_, callback) => (callback(), () => {}),
  start: () => {
    throw new Error('a thread was started')
  },
}

describe('an exploration', () => {
  // The rarest finder needs 5 schedules on average: missing it in 500 has a probability below 1e-40.
  it.each(Object.keys(STRATEGIES) as StrategyName[])('finds a lost update by %s', async (strategy) => {
    const { failure } = await find(lostUpdate, { strategy })
    expect(failure.category).toBe('assertion')
    expect(failure.message).toBe('a deposit was lost')
  })

  it('finds nothing where there is nothing', async () => {
    const result = await hold(lockedUpdate, { iterations: 300 })
    expect(result.iterations).toBe(300)
    expect(result.summary).toBe('300 schedules hold')
  })

  it('says which strategies ran how many schedules, and how long it took by the clock it was given', async () => {
    let nowMs = 5_000
    const clock = () => (nowMs += 0.5)
    const result = await hold(lockedUpdate, { iterations: 55, clock })
    expect(Object.keys(result.schedulesBy)).toEqual(['places', 'pos', 'delayBound', 'urw', 'pctcp'])
    expect(Object.values(result.schedulesBy).reduce((sum, each) => sum + each)).toBe(55)
    expect(result.wallMs).toBeGreaterThan(0)
    expect(result.wallMs).toBeLessThanOrEqual(nowMs - 5_000)
    const alone = await hold(lockedUpdate, { iterations: 5, strategy: 'random' })
    expect(alone).toMatchObject({ schedulesBy: { random: 5 }, wallMs: 0 })
  })

  it('gives the same finding for the same seed, and another path for another', async () => {
    const first = await find(lostUpdate, { seed: 7, strategy: 'random' })
    expect(await find(lostUpdate, { seed: 7, strategy: 'random' })).toEqual(first)
    expect((await find(lostUpdate, { seed: 8, strategy: 'random' })).seed).not.toBe(first.seed)
  })

  it('hears of an assertion that the program swallows', async () => {
    const { failure } = await find(async (t) => {
      await Promise.all([
        t.task('a', () => t.point('x')),
        t
          .task('b', async () => {
            await t.point('y')
            t.assert(false, 'never here')
          })
          .catch(() => {}),
      ])
    })
    expect(failure).toMatchObject({ category: 'assertion', message: 'never here' })
  })

  it('shrinks to a single preemption', async () => {
    const { preemptions, shrunk } = await find(lostUpdate, { strategy: 'random' })
    expect(preemptions).toBe(1)
    expect(shrunk.minimal).toBe(true)
  })

  it('does not shrink to fewer preemptions by letting a task poll on and on', async () => {
    const { schedule, shrunk } = await find(
      async (t) => {
        let stopped = false
        const poll = async () => {
          for (let i = 0; i < 400; i++) {
            if (stopped) break
            await t.point('poll')
          }
        }
        const stop = async () => {
          await t.point('stop')
          stopped = true
        }
        await Promise.all([t.task('a', poll), t.task('b', stop)])
        t.assert(false, 'always')
      },
      { strategy: 'random' },
    )
    expect(shrunk.minimal).toBe(true)
    expect(schedule.length).toBeLessThan(100)
  })

  it('names the pair of events whose order matters', async () => {
    const { criticalPair } = await find(lostUpdate)
    expect(criticalPair?.first.what).toBe('read balance')
    expect(criticalPair?.second).toMatch(/: write balance$/)
  })

  it('says when no order is to blame', async () => {
    const always = await find(async (t) => {
      await Promise.all([t.task('a', () => t.point('x')), t.task('b', () => t.point('y'))])
      t.assert(false, 'always')
    })
    expect(always).toMatchObject({ criticalPair: null, otherSchedules: { runs: 20, failing: 20 } })
    expect(await find(lostUpdate)).toMatchObject({ otherSchedules: null })
  })

  it('leaves tasks out of the slice that have nothing to do with it', async () => {
    const { schedule, slice } = await find(async (t) => {
      const balance = new SharedCell(t, 'balance', 0)
      const deposit = async () => balance.set((await balance.get()) + 1)
      const noise = async () => {
        for (let i = 0; i < 6; i++) await t.point('noise')
      }
      const tasks = [
        t.task('a', deposit),
        t.task('noise 1', noise),
        t.task('noise 2', noise),
        t.task('b', deposit),
      ]
      await Promise.all([tasks[0], tasks[3]])
      t.assert(balance.peek() === 2, 'a deposit was lost')
    })
    const names = schedule.filter(({ step }) => slice.includes(step)).map(({ task }) => task)
    expect(new Set(names)).toEqual(new Set(['a', 'b']))
  })

  it('does not take for a race what the tank does not support', async () => {
    const unsupported = Object.assign(new Error('Atomics.wait: a simulated thread cannot block'), {
      code: 'ERR_WAVETANK_UNSUPPORTED',
    })
    const exploring = exploreClosure(async (t) => {
      await t.point('here')
      throw unsupported
    })
    await expect(exploring).rejects.toBe(unsupported)
  })

  it('says where in the source a step was asked for', async () => {
    const { schedule } = await find(async (t) => {
      await Promise.all([t.task('a', () => t.point('here')), t.task('b', () => t.point('here'))])
      t.assert(false, 'always')
    })
    expect(schedule.find(({ what }) => what === 'here')?.position).toMatch(/exploration\.test\.ts:\d+:\d+$/)
  })

  it('names who waits for what in a deadlock', async () => {
    const { failure } = await find(async (t) => {
      const [left, right] = [new Mutex(t, 'left'), new Mutex(t, 'right')]
      const both = (first: Mutex, second: Mutex) => () =>
        first.runExclusive(() => second.runExclusive(() => {}))
      await Promise.all([t.task('a', both(left, right)), t.task('b', both(right, left))])
    })
    expect(failure.category).toBe('deadlock')
    expect(failure.message).toContain('a waits for right to be released')
    expect(failure.message).toContain('b waits for left to be released')
  })

  it('distinguishes a body that never ends from one that waits forever', async () => {
    const endless = await find(
      async (t) => {
        for (;;) await t.point('again')
      },
      { maxSteps: 50 },
    )
    expect(endless.failure.category).toBe('step-limit')
    const stuck = await find(() => new Promise(() => {}))
    expect(stuck.failure.category).toBe('deadlock')
  })

  it('keeps exceptions of different kinds apart', async () => {
    const { failure } = await find(async (t) => {
      await t.point()
      throw new TypeError('broken')
    })
    expect(failure.key).toBe('exception TypeError: broken')
  })

  it('plays a scripted race with hold and release', async () => {
    const { iterations } = await hold(
      async (t) => {
        const order: string[] = []
        const a = t.task('a', async () => {
          await t.hold('b is done')
          order.push('a')
        })
        const b = t.task('b', async () => {
          await t.point()
          order.push('b')
          t.release('b is done')
        })
        await Promise.all([a, b])
        t.assert(order.join() === 'b,a', `the order was ${order.join()}`)
      },
      { iterations: 50 },
    )
    expect(iterations).toBe(50)
  })

  it('interleaves the methods of a shared object', async () => {
    const store = () => {
      const values = new Map<string, number>()
      return {
        get: (key: string) => values.get(key) ?? 0,
        set: (key: string, value: number) => void values.set(key, value),
      }
    }
    const body =
      (reads: readonly string[]): RaceBody =>
      async (t) => {
        const shared = t.shared(store(), { name: 'store', reads, resource: (_, [key]) => String(key) })
        const bump = async () => await shared.set('n', (await shared.get('n')) + 1)
        await Promise.all([t.task('a', bump), t.task('b', bump)])
        t.assert((await shared.get('n')) === 2, 'lost')
      }
    expect((await find(body(['get']))).failure.message).toBe('lost')
  })

  it('lets things happen before a property of a shared object is read, if that is awaited', async () => {
    const body =
      (properties: readonly 'balance'[]): RaceBody =>
      async (t) => {
        const account = t.shared({ balance: 0 }, { name: 'account', properties })
        const deposit = async () => {
          const { balance } = account
          await t.point('sending')
          Object.assign(account, { balance: (await balance) + 1 })
        }
        const before = async () => t.assert((await account.balance) < 1, 'read later')
        await Promise.all([t.task('deposit', deposit), t.task('before', before)])
      }
    expect((await find(body(['balance']))).failure.message).toBe('read later')
    expect((await hold(body([]), { strategy: 'dfs' })).exhausted).toBe(true)
  })

  it('refuses a strategy that does not exist', async () => {
    await expect(exploreClosure(lostUpdate, { strategy: 'luck' as StrategyName })).rejects.toThrow(
      /no strategy "luck"/,
    )
  })
})

describe('jobs', () => {
  it.each([0, -1, 1.5, NaN, 'x', '2', null])('cannot be %s', async (jobs) => {
    const options = { jobs: jobs as number }
    const said = /: jobs: expected a whole number of threads, 1 or more, and got /
    await expect(async () => exploreClosure(lockedUpdate, options)).rejects.toThrow(said)
    await expect(exploreProgram(programOf(lockedUpdate), options)).rejects.toThrow(said)
  })

  it('are no threads for a closure', async () => {
    await expect(async () => exploreClosure(lockedUpdate, { jobs: 2 })).rejects.toThrow(
      /a closure cannot leave its thread\. Declare the body with race\(\) in a file/,
    )
    expect((await hold(lockedUpdate, { jobs: 1, iterations: 5 })).iterations).toBe(5)
  })

  it('change nothing where schedules are gone through in order', async () => {
    const program = programOf(lockedUpdate)
    for (const strategy of ['dfs', dfs(), random()] as const) {
      const options = { jobs: 4, iterations: 500, strategy }
      const result = await exploreProgram(program, options, NO_THREADS)
      const alone =
        typeof strategy === 'string' ? strategy : STRATEGIES[strategy.name as StrategyName]({ depth: 3 })
      expect(result).toEqual(await exploreProgram(program, { ...options, jobs: 1, strategy: alone }))
    }
  })

  it('say the same of what held, however many there are', async () => {
    const program = programOf(lockedUpdate)
    for (const jobs of [1, 2, 3]) {
      const result = await exploreProgram(program, { jobs, iterations: 31, strategy: 'random' })
      const held = { summary: '31 schedules hold', schedulesBy: { random: 31 }, outOfTime: false }
      expect(result).toMatchObject({ kind: 'held', result: held })
    }
  })

  it('are not more than there are schedules', async () => {
    const result = await exploreProgram(programOf(lockedUpdate), { jobs: 1e12, iterations: 3 })
    expect(result).toMatchObject({ kind: 'held', result: { iterations: 3 } })
  })

  it('find what fails in another thread only if it fails here too', async () => {
    const end = { iteration: 2, choices: [], key: 'exception TypeError', message: 'toBeRich is no function' }
    const elsewhere: ShareThreads = {
      every: (_, callback) => (callback(), () => {}),
      start: ({ share }, board) => {
        board.take(share)
        board.endAt(end.iteration)
        const report = Promise.resolve({
          iterations: 1,
          steps: 1,
          schedulesBy: {},
          coverage: NO_COVERAGE,
          end,
        })
        return { report, stop: async () => {} }
      },
    }
    const exploring = exploreProgram(programOf(lockedUpdate), { jobs: 2 }, elsewhere)
    await expect(exploring).rejects.toThrow(
      /^race: schedule 2 failed in a worker thread \(toBeRich is no function\) and holds here\..* jobs: 1\.$/,
    )
  })
})

describe('dfs', () => {
  it('proves a correct mutex correct within its bound and says so', async () => {
    const result = await hold(lockedUpdate, { strategy: dfs({ preemptionBound: 2 }), iterations: 1e6 })
    expect(result.exhausted).toBe(true)
    expect(result.summary).toMatch(/^all \d+ schedules( within the bound of 2 preemptions)? hold$/)
  })

  it('finds the bug of a broken mutex', async () => {
    const broken: RaceBody = async (t) => {
      const taken = new SharedCell(t, 'taken', false)
      let inside = 0
      const enter = async () => {
        if (await taken.get()) return
        await taken.set(true)
        t.assert(++inside === 1, 'two tasks inside')
        await t.point('inside')
        inside--
        await taken.set(false)
      }
      await Promise.all([t.task('a', enter), t.task('b', enter)])
    }
    const { failure } = await find(broken, { strategy: dfs({ preemptionBound: 2 }), iterations: 1e5 })
    expect(failure.message).toBe('two tasks inside')
  })
})
