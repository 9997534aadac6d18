import { describe, expect, it } from 'vitest'
import { bareEnvironment, type RaceBody } from './environment.ts'
import { explore, exploreProgram } from './explore.ts'
import { findingText } from './finding-text.ts'
import { RaceFound, type RaceFinding } from './finding.ts'
import { heldText } from './held-text.ts'
import type { LaneThreads } from './lanes.ts'
import type { ExploreOptions } from './options.ts'
import { Mutex, SharedCell } from './primitives.ts'
import type { RaceProgram } from './program.ts'
import { RaceRun } from './race-run.ts'
import { dfs, random, STRATEGIES, type StrategyName } from './strategies/index.ts'

async function find(body: RaceBody, options: ExploreOptions = {}): Promise<RaceFinding> {
  try {
    const held = await explore(body, { iterations: 500, ...options })
    throw new Error(`nothing was found: ${held.summary}`)
  } catch (error) {
    if (error instanceof RaceFound) return error.finding
    throw error
  }
}

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

const NO_THREADS: LaneThreads = {
  every: (_, callback) => (callback(), () => {}),
  start: () => {
    throw new Error('a thread was started')
  },
}

describe('explore', () => {
  // The rarest finder needs 5 schedules on average: missing it in 500 has a probability below 1e-40.
  it.each(Object.keys(STRATEGIES) as StrategyName[])('finds a lost update by %s', async (strategy) => {
    const { failure } = await find(lostUpdate, { strategy })
    expect(failure.category).toBe('assertion')
    expect(failure.message).toBe('a deposit was lost')
  })

  it('finds nothing where there is nothing', async () => {
    const result = await explore(lockedUpdate, { iterations: 300 })
    expect(result.iterations).toBe(300)
    expect(result.summary).toBe('300 schedules hold')
  })

  it('says which strategies ran how many schedules, and how long it took by the clock it was given', async () => {
    let nowMs = 5_000
    const clock = () => (nowMs += 0.5)
    const result = await explore(lockedUpdate, { iterations: 55, clock })
    expect(Object.keys(result.schedulesBy)).toEqual(['places', 'pos', 'delayBound', 'urw', 'pctcp'])
    expect(Object.values(result.schedulesBy).reduce((sum, each) => sum + each)).toBe(55)
    expect(result.wallMs).toBeGreaterThan(0)
    expect(result.wallMs).toBeLessThanOrEqual(nowMs - 5_000)
    const alone = await explore(lockedUpdate, { iterations: 5, strategy: 'random' })
    expect(alone).toMatchObject({ schedulesBy: { random: 5 }, wallMs: 0 })
    expect(heldText({ ...result, wallMs: 1_234 })).toMatch(
      /^55 schedules hold \(in 1\.2 s, by places \d+, pos /,
    )
    expect(heldText(alone)).toBe('5 schedules hold (in 0.0 s, by random)')
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
    expect(findingText(always)).toContain('no order of events, it seems: 20 of 20 other schedules fail alike')
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
    const exploring = explore(async (t) => {
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
    expect(schedule.find(({ what }) => what === 'here')?.position).toMatch(/explore\.test\.ts:\d+:\d+$/)
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

  it('tells a body that never ends from one that waits for ever', async () => {
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
    expect(failure.key).toBe('exception TypeError')
  })

  it('plays a scripted race with hold and release', async () => {
    const { iterations } = await explore(
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
    expect((await explore(body([]), { strategy: 'dfs' })).exhausted).toBe(true)
  })

  it('refuses a strategy that does not exist', async () => {
    await expect(explore(lostUpdate, { strategy: 'luck' as StrategyName })).rejects.toThrow(
      /no strategy "luck"/,
    )
  })
})

describe('jobs', () => {
  it.each([0, -1, 1.5, NaN, 'x', '2', null])('cannot be %s', async (jobs) => {
    const options = { jobs: jobs as number }
    const said = /: jobs: expected a whole number of threads, 1 or more, and got /
    await expect(async () => explore(lockedUpdate, options)).rejects.toThrow(said)
    await expect(exploreProgram(programOf(lockedUpdate), options)).rejects.toThrow(said)
  })

  it('are no threads for a closure', async () => {
    await expect(async () => explore(lockedUpdate, { jobs: 2 })).rejects.toThrow(
      /a closure cannot leave its thread\. Declare the body with race\(\) in a file/,
    )
    expect((await explore(lockedUpdate, { jobs: 1, iterations: 5 })).iterations).toBe(5)
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
      expect(result).toMatchObject({
        summary: '31 schedules hold',
        schedulesBy: { random: 31 },
        outOfTime: false,
      })
    }
  })

  it('are not more than there are schedules', async () => {
    const result = await exploreProgram(programOf(lockedUpdate), { jobs: 1e12, iterations: 3 })
    expect(result.iterations).toBe(3)
  })

  it('find what fails in another thread only if it fails here too', async () => {
    const end = { iteration: 2, choices: [], key: 'exception TypeError', message: 'toBeRich is no function' }
    const elsewhere: LaneThreads = {
      every: (_, callback) => (callback(), () => {}),
      start: ({ lane }, board) => {
        board.take(lane)
        board.endAt(end.iteration)
        const report = Promise.resolve({ iterations: 1, steps: 1, schedulesBy: {}, end })
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
    const result = await explore(lockedUpdate, { strategy: dfs({ preemptionBound: 2 }), iterations: 1e6 })
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
