import { describe, expect, it } from 'vitest'
import { UsageError } from '../../kernel/errors.ts'
import { iterationSeed } from './iteration-seed.ts'
import { runShare } from './share.ts'
import {
  runShares,
  type SharesReport,
  type SharesSettings,
  type ShareThread,
  type ShareThreads,
} from './shares.ts'
import type { RaceProgram, Schedule } from '../running/program.ts'
import type { RaceRunResult } from '../running/race-run.ts'
import type { ExploreStrategy } from './strategy.ts'

const SEED = 7
const MOST = 100
const iterationOf = new Map(Array.from({ length: MOST }, (_, i) => [iterationSeed(SEED, i + 1), i + 1]))

const HELD: RaceRunResult = {
  failure: null,
  steps: 3,
  contested: 0,
  hash: '',
  abandoned: false,
  schedule: [],
  sometimes: null,
  tasks: [],
  waits: [],
  waiting: [],
  bodyStep: 0,
  choices: [],
  hashes: null,
}
const failure = { category: 'assertion', key: 'assertion', message: 'broken', stack: null, step: 1 } as const

type Outcome = RaceRunResult | (() => never)

/** A program with an outcome for some iterations, and in which order they were run. */
function subject(outcomes: Readonly<Record<number, Outcome>> = {}) {
  const ran: number[] = []
  const program: RaceProgram = ({ seed, strategy }) => {
    const iteration = iterationOf.get(seed)!
    ran.push(iteration)
    strategy.begin(seed)
    const outcome = outcomes[iteration] ?? HELD
    return typeof outcome === 'function' ? outcome() : outcome
  }
  return { program, ran }
}

const failing: RaceRunResult = { ...HELD, failure }
const throwing = (error: Error) => (): never => {
  throw error
}

/** Strategies that keep which iterations they were given. */
function strategies() {
  const all: number[][] = []
  const strategy = (): ExploreStrategy => {
    const given: number[] = []
    all.push(given)
    return { name: 'fake', begin: (seed) => void given.push(iterationOf.get(seed)!), pick: () => 0 }
  }
  return { strategy, all }
}

interface Crew extends ShareThreads {
  readonly started: number[]
  readonly stopped: number[]
}

interface Habits {
  /** Whether a thread takes its share; at once if so. */
  readonly takes?: boolean
  /** What it waits for after that. */
  readonly before?: () => Promise<void>
}

/** Threads that are none: each runs its share in this thread. */
function crew(program: RaceProgram, { takes = true, before = async () => {} }: Habits = {}): Crew {
  const [started, stopped]: [number[], number[]] = [[], []]
  return {
    started,
    stopped,
    every(_, callback) {
      let isStopped = false
      const again = (): void => {
        if (isStopped) return
        callback()
        setImmediate(again)
      }
      setImmediate(again)
      return () => void (isStopped = true)
    },
    start({ share, of }, board): ShareThread {
      started.push(share)
      const report = async () => {
        const { strategy } = strategies()
        await before()
        return await runShare(program, { ...BOUNDS, share, of, strategy, clock: ticking(), board })
      }
      const isMine = takes && board.take(share)
      return {
        report: isMine ? report() : new Promise(() => {}),
        stop: async () => void stopped.push(share),
      }
    },
  }
}

/** A clock by which every run takes longer than a burst, so that there is a turn of the event loop after each. */
function ticking(): () => number {
  let nowMs = 0
  return () => (nowMs += 100)
}

const BOUNDS = { seed: SEED, iterations: 20, budgetWallMs: 1e9 }

function run(
  program: RaceProgram,
  shares: number,
  threads: ShareThreads,
  more: Partial<SharesSettings> = {},
): Promise<SharesReport> {
  const { strategy } = strategies()
  return runShares(program, { ...BOUNDS, shares, threads, strategy, clock: ticking(), ...more })
}

const sorted = (numbers: readonly number[]): number[] => numbers.toSorted((a, b) => a - b)
const upTo = (last: number): number[] => Array.from({ length: last }, (_, i) => i + 1)

/** Waits until something is so. */
const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve))
}

describe('shares', () => {
  it.each([1, 2, 3, 7])('run every iteration once, and count it once: %i of them', async (shares) => {
    const { program, ran } = subject()
    const threads = crew(program)
    const report = await run(program, shares, threads)
    expect(sorted(ran)).toEqual(upTo(20))
    expect(report).toMatchObject({ iterations: 20, steps: 60, schedulesBy: { fake: 20 }, end: null })
    expect(threads.started).toEqual(upTo(shares - 1))
    expect(threads.stopped).toEqual(threads.started)
  })

  it('have a strategy each, which sees the iterations of its share in their order', async () => {
    const { strategy, all } = strategies()
    const { program } = subject()
    await run(program, 3, crew(program, { takes: false }), { strategy })
    const every = (first: number) => upTo(20).filter((iteration) => iteration % 3 === first % 3)
    expect(all).toEqual([every(1), every(2), every(3)])
  })

  it('run in this thread if no other takes them, with the same result', async () => {
    const { program, ran } = subject()
    const threads = crew(program, { takes: false })
    const report = await run(program, 3, threads)
    expect(sorted(ran)).toEqual(upTo(20))
    expect(report).toMatchObject({ iterations: 20, schedulesBy: { fake: 20 }, end: null })
    expect(new Set(threads.stopped)).toEqual(new Set([1, 2]))
  })

  it('need no thread where the exploration is over in a moment', async () => {
    const { program, ran } = subject({ 3: failing })
    const threads = { ...crew(program), every: () => () => {} }
    const report = await run(program, 2, threads)
    expect(report).toMatchObject({ end: { iteration: 3 }, elsewhere: false })
    expect(threads.started).toEqual([])
    expect(ran).toEqual([1, 3, 2])
  })
})

