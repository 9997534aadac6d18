/**
 * Every strategy finds the bug of every program that is within its reach, and nothing in any program's fixed version.
 * By default few trials and small programs; with WAVETANK_FULL=1 all programs, and many schedules of what must hold.
 *
 * Seeds are fixed, so a test passes or fails for good; a strategy that got weaker by a factor of about ten fails it.
 */
import { describe, expect, it } from 'vitest'
import { bareEnvironment } from '../../src/explore/running/environment.ts'
import { iterationSeed } from '../../src/explore/search/iteration-seed.ts'
import { macrotask } from '../../src/explore/running/macrotask.ts'
import { RaceRun } from '../../src/explore/running/race-run.ts'
import { STRATEGIES, type StrategyName } from '../../src/explore/index.ts'
import { withFastCheck } from './fast-check.ts'
import { firstFailure, NATURAL, naturalEnvironment } from './natural.ts'
import type { Program } from './program.ts'
import { PROGRAMS } from './programs.ts'

const FULL = process.env.WAVETANK_FULL === '1'
const CAP = 10_000
const HELD = FULL ? 2_000 : 60
const SOAK_MS = 600_000

/** What a strategy cannot be expected to find within the cap: for how many tasks or how much padding it is not made. */
const BEYOND: Partial<Record<StrategyName, RegExp>> = {
  random: /^needle/,
  surw: /^needle|^TOCTTOU pad 50|^twostage_100/,
  pct: /^reorder_(50|100)|^twostage_(20|100)|^dining_10/,
  fairPct: /^reorder_(50|100)|^twostage_(20|100)|^dining_10/,
  pctcp: /^reorder_(50|100)|^twostage_(20|100)|^dining_10/,
  idpct: /^reorder_(50|100)|^twostage_(20|100)|^dining_10/,
  // Late by little and rarely: made for what stalls show.
  slow: /^needle/,
  noisyPct: /^twostage_100|^dining_10|^needle pad 100/,
  // It leaves the first ready event's schedule only a few times: bugs that need a crowd or more delays are not there.
  delayBound: /^(?!account|lazy|lost update$|deadlock|string buffer|stack|lease|two generals|retried POST)/,
  // Exhaustive: only what is small.
  dfs: /^(?!account|lazy|lost update$|deadlock|string buffer|lease|two generals|retried POST|rename)/,
}

const LARGE = /_(20|50|100)$|pad (50|100)$/
const subjects = FULL ? PROGRAMS : PROGRAMS.filter(({ name }) => !LARGE.test(name))
const strategies = Object.keys(STRATEGIES) as StrategyName[]

function find(program: Program, name: StrategyName, version: 'broken' | 'fixed', cap: number) {
  return macrotask(() => {
    const strategy = STRATEGIES[name]({ depth: 3 })
    const environment = bareEnvironment(program[version])
    for (let i = 1; i <= cap && strategy.exhausted !== true; i++) {
      const settings = { strategy, environment, maxSteps: 5_000, latenessUs: 1e9 }
      const { failure } = new RaceRun({ ...settings, seed: iterationSeed(7, i) }).execute()
      if (failure !== null) return { schedules: i, failure }
    }
    return null
  })
}

describe.each(strategies)('%s', (name) => {
  const within = subjects.filter((program) => BEYOND[name]?.test(program.name) !== true)

  it.each(within)('finds the bug of $name', { timeout: SOAK_MS }, async (program) => {
    expect(await find(program, name, 'broken', CAP)).not.toBeNull()
  })

  it('finds nothing where nothing is wrong', { timeout: SOAK_MS }, async () => {
    for (const program of subjects) {
      const found = await find(program, name, 'fixed', HELD)
      expect(found, `${program.name}: ${found?.failure.message}`).toBeNull()
    }
  })
})

describe('fast-check, the peer', () => {
  const small = PROGRAMS.filter(({ name }) => /^(lost update|deadlock|account)$/.test(name))

  it.each(small)('finds the bug of $name, in the same body', async ({ broken, fixed }) => {
    const [found, held] = [await withFastCheck(broken, 1, CAP), await withFastCheck(fixed, 1, HELD)]
    expect([found.schedules !== null, held.schedules]).toEqual([true, null])
  })
})

describe('the portfolio, on natural programs in the tank', () => {
  const names = FULL ? NATURAL : NATURAL.slice(0, 3)

  it.each(names)('finds the bug of %s', { timeout: SOAK_MS }, async (name) => {
    expect(await firstFailure(naturalEnvironment(name, 'broken'), 'portfolio', 7, 2_000)).not.toBeNull()
  })

  it.each(names)('finds nothing in %s mended', { timeout: SOAK_MS }, async (name) => {
    const schedules = FULL ? 1_000 : 20
    expect(await firstFailure(naturalEnvironment(name, 'mended'), 'portfolio', 7, schedules)).toBeNull()
  })
})
