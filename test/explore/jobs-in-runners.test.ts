/** Races in several threads under vitest and node:test, on the built package, as a user has them. */
import { beforeAll, describe, expect, it } from 'vitest'
import { buildOnce } from '../e2e/build.ts'
import { throwAwayProjects, type Outcome, type Project } from '../e2e/project.ts'

const VITEST = new URL('../../node_modules/vitest/vitest.mjs', import.meta.url).pathname

/** Deposits that are made at once in one schedule of a hundred; every schedule takes a while. */
const races = (runner: string, expected: string) => `
import { readFile, writeFile } from 'node:fs/promises'
import { race } from 'wavetank/${runner}'
${expected}

const balance = async () => Number(await readFile('/tmp/balance', 'utf8'))
const deposit = async () => writeFile('/tmp/balance', String((await balance()) + 1))
const work = () => {
  for (let n = 0; n < 1e7; n++);
}

race('one after the other', { jobs: 2, iterations: 101, budgetWallMs: 60_000 }, async () => {
  work()
  await writeFile('/tmp/balance', '0')
  await deposit()
  await deposit()
  equal(await balance(), 2)
})

race('at once, now and then', { jobs: 3, iterations: 2000, budgetWallMs: 60_000 }, async () => {
  work()
  await writeFile('/tmp/balance', '0')
  const rarely = Math.random() < 0.01
  const first = deposit()
  if (!rarely) await first
  await Promise.all([first, deposit()])
  equal(await balance(), 2)
})

race('at most one thread', { jobs: 1, iterations: 5 }, () => {})
race('as many threads as there are to be', { iterations: 20 }, work)
`

const project = throwAwayProjects()

const RUNNERS = [
  {
    name: 'vitest',
    files: {
      'bank.test.ts': races(
        'vitest',
        `import { expect } from 'vitest'\nconst equal = (actual: number, wanted: number) => expect(actual).toBe(wanted)`,
      ),
    },
    run: (where: Project, title: string) =>
      where.node(VITEST, 'run', '--root', where.folder, '--no-color', '--reporter', 'verbose', '-t', title),
  },
  {
    name: 'node:test',
    files: { 'bank.test.mjs': races('node-test', `import { equal } from 'node:assert/strict'`) },
    run: (where: Project, title: string) =>
      where.node('--test', '--test-reporter', 'spec', '--test-name-pattern', title, 'bank.test.mjs'),
  },
] as const

beforeAll(buildOnce, 120_000)

describe.each(RUNNERS)('jobs under $name', ({ files, run }) => {
  const bank = project(files)
  const output = ({ stdout, stderr }: Outcome): string => stdout + stderr

  async function withJobs(jobs: string, title: string): Promise<Outcome> {
    process.env.WAVETANK_JOBS = jobs
    try {
      return await run(bank, title)
    } finally {
      delete process.env.WAVETANK_JOBS
    }
  }

  it('hold together', async () => {
    const outcome = await run(bank, 'one after the other')
    expect(output(outcome)).toMatch(/101 schedules hold[^(]*\(in \d+\.\d s, by places \d+, pos \d+, /)
    expect(outcome.code).toBe(0)
  }, 60_000)

  it('find one thing, which is replayed with the command that is printed', async () => {
    const first = await run(bank, 'at once')
    const [, path] = /npx wavetank replay (\S+)/.exec(output(first))!
    const trace = bank.read(path)
    expect(first.code).toBe(1)
    expect(output(await run(bank, 'at once'))).toContain('✗ at once, now and then')
    expect(bank.read(path)).toBe(trace)
    const replayed = await bank.wavetank('replay', path)
    expect(replayed.stdout).toContain('replayed: the same run, to the last step')
    expect(replayed.code).toBe(1)
  }, 120_000)

  it('come from WAVETANK_JOBS, where the race says nothing of them', async () => {
    const wrong = await withJobs('many', 'as many threads')
    expect(output(wrong)).toContain(
      `WAVETANK_JOBS: expected a whole number of threads, 1 or more, and got 'many'`,
    )
    expect(wrong.code).toBe(1)
    const right = await withJobs('2', 'as many threads')
    expect(output(right)).toContain('20 schedules hold')
    expect(right.code).toBe(0)
    expect((await withJobs('many', 'at most one thread')).code).toBe(0)
  }, 120_000)
})