describe('the shares’ end', () => {
  it('is the first iteration that fails, also where a later one failed before', async () => {
    const { program, ran } = subject({ 4: failing, 5: failing, 9: failing })
    const report = await run(program, 2, crew(program, { before: () => until(() => ran.includes(5)) }))
    expect(ran.filter((iteration) => iteration > 3)).toEqual([5, 4])
    expect(sorted(ran)).toEqual(upTo(5))
    expect(report).toMatchObject({ end: { iteration: 4, message: 'broken' }, elsewhere: true })
  })

  it('is where this thread failed, if others get past it', async () => {
    const { program, ran } = subject({ 5: failing, 8: failing })
    const report = await run(program, 2, crew(program, { before: () => until(() => ran.includes(5)) }))
    expect(report).toMatchObject({ end: { iteration: 5 }, elsewhere: false })
    expect(sorted(ran)).toEqual(upTo(5))
  })

  it('is what was thrown, if that came first', async () => {
    const error = new Error('cannot be loaded')
    const { program } = subject({ 2: throwing(error), 5: failing })
    expect(await run(program, 2, crew(program))).toMatchObject({ end: { iteration: 2, thrown: error } })
    const another = subject({ 6: throwing(error), 5: failing })
    expect((await run(another.program, 2, crew(another.program))).end).toMatchObject({ iteration: 5 })
  })

  it('is the time budget’s for all of them', async () => {
    const { program, ran } = subject()
    const report = await run(program, 2, crew(program), { budgetWallMs: 1_000 })
    expect(report.end).toBeNull()
    expect(report.iterations).toBe(ran.length)
    expect(ran.length).toBeLessThan(20)
  })

  it('does not wait for a thread that does not come back', async () => {
    const { program } = subject()
    const threads = crew(program, { before: () => new Promise(() => {}) })
    const { end } = await run(program, 2, threads, { budgetWallMs: 1_000 })
    const { thrown } = end as { thrown: UsageError }
    expect(thrown).toBeInstanceOf(UsageError)
    expect(thrown.message).toMatch(
      /^race: schedule 2, in a worker thread, had not ended 5 s after the time budget of 1000 ms/,
    )
    expect(threads.stopped).toEqual([1])
  })

  it('is what another has found, if a thread does not come back', async () => {
    const { program } = subject({ 3: failing })
    const threads = crew(program, { before: () => new Promise(() => {}) })
    expect(await run(program, 2, threads, { budgetWallMs: 1_000 })).toMatchObject({ end: { iteration: 3 } })
    expect(threads.stopped).toEqual([1])
  })
})

/** A program some of whose runs leave something behind, which makes all runs fail until it is swept away. */
function untidy(leaving: readonly number[]) {
  const swept: boolean[] = []
  let litter = false
  const run = (schedule: Schedule): RaceRunResult => {
    const iteration = iterationOf.get(schedule.seed)!
    swept.push(schedule.swept ?? true)
    schedule.strategy.begin(schedule.seed)
    const result = litter ? failing : HELD
    litter = leaving.includes(iteration) && schedule.swept === false
    return result
  }
  const sweep = (): boolean => {
    const found = litter
    litter = false
    return found
  }
  return { program: Object.assign(run, { sweep }), swept }
}

/** A clock that stands still: all runs but the first are one burst. */
const still = (): number => 0

describe('what runs leave behind', () => {
  it('is looked for after bursts of them', async () => {
    const { program, swept } = untidy([])
    const { strategy, all } = strategies()
    const report = await run(program, 1, crew(program), { strategy, clock: still })
    expect(report).toMatchObject({ iterations: 20, end: null })
    expect(swept).toEqual(upTo(20).map(() => false))
    expect(all).toEqual([upTo(20)])
  })

  it.each([
    { leaving: 1, before: 1 },
    { leaving: 20, before: 20 },
  ])('by run $leaving makes a share begin again, with care', async ({ leaving, before }) => {
    const { program, swept } = untidy([leaving])
    const { strategy, all } = strategies()
    const report = await run(program, 1, crew(program), { strategy, clock: still })
    expect(report).toMatchObject({ iterations: 20, steps: 60, schedulesBy: { fake: 20 }, end: null })
    expect(all).toEqual([upTo(before), upTo(20)])
    expect(swept).toEqual([...upTo(before).map(() => false), ...upTo(20).map(() => true)])
  })

  it('is never the failure of the run that meets it', async () => {
    const { program, swept } = untidy([7, 8])
    const report = await run(program, 1, crew(program), { clock: still })
    expect(report).toMatchObject({ iterations: 20, end: null })
    expect(swept.filter((each) => !each)).toHaveLength(8)
  })

  it('is looked for after every run where the strategy cannot be made again', async () => {
    const { program, swept } = untidy([3])
    const report = await run(program, 1, crew(program), { careful: true, clock: still })
    expect(report).toMatchObject({ iterations: 20, end: null })
    expect(swept).toEqual(upTo(20).map(() => true))
  })
})
