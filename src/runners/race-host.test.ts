import { afterEach, describe, expect, it, vi } from 'vitest'
import { racePath } from '../failures/keep.ts'
import { raceHost } from './race-host.ts'

describe('where the finding of a race is kept', () => {
  it('can be guessed from its file and title', () => {
    expect(racePath({ file: 'test/bank.race.ts', title: 'deposits are kept' })).toBe(
      '.wavetank/races/test-bank.race.ts/deposits-are-kept.trace.json',
    )
  })

  it('is in a folder for each group around it', () => {
    expect(racePath({ file: 'bank.race.ts', title: 'an account > of two > keeps deposits' })).toBe(
      '.wavetank/races/bank.race.ts/an-account/of-two/keeps-deposits.trace.json',
    )
  })

  it('is in the folder of its suite, where it says one', () => {
    expect(racePath({ file: 'bank.race.ts', title: 'deposits', suite: 'nightly / node 24' })).toBe(
      '.wavetank/races/nightly-node-24/deposits.trace.json',
    )
  })

  it('is another place for every file and every title', () => {
    const paths = [
      { file: 'a.test.ts', title: 'holds' },
      { file: 'b.test.ts', title: 'holds' },
      { file: 'b.test.ts', title: 'holds: again' },
      { file: 'b.test.ts', title: 'holds? again' },
      { file: 'b.test.ts', title: `${'long '.repeat(20)}1` },
      { file: 'b.test.ts', title: `${'long '.repeat(20)}2` },
      { file: 'b.test.ts', title: 'holds > again' },
      { file: 'b.test.ts', title: '.. > .. > again' },
      { file: 'b.test.ts', title: '锁' },
    ].map(racePath)
    expect(new Set(paths).size).toBe(paths.length)
    for (const path of paths) expect(path).toMatch(/^\.wavetank\/races\/[ab]\.test\.ts\//)
    expect(paths.at(-1)).toBe('.wavetank/races/b.test.ts/锁.trace.json')
  })
})

describe('WAVETANK_JOBS', () => {
  afterEach(() => void vi.unstubAllEnvs())

  const jobs = (text: string | undefined): number => {
    vi.stubEnv('WAVETANK_JOBS', text)
    return raceHost(() => ({ modules: {} }))
      .tank(import.meta.filename)
      .threads!.jobs()
  }

  it('is how many threads an exploration has that says nothing of it', () => {
    expect(jobs('3')).toBe(3)
    expect(jobs(undefined)).toBe(1)
    expect(jobs('')).toBe(1)
  })

  it.each(['0', '-1', '1.5', 'NaN', 'x', ' ', '0x2'])('cannot be "%s"', (text) => {
    expect(() => jobs(text)).toThrow(
      `WAVETANK_JOBS: expected a whole number of threads, 1 or more, and got ${text === '0' ? '0' : `'${text}'`}`,
    )
  })
})
