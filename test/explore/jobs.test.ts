/**
 * Races explored in several threads: real ones, of the build. So that they have a part in it however slowly they start,
 * the first share waits before each of its runs until the others have begun.
 */
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { exploreProgram, type Exploration, type ExploreResult } from '../../src/explore/search/exploration.ts'
import type { RaceFinding } from '../../src/explore/finding/finding.ts'
import type { ShareBoard } from '../../src/explore/search/share-board.ts'
import { shareThreads } from '../../src/explore/search/share-thread.ts'
import type { ShareThreads } from '../../src/explore/search/shares.ts'
import { raceProgram } from '../../src/explore/search/race-file.ts'
import { hostClock } from '../../src/host/host-clock.ts'
import { buildOnce } from '../e2e/build.ts'
import { RaceProject } from './race-project.ts'

const THREADS = {
  worker: new URL('../../dist/runners/race-worker.js', import.meta.url),
  every: hostClock.every,
}

const FILE = 'bank.race.ts'
const TITLE = 'deposits'
const SCHEDULES = 120
const MOST_PATIENCE_MS = 500

/** Every schedule has a number of its own, the same in every exploration: the first that a program draws. */
const NUMBERS = `import { race } from 'wavetank/vitest'

race('deposits', () => console.log(Math.random()))
`

/** Two deposits, kept apart but in some schedules; others do something else. */
const deposits = (iterations: readonly number[], cases: Cases) => `
import { readFile, writeFile } from 'node:fs/promises'
import { race } from 'wavetank/vitest'

const ITERATIONS = ${JSON.stringify(iterations)}

const balance = async () => Number(await readFile('/tmp/balance', 'utf8'))
const deposit = async () => writeFile('/tmp/balance', String((await balance()) + 1))

race('deposits', async (t) => {
  const iteration = ITERATIONS.indexOf(Math.random()) + 1
  ${cases.first ?? ''}
  await writeFile('/tmp/balance', '0')
  if (${JSON.stringify(cases.together)}.includes(iteration)) {
    await Promise.all([t.task('a', deposit), t.task('b', deposit)])
  } else {
    await deposit()
    await deposit()
  }
  t.assert((await balance()) === 2, 'a deposit was lost')
})
`

interface Cases {
  /** Iterations in which both deposits are made at once. */
  readonly together: readonly number[]
  /** What comes before them. */
  readonly first?: string
}

interface Watched {
  readonly printed: readonly number[]
  readonly outcome: ExploreResult | RaceFinding | Error
  /** Shares that other threads had begun while the first was at work. */
  readonly begun: readonly number[]
}

interface Circumstances {
  /** The time, given whether all threads have begun. */
  readonly clock?: (haveBegun: boolean) => number
  /** Called when a thread is started. */
  readonly onStart?: () => void
  /** The schedule at which a thread has begun: at least its second, where its first must not be called off. */
  readonly begunAt?: number
}

