import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { UsageError } from '../kernel/errors.ts'
import { addToCorpus, faultsIn, readCorpus } from './corpus.ts'
import { corpusExitCode, judgeEntry, verdictOf, type CorpusStatus } from './corpus-verdict.ts'
import type { Replay, SimulationReplay } from './recorded-failure.ts'
import { printTrace, type SimulationTrace } from './trace-file.ts'
import { raceExample, SIMULATION } from './traces.test-support.ts'

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'wavetank-corpus-'))))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('the corpus', () => {
  it('keeps traces of both kinds as they are, under a name that says what they are', async () => {
    const race = await raceExample()
    const corpus = join(folder, 'wavetank-corpus')
    const files = [SIMULATION, race].map((trace) => addToCorpus(corpus, trace).file)
    expect(files[0]).toMatch(/wavetank-corpus\/bank-money-is-conserved-[0-9a-f]{8}\.json$/)
    expect(files[1]).toMatch(/wavetank-corpus\/deposits-[a-z-]+-[0-9a-f]{8}\.json$/)
    expect(readFileSync(files[0], 'utf8')).toBe(printTrace(SIMULATION))
    expect(readCorpus(corpus).map(({ trace }) => trace?.kind)).toEqual(['simulation', 'race'])
  })

  it('refuses the same schedule of the same bug, and names another schedule of it', () => {
    const { file } = addToCorpus(folder, SIMULATION)
    expect(() => addToCorpus(folder, SIMULATION)).toThrow(
      /has this schedule of this bug already.*remove the file/,
    )
    const regrouped = { ...SIMULATION, choices: SIMULATION.choices.toReversed() }
    expect(() => addToCorpus(folder, regrouped)).toThrow(/already/)
    const other = { ...SIMULATION, choices: SIMULATION.choices.slice(1) }
    expect(addToCorpus(folder, other).alike).toEqual([file])
    const failure = { ...SIMULATION.failure, signature: 'another bug' }
    expect(addToCorpus(folder, { ...SIMULATION, failure }).alike).toEqual([])
  })

  it('says why nothing can be written', () => {
    const file = join(folder, 'file')
    writeFileSync(file, '')
    const add = (): unknown => addToCorpus(join(file, 'corpus'), SIMULATION)
    expect(add).toThrow(
      /corpus add: .*file is not a folder; expected a folder .*`corpus` in wavetank\.config\.ts/,
    )
    expect(() => readCorpus(file)).toThrow(/cannot be read: .*expected a folder of trace files/)
  })

  it('is empty where there is no folder, and has only trace files', () => {
    expect(readCorpus(join(folder, 'nothing'))).toEqual([])
    writeFileSync(join(folder, 'README.md'), 'why')
    writeFileSync(join(folder, '.x.json.1.part'), '')
    expect(readCorpus(folder)).toEqual([])
  })

  it('reads the others where a file is cut, is no trace, or has another version', async () => {
    const text = printTrace(SIMULATION)
    writeFileSync(join(folder, 'a.json'), text.slice(0, -40))
    writeFileSync(join(folder, 'b.json'), '{}')
    writeFileSync(join(folder, 'c.json'), text.replace('"version": 2', '"version": 1'))
    writeFileSync(join(folder, 'd.json'), text)
    const entries = readCorpus(folder)
    const results = await Promise.all(
      entries.map((entry) => judgeEntry(entry, () => Promise.resolve(replay({})))),
    )
    expect(results.map(({ status }) => status)).toEqual(['unreadable', 'unreadable', 'stale', 'failing'])
    expect(results[0].reason).toMatch(/a\.json: cannot be read as a trace/)
    expect(results[1].reason).toMatch(/b\.json: .*"format" should be "wavetank-trace"/)
    expect(results[2].reason).toMatch(/c\.json: this is a trace of version 1/)
  })

  it('names the faults that strike', () => {
    const strike = (family: string, beat: number, value: number) =>
      ({ entity: `nemesis ${family} #${beat}`, label: 'strike', index: 0, n: 2, value }) as const
    const choices = [
      strike('reboot', 5, 1),
      strike('reboot', 9, 1),
      strike('loss', 1, 0),
      strike('clock-jump', 0, 1),
    ]
    expect(faultsIn({ ...SIMULATION, choices })).toEqual(['clock-jump', 'reboot'])
    expect(faultsIn(SIMULATION)).toEqual([])
  })
})

/** A replay of the example that fails as recorded, with some changes. */
function replay(changes: Partial<SimulationReplay>): Replay {
  const failure = SIMULATION.failure
  const facts = { kind: 'simulation', trace: SIMULATION, outcome: 'as-recorded', differsFrom: null } as const
  const rest = { changed: [], until: null, failure, log: [], nextActor: null }
  return { ...facts, ...rest, story: { steps: [], omitted: 0, head: 0 }, ...changes }
}

function failure(category: 'divergence' | 'mistake' | 'checker'): SimulationTrace['failure'] {
  return { ...SIMULATION.failure, category, message: 'why', step: 7 }
}

const HOLDS = { outcome: 'holds', failure: null } as const

describe('a replay of an entry', () => {
  it.each<[string, Partial<SimulationReplay>, CorpusStatus, RegExp]>([
    ['fails as recorded', {}, 'failing', /^95 is not 100$/],
    [
      'fails otherwise',
      { outcome: 'otherwise', failure: failure('checker') },
      'failing',
      /in another way: why/,
    ],
    [
      'cannot be judged',
      { outcome: 'otherwise', failure: failure('mistake') },
      'stale',
      /cannot be judged: why/,
    ],
    ['diverges', { outcome: 'diverged', failure: failure('divergence') }, 'stale', /at step 7: why/],
    ['holds after a change', { ...HOLDS, changed: ['bank.js'] }, 'fixed', /it holds.*bank\.js/],
    ['holds without a change', HOLDS, 'stale', /no file of the program changed.*wavetank 0\.1\.0/],
  ])('that %s', (_, changes, status, reason) => {
    expect(verdictOf(replay(changes))).toEqual({ status, reason: expect.stringMatching(reason) })
  })

  it('of a simulation inside a test holds: its trace does not know every file', () => {
    const command = { runner: 'vitest', file: 'a.test.ts', titles: null, folder: '', nodeFlags: [] } as const
    const trace = { ...SIMULATION, config: { ...SIMULATION.config, inline: command } }
    expect(verdictOf(replay({ ...HOLDS, trace })).status).toBe('fixed')
  })

  it('that cannot find the scenario is stale; a failure of wavetank itself is none of its business', async () => {
    const entry = { file: 'a.json', trace: SIMULATION }
    const gone = await judgeEntry(entry, () => Promise.reject(new UsageError('ERR', 'it is gone')))
    expect(gone).toMatchObject({ status: 'stale', reason: 'it is gone', scenario: 'bank' })
    await expect(judgeEntry(entry, () => Promise.reject(new Error('bug')))).rejects.toThrow('bug')
  })

  it('gives the exit code: a violation first, then a file that cannot be read, then a gap', () => {
    const codeOf = (...statuses: CorpusStatus[]): number =>
      corpusExitCode(
        statuses.map((status) => {
          return { status, reason: '', file: '', kind: null, scenario: null, violated: null, replay: '' }
        }),
      )
    expect(codeOf()).toBe(0)
    expect(codeOf('fixed', 'left-out')).toBe(0)
    expect(codeOf('fixed', 'stale')).toBe(2)
    expect(codeOf('stale', 'unreadable')).toBe(254)
    expect(codeOf('unreadable', 'failing', 'stale')).toBe(1)
  })
})
