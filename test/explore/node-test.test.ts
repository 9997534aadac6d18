/** Races under node:test, run by Node itself on the built package, as a user would. */
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { buildOnce } from '../e2e/build.ts'
import { throwAwayProjects } from '../e2e/project.ts'

const DEPOSITS = readFileSync(new URL('./fixtures/deposits.mjs', import.meta.url), 'utf8')

const project = throwAwayProjects()

beforeAll(buildOnce, 120_000)

describe('races under node:test', () => {
  const bank = project({ 'deposits.mjs': DEPOSITS })

  it('hold and fail beside ordinary tests, under one title in several groups', async () => {
    const { stdout, code } = await bank.node('--test', '--test-reporter', 'tap', 'deposits.mjs')
    expect(stdout).toMatch(/^ *ok \d - an ordinary test beside races$/m)
    expect(stdout).toMatch(/^ok \d - one deposit is kept$/m)
    expect(stdout).toMatch(/^ {4,}ok \d - one deposit is kept$/m)
    expect(stdout).toMatch(/^ *not ok \d - two deposits are kept$/m)
    expect(stdout).toContain('✗ two deposits are kept')
    expect(code).toBe(1)
  }, 60_000)

  it('say what held, point at the line that failed, and print no data after the text', async () => {
    const { stdout } = await bank.node('--test', '--test-reporter', 'spec', 'deposits.mjs')
    // On Node 26 the loop's first turn can change places with what the program asks for.
    expect(stdout).toMatch(/ℹ 20 schedules hold(, all of them the same: .*)? \(in \d+\.\d s, by places \d+, /)
    expect(stdout).toMatch(/\n +at .*deposits\.mjs:23:\d+/)
    expect(stdout).not.toMatch(/ at .*(src|dist)\/explore/)
    expect(stdout).not.toContain('finding:')
  }, 60_000)
})