describe('a race in several threads', () => {
  const projects: RaceProject[] = []
  let numbers: readonly number[]

  beforeAll(buildOnce, 120_000)
  beforeAll(async () => {
    numbers = (await explore(projectOf(NUMBERS), 1)).printed
  })
  afterAll(() => {
    for (const project of projects) project.remove()
  })

  function projectOf(source: string): RaceProject {
    const project = new RaceProject({ [FILE]: source })
    projects.push(project)
    return project
  }

  async function explore(
    project: RaceProject,
    jobs: number,
    { clock = () => hostClock.nowMs(), onStart, begunAt = 1 }: Circumstances = {},
  ): Promise<Watched> {
    const file = join(project.folder, FILE)
    const printed: number[] = []
    const onOutput = (text: string) => void printed.push(Number(text))
    const begun = new Set<number>()
    let board: ShareBoard | null = null
    const haveBegun = (): boolean => {
      for (let share = 1; share < jobs; share++) if ((board?.at(share) ?? 0) >= begunAt) begun.add(share)
      return begun.size === jobs - 1
    }
    const program = raceProgram(file, TITLE, {}, { ...project.tank(file), onOutput })
    const options = { budgetWallMs: 1e6, iterations: SCHEDULES, jobs, title: TITLE }
    const threads = shareThreads(THREADS, { file, name: TITLE, options }, onOutput)
    const watched: ShareThreads = {
      ...threads,
      start(number, shared) {
        board = shared
        onStart?.()
        return threads.start(number, shared)
      },
    }
    const outcome = await exploreProgram(
      (schedule) => {
        for (let ms = 0; ms < MOST_PATIENCE_MS && !haveBegun(); ms += 10) sleep(10)
        return program(schedule)
      },
      { ...options, clock: () => clock(haveBegun()) },
      watched,
    ).then(outcomeOf, (error: Error) => error)
    return { printed, outcome, begun: [...begun] }
  }

  /** Explores until something is found, in all threads. */
  async function find(project: RaceProject, jobs: number): Promise<RaceFinding> {
    const { outcome, begun } = await explore(project, jobs)
    expect(begun.length).toBe(jobs - 1)
    expect(outcome).toHaveProperty('failure')
    return outcome as RaceFinding
  }

  it.each([2, 3])('has every schedule once: %i of them', async (jobs) => {
    const { printed, outcome, begun } = await explore(projectOf(NUMBERS), jobs)
    expect(begun.length).toBe(jobs - 1)
    expect(new Set(numbers).size).toBe(SCHEDULES)
    expect(printed.length).toBe(SCHEDULES)
    expect(new Set(printed)).toEqual(new Set(numbers))
    expect(outcome).toMatchObject({ iterations: SCHEDULES, coverage: { contested: 0 } })
    const { schedulesBy } = outcome as ExploreResult
    expect(Object.values(schedulesBy).reduce((sum, each) => sum + each)).toBe(SCHEDULES)
  })

  it.each([2, 3])('has one finding, byte for byte: %i of them', async (jobs) => {
    const project = projectOf(deposits(numbers, { together: numbered(91, SCHEDULES) }))
    const trace = async () => project.read(project.keep(FILE, await find(project, jobs)))
    expect(await trace()).toBe(await trace())
  })

  it('finds what only another thread has run, shrinks it, and replays it', async () => {
    // Of deposits made at once, one is lost in more than half of the schedules: that it is kept in 50 has 1e-15.
    const even = numbered(1, 100).filter((iteration) => iteration % 2 === 0)
    const project = projectOf(deposits(numbers, { together: even }))
    const finding = await find(project, 2)
    expect(finding.iteration % 2).toBe(0)
    expect(finding).toMatchObject({
      failure: { message: 'a deposit was lost' },
      iterations: SCHEDULES,
      strategy: 'portfolio',
      shrunk: { minimal: true },
    })
    expect(finding.criticalPair).not.toBeNull()
    const { stdout, code } = await project.command('replay', project.keep(FILE, finding))
    expect(stdout).toContain('replayed: the same run, to the last step')
    expect(code).toBe(1)
  })

  it('finds the first schedule that fails, though a later one fails sooner', async () => {
    const first = `
      if (iteration === 100) for (let n = 0; n < 1e9; n++);
      t.assert(iteration < 100, 'broken in ' + iteration)`
    expect(await find(projectOf(deposits(numbers, { together: [], first })), 2)).toMatchObject({
      iteration: 100,
      failure: { message: 'broken in 100' },
    })
  })

  it('fails with what the tank says in another thread, and where', async () => {
    const first = `if (iteration === 2) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)`
    const { outcome } = await explore(projectOf(deposits(numbers, { together: [], first })), 2)
    expect(outcome).toMatchObject({ code: 'ERR_WAVETANK_UNSUPPORTED' })
    expect((outcome as Error).message).toMatch(/^Atomics\.wait.*\(schedule 2, in a worker thread\)$/)
  })

  it('fails with what the file says in another thread, where it is not loaded there', async () => {
    const project = projectOf(NUMBERS)
    const onStart = () => project.write(FILE, `throw new TypeError('not here')`)
    const { outcome } = await explore(project, 2, { onStart })
    expect(outcome).toMatchObject({ name: 'TypeError', message: 'not here (schedule 2, in a worker thread)' })
  })

  it('does not wait for a loop without end in another thread', async () => {
    const first = `if (iteration === 4) for (;;);`
    let turns = 0
    const clock = (haveBegun: boolean) => (haveBegun ? 1e7 : 0) + 60 * turns++
    const project = projectOf(deposits(numbers, { together: [], first }))
    const { outcome } = await explore(project, 2, { clock, begunAt: 4 })
    expect(outcome).toMatchObject({ code: 'ERR_WAVETANK_STUCK' })
    expect((outcome as Error).message).toMatch(/^race: schedule 4, in a worker thread, had not ended/)
  })
})

/** The numbers of some iterations. */
function numbered(first: number, last: number): number[] {
  return Array.from({ length: last + 1 - first }, (_, i) => first + i)
}

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

function outcomeOf(exploration: Exploration): ExploreResult | RaceFinding {
  return exploration.kind === 'found' ? exploration.finding : exploration.result
}
