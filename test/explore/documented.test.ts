/**
 * The code of docs/exploration.md and docs/methodology.md: complete programs are type-checked against the public API, and
 * run. The shapes of races, which are parts of a file, are compared with that file in examples/races.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { RaceFolder } from '../../src/explore/search/race-folder.test-support.ts'

const ROOT = new URL('../..', import.meta.url).pathname
const POOL = `${ROOT}test/packages/node_modules/generic-pool`

/** The blocks of a page that are programs: those that import something. */
function programsOf(page: string): string[] {
  const text = readFileSync(`${ROOT}docs/${page}`, 'utf8')
  return [...text.matchAll(/^```(?:ts|js)\n([\s\S]*?)^```$/gm)]
    .map(([, code]) => code)
    .filter((code) => /^import /m.test(code))
}

/** As users have it: the package by its name, strict. Packages that are not installed are anything. */
const TSCONFIG = JSON.stringify({
  extends: `${ROOT}tsconfig.json`,
  compilerOptions: {
    allowJs: true,
    checkJs: true,
    noImplicitAny: false, // the JavaScript of methodology.md has no types
    typeRoots: [`${ROOT}node_modules/@types`],
    paths: {
      'wavetank/vitest': [`${ROOT}src/runners/vitest.ts`],
      'wavetank/explore': [`${ROOT}src/host/explore.ts`],
    },
  },
  include: ['*.ts', '*.mjs'],
  exclude: ['node_modules'],
})

const folders: RaceFolder[] = []
afterAll(() => {
  for (const folder of folders) folder.remove()
})

function folderOf(files: Readonly<Record<string, string>>): RaceFolder {
  const folder = new RaceFolder(files)
  folders.push(folder)
  return folder
}

/** What the compiler says of a folder; empty if all is well. */
function mistakesIn({ folder }: RaceFolder): string {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [`${ROOT}node_modules/typescript/bin/tsc`, '-p', folder],
    {
      encoding: 'utf8',
    },
  )
  return stdout + stderr
}

describe('docs/exploration.md', () => {
  const [first, ...others] = programsOf('exploration.md')
  const accountFile = readFileSync(`${ROOT}test/explore/account-file.ts`, 'utf8')
  const files = { 'transfer.test.ts': first, 'account-file.ts': accountFile, 'tsconfig.json': TSCONFIG }

  it('begins with a race that compiles, and whose bug is found', async () => {
    expect(others).toEqual([])
    const folder = folderOf(files)
    expect(mistakesIn(folder)).toBe('')
    const { failure } = await folder.find('transfer.test.ts', 'two deposits are both kept')
    // One deposit may also read the file while the other is writing it.
    expect(failure.message).toMatch(/^(a deposit was lost|Unexpected end of JSON input)$/)
  })

  it('would not compile against another API', () => {
    const broken = first.replace('t.task(', 't.tusk(')
    expect(mistakesIn(folderOf({ ...files, 'transfer.test.ts': broken }))).toContain("'tusk' does not exist")
  })
})

describe('t.sometimes in docs/exploration.md', () => {
  const text = readFileSync(`${ROOT}docs/exploration.md`, 'utf8')
  const [, code] = /^```ts\n(race\('a client that waits[\s\S]*?)^```$/m.exec(text)!
  const pool = `import { setTimeout as sleep } from 'node:timers/promises'
export class Pool {
  isBusy = false
  private readonly size: number
  constructor(size: number) {
    this.size = size
  }
  async use(): Promise<void> {
    this.isBusy = this.size === 1
    await sleep(10)
    this.isBusy = false
  }
}
`
  const file = (body: string) =>
    `import { race } from 'wavetank/vitest'\nimport { Pool } from './pool.ts'\n${body}`

  it('compiles, and sees what it hopes for', async () => {
    const folder = folderOf({ 'pool.ts': pool, 'pool.test.ts': file(code), 'tsconfig.json': TSCONFIG })
    expect(mistakesIn(folder)).toBe('')
    expect((await folder.explore('pool.test.ts', 'a client that waits is served')).kind).toBe('held')
  })

  it('is a gap if one client cannot meet another', async () => {
    const alone = code.replace(", t.task('b', client)", '')
    const folder = folderOf({ 'pool.ts': pool, 'pool.test.ts': file(alone) })
    expect((await folder.explore('pool.test.ts', 'a client that waits is served')).kind).toBe('gap')
  })
})

describe('docs/methodology.md', () => {
  const [race, outside, ...others] = programsOf('methodology.md')
  const isInstalled = existsSync(POOL)
  if (!isInstalled)
    console.warn('documented.test.ts: generic-pool is not installed in test/packages: not run')

  it('has a race and a plain program that compile', () => {
    expect(others).toEqual([])
    const folder = folderOf({
      'pool.race.mjs': race,
      'outside.mjs': outside,
      'packages.d.ts': "declare module 'generic-pool'\n",
      'tsconfig.json': TSCONFIG,
    })
    expect(mistakesIn(folder)).toBe('')
  })

  it.skipIf(!isInstalled)('finds the open file, in the tank and outside', async () => {
    const folder = folderOf({ 'pool.race.mjs': race, 'outside.mjs': outside })
    cpSync(POOL, `${folder.folder}/node_modules/generic-pool`, { recursive: true })
    const title = 'a pool that is drained and cleared has nothing open'
    expect((await folder.find('pool.race.mjs', title)).failure.message).toBe('1 still open')
    const { stdout } = spawnSync(process.execPath, ['outside.mjs'], { cwd: folder.folder, encoding: 'utf8' })
    expect(stdout).toBe('1 1\n')
  })
})
