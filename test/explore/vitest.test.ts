/** Races under a vitest of their own, on the built package, as a user has them: what it prints, and where it points. */
import { beforeAll, describe, expect, it } from 'vitest'
import { buildOnce } from '../e2e/build.ts'
import { throwAwayProjects, type Outcome, type Project } from '../e2e/project.ts'

const VITEST = new URL('../../node_modules/vitest/vitest.mjs', import.meta.url).pathname

const ACCOUNT = `import { readFile, writeFile } from 'node:fs/promises'

interface Balance { readonly euros: number }

export async function balance(): Promise<number> {
  const { euros }: Balance = JSON.parse(await readFile('/tmp/balance', 'utf8'))
  return euros
}

export async function deposit(): Promise<void> {
  const before = await balance()
  await writeFile('/tmp/balance', JSON.stringify({ euros: before + 1 }))
}

export const open = () => writeFile('/tmp/balance', JSON.stringify({ euros: 0 }))
`

const RACES = `import { describe, expect } from 'vitest'
import { race } from 'wavetank/vitest'
import { balance, deposit, open } from './account.ts'

type Deposits = readonly Promise<void>[]

describe('one at a time', () => {
  race('both are kept', { iterations: 30 }, async () => {
    await Promise.all([open(), new Promise((resolve) => setTimeout(resolve, 1))])
    await deposit()
    await deposit()
    expect(await balance()).toBe(2)
    expect({ euros: await balance() }).toEqual({ euros: expect.any(Number) })
  })
})

describe('at once', () => {
  race('both are kept', async (t) => {
    await open()
    const deposits: Deposits = [deposit(), deposit()]
    await Promise.all(deposits)
    t.assert((await balance()) === 2, 'a deposit was lost')
  })

  race('both are expected', async () => {
    await open()
    await Promise.all([deposit(), deposit()])
    expect(await balance()).toBe(2)
  })

  race('somebody waits', () => new Promise(() => {}))
})

describe.each([{ euros: 1 }, { euros: 2 }])('a deposit of $euros', ({ euros }) => {
  race('is given', { iterations: 2 }, (t) => t.assert(euros > 0, 'not given'))
})
`

const TWICE = `import { describe } from 'vitest'
import { race } from 'wavetank/vitest'

describe('a group', () => {
  race('twice', () => {})
  race('twice', () => {})
})
`

const GLOBALS = `import { race } from 'wavetank/vitest'

describe('with global functions', () => {
  let state = 0
  beforeEach(() => void state++)
  race('hooks and expect are there', { iterations: 3 }, () => expect(state).toBe(1))
})
`

const FAKE_TIMERS = `import { afterEach, beforeEach, vi } from 'vitest'
import { race } from 'wavetank/vitest'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

race('waits for a timer', { iterations: 5 }, async (t) => {
  const begun = Date.now()
  await new Promise((resolve) => setTimeout(resolve, 60_000))
  t.assert(Date.now() - begun >= 60_000, 'too early')
})

race('moves the clock', { iterations: 5 }, () => vi.advanceTimersByTime(10))
`

const project = throwAwayProjects()

const vitest = async (where: Project, ...args: string[]): Promise<Outcome & { output: string }> => {
  const outcome = await where.node(VITEST, 'run', '--root', where.folder, '--no-color', ...args)
  return { ...outcome, output: outcome.stdout + outcome.stderr }
}

beforeAll(buildOnce, 120_000)

