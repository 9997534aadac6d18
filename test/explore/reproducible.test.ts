/** The same seed and the same iterations give the same trace file, byte for byte, and it replays every time. */
import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { macrotask } from '../../src/explore/running/macrotask.ts'
import { rerun } from '../../src/explore/running/program.ts'
import { openRace, openRaceTrace } from '../../src/cli/failure/open-failure.ts'
import { DEPOSITS, RaceProject } from './race-project.ts'

const ROOT = new URL('../..', import.meta.url).pathname
const REPLAYS = process.env.WAVETANK_FULL === '1' ? 100 : 10

describe('a race', () => {
  let project: RaceProject

  beforeAll(() => {
    project = new RaceProject({ 'bank.race.ts': DEPOSITS })
  })
  afterAll(() => project.remove())

  /** Explores in a process of its own, and returns the bytes of the trace. */
  function traceOfProcess(seed: number): string {
    const folder = `${project.folder}/.wavetank/races`
    rmSync(folder, { recursive: true, force: true })
    const { stderr, status } = spawnSync(
      process.execPath,
      [
        '--import',
        `${ROOT}scripts/typescript.mjs`,
        `${ROOT}test/explore/explore-once.ts`,
        `${project.folder}/bank.race.ts`,
        'deposits',
        String(seed),
      ],
      { encoding: 'utf8' },
    )
    expect(stderr).toBe('')
    expect(status).toBe(0)
    return readFileSync(`${folder}/bank.race.ts/deposits.trace.json`, 'utf8')
  }

  it('has one trace per seed, whichever process writes it', () => {
    const first = traceOfProcess(3)
    expect(traceOfProcess(3)).toBe(first)
    expect(traceOfProcess(4)).not.toBe(first)
  })

  it(`replays ${REPLAYS} times of ${REPLAYS}`, async () => {
    const trace = await project.record('bank.race.ts', 'deposits', { seed: 3 })
    const path = `${project.folder}/${trace}`
    const race = openRaceTrace(path, 'replay')
    const { program } = await openRace(race, path)
    let same = 0
    for (let i = 0; i < REPLAYS; i++) {
      const { failure, hash } = await macrotask(() => rerun(program, race.seed, race.choices, 'diverge'))
      if (failure?.key === race.config.finding.failure.key && hash === race.digest) same++
    }
    expect(same).toBe(REPLAYS)
  })
})
