/** Races in the corpus: added, checked, fixed, and stale when the race asks for other choices. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DEPOSITS, RaceProject } from './race-project.ts'

/** It holds in the order of the calls: to fail it needs another choice. */
const LAST_WRITE = `import { readFile, writeFile } from 'node:fs/promises'
import { race } from 'wavetank/vitest'

const PATH = '/tmp/last'

race('last write', async (t) => {
  await Promise.all([writeFile(PATH, '1'), writeFile(PATH, '2')])
  t.assert((await readFile(PATH, 'utf8')) === '2', 'the first write came last')
})
`

interface Entry {
  readonly file: string
  readonly kind: string
  readonly scenario: string
  readonly status: string
  readonly reason: string
}

describe('a race in the corpus', () => {
  const projects: RaceProject[] = []
  const projectOf = (files: Readonly<Record<string, string>>): RaceProject => {
    projects.push(new RaceProject(files))
    return projects.at(-1)!
  }
  let trace: string
  afterAll(() => projects.forEach((project) => project.remove()))

  const check = async (project: RaceProject): Promise<{ code: number; entry: Entry }> => {
    const { code, stdout } = await project.command('corpus', 'check', '--json')
    return { code, entry: (JSON.parse(stdout) as Entry[])[0] }
  }

  /** The entry in a project whose race is another now: a thread reads a project's files once. */
  const checkWith = (race: string): Promise<{ code: number; entry: Entry }> =>
    check(projectOf({ 'bank.race.ts': race, 'wavetank-corpus/deposits.json': trace }))

  beforeAll(async () => {
    const project = projectOf({ 'bank.race.ts': DEPOSITS })
    const recorded = await project.record('bank.race.ts', 'deposits')
    const { code, stdout } = await project.command('corpus', 'add', recorded, '--json')
    if (code !== 0) throw new Error(`corpus add ended with ${code}: ${stdout}`)
    trace = project.read((JSON.parse(stdout) as { file: string }).file)
  })

  it('still fails while the race is as it was', async () => {
    expect(await check(projects[0])).toMatchObject({
      code: 1,
      entry: { kind: 'race', scenario: 'deposits', status: 'failing', reason: 'a deposit was lost' },
    })
  })

  it('is fixed when the recorded order holds', async () => {
    const fixed = DEPOSITS.replace('(await balance()) === 2', '(await balance()) >= 1')
    expect(await checkWith(fixed)).toMatchObject({ code: 0, entry: { status: 'fixed' } })
  })

  it('is stale when the race asks for other choices', async () => {
    const project = projectOf({ 'bank.race.ts': LAST_WRITE })
    const recorded = await project.record('bank.race.ts', 'last write')
    expect(project.finding(recorded).choices.length).toBeGreaterThan(0)
    const one = LAST_WRITE.replace("writeFile(PATH, '1'), ", '')
    const changed = projectOf({ 'bank.race.ts': one, 'wavetank-corpus/a.json': project.read(recorded) })
    expect(await check(changed)).toMatchObject({
      code: 2,
      entry: { status: 'stale', reason: expect.stringContaining('diverges') },
    })
  })

  it('is stale when the race is gone', async () => {
    const renamed = DEPOSITS.replace("race('deposits'", "race('withdrawals'")
    expect(await checkWith(renamed)).toMatchObject({ code: 2, entry: { status: 'stale' } })
  })
})