describe('races under vitest', () => {
  const bank = project({ 'account.ts': ACCOUNT, 'bank.test.ts': RACES })
  let printed: Outcome & { output: string }
  /** What is printed of a failing race, from its heading on. */
  const failureOf = (name: string): string =>
    printed.output.split(' FAIL  ').find((part) => part.startsWith(`bank.test.ts > ${name}\n`))!

  beforeAll(async () => {
    printed = await vitest(bank, '--reporter', 'verbose')
  }, 120_000)

  it('pass and fail under one title in several groups, each for itself', () => {
    expect(printed.output).toMatch(/✓ bank\.test\.ts > one at a time > both are kept/)
    expect(printed.output).toMatch(/× bank\.test\.ts > at once > both are kept/)
    expect(printed.output).toMatch(/✓ bank\.test\.ts > a deposit of 1 > is given/)
    expect(printed.output).toMatch(/✓ bank\.test\.ts > a deposit of 2 > is given/)
    expect(printed.code).toBe(1)
  })

  it('say in a note how many schedules held, in what time, by which strategies', () => {
    expect(printed.output).toMatch(
      /30 schedules hold \(in \d+\.\d s, by places \d+, pos \d+, delayBound \d+, urw \d+, pctcp \d+, slow \d+\)/,
    )
    expect(printed.output).not.toContain('race "one at a time > both are kept"')
    // Nothing can change places in it: that is always printed.
    expect(printed.output).toContain(
      'race "a deposit of 1 > is given": 2 schedules hold, all of them the same',
    )
  })

  it('point at the assertion that failed', () => {
    const failure = failureOf('at once > both are kept')
    expect(failure).toMatch(/❯ bank\.test\.ts:22:7\n/)
    expect(failure).toMatch(/22\| +t\.assert\(\(await balance\(\)\) === 2, 'a deposit was lost'\)\n +\| +\^/)
    expect(failureOf('at once > both are expected')).toMatch(
      /28\| +expect\(await balance\(\)\)\.toBe\(2\)\n +\| +\^/,
    )
    expect(failureOf('at once > somebody waits')).toMatch(/❯ (main )?bank\.test\.ts:31:\d+\n/)
    expect(printed.output).not.toMatch(/❯ .*(src|dist)\/explore/)
    expect(printed.output).not.toContain('slice:') // nor is the data printed after the text
  })

  it('keep their findings by group and title, to be replayed without vitest', async () => {
    const trace = '.wavetank/races/bank.test.ts/at-once/both-are-expected.trace.json'
    expect(printed.output).toContain(`npx wavetank replay ${trace}`)
    const { stdout, code } = await bank.wavetank('replay', trace, '--logs')
    expect(stdout).toContain('✗ at once > both are expected')
    expect(stdout).toContain('replayed: the same run, to the last step')
    expect(stdout).toMatch(/AssertionError: expected 1 to be 2.*\n +at .*bank\.test\.ts:28:\d+/)
    expect(code).toBe(1)
  }, 60_000)

  it('print what held where they are asked to', async () => {
    const loud = project({ 'account.ts': ACCOUNT, 'bank.test.ts': RACES })
    process.env.WAVETANK_VERBOSE = '1'
    try {
      const { output } = await vitest(loud, '-t', 'one at a time')
      expect(output).toMatch(/race "one at a time > both are kept": 30 schedules hold \(in /)
    } finally {
      delete process.env.WAVETANK_VERBOSE
    }
  }, 60_000)

  it('are refused when two in one group have one title', async () => {
    const { output, code } = await vitest(project({ 'twice.test.ts': TWICE }))
    expect(output).toContain('two races of one file are called "a group > twice"')
    expect(code).toBe(1)
  }, 60_000)

  it('are refused in a pool of vm contexts, with what to do instead', async () => {
    const { output, code } = await vitest(project({ 'twice.test.ts': TWICE }), '--pool', 'vmThreads')
    expect(output).toMatch(/race: this test runs in a vm context, .* run it with --pool forks/)
    expect(code).toBe(1)
  }, 60_000)

  it('have the time of their world where other tests of the file have fake timers', async () => {
    const { output, code } = await vitest(project({ 'fake.test.ts': FAKE_TIMERS }), '--reporter', 'verbose')
    expect(output).toMatch(/✓ fake\.test\.ts > waits for a timer/)
    expect(output).toMatch(/UnsupportedError: vi\.advanceTimersByTime: in a race time is the world's/)
    expect(output).not.toContain('WAVETANK_LEAK')
    expect(code).toBe(1)
  }, 60_000)

  it('work where vitest is told to make its functions global', async () => {
    const { output, code } = await vitest(project({ 'globals.test.ts': GLOBALS }), '--globals')
    expect(output).toMatch(/1 passed/)
    expect(code).toBe(0)
  }, 60_000)
})
