import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { run } from './command.ts'

let home: string

beforeEach(() => {
  home = process.cwd()
  process.chdir(mkdtempSync(join(tmpdir(), 'advise-')))
  writeFileSync('a.js', 'export const a = 1\n')
  const git = ['-c', 'user.name=t', '-c', 'user.email=t@example.org']
  for (const args of [['init'], ['add', '.'], [...git, 'commit', '-m', 'first']])
    execFileSync('git', args, { stdio: 'ignore' })
})

afterEach(() => process.chdir(home))

async function advice(...args: string[]): Promise<string> {
  expect(await run(['--advise', ...args, '-o', 'advice.txt'])).toBe(0)
  return readFileSync('advice.txt', 'utf8')
}

it('names the level that a change asks for, what decided it, and the command', async () => {
  writeFileSync('log.js', "import { appendFile } from 'node:fs/promises'\n")
  const text = await advice()
  expect(text).toMatch(/^radioactive, because of log\.js: it writes to a disk/)
  expect(text).toMatch(/npx wavetank run --level radioactive\n$/)
  expect(JSON.parse(await advice('HEAD', '--json'))).toMatchObject({ level: 'radioactive' })
})

it('takes rules of the configuration first', async () => {
  writeFileSync('a.js', 'export const a = 2\n')
  expect(await advice()).toMatch(/^sunny/)
  writeFileSync(
    'wavetank.config.mjs',
    "export default { advise: [{ files: '*.js', level: 'stormy', why: 'by rule' }] }\n",
  )
  expect(await advice()).toMatch(/^stormy, because of a\.js: by rule/)
})

it('refuses a revision that git does not know, and options of a run', async () => {
  await expect(run(['--advise', 'no-such-revision'])).rejects.toThrow(/run --advise: git knows no revision/)
  await expect(run(['--advise', '--seeds', '5'])).rejects.toThrow(/cannot be used with/)
})

it('says where there is no repository', async () => {
  process.chdir(mkdtempSync(join(tmpdir(), 'advise-nowhere-')))
  await expect(run(['--advise'])).rejects.toThrow(/run --advise: \S+ is in no git repository/)
})
