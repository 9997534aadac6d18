import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { run } from './command.ts'

const WAITS = 'Atomics.wait(cells, 0, 0)\n'
let home: string

beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'review-'))
  home = process.cwd()
  process.chdir(folder)
})

afterEach(() => {
  process.chdir(home)
  vi.restoreAllMocks()
})

async function review(...args: string[]): Promise<{ code: number; text: string }> {
  let text = ''
  vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    text += String(chunk)
    return true
  })
  const code = await run(args)
  vi.restoreAllMocks()
  return { code, text }
}

function files(texts: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(texts)) {
    mkdirSync(join(name, '..'), { recursive: true })
    writeFileSync(name, text)
  }
}

function git(...args: string[]): void {
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], { stdio: 'ignore' })
}

describe('wavetank review', () => {
  it('exits with 1 at a finding that blocks, and says where, why and what to do', async () => {
    files({ 'src/a.ts': `let cells\n${WAITS}` })
    const { code, text } = await review('src')
    expect(code).toBe(1)
    expect(text).toMatch(/^BLOCK blocked-thread\n {2}src\/a\.ts:2:1 /)
    expect(text).toMatch(/why .*\n.*fix /)
    expect(text).toMatch(/1 files, 3 lines: 1 block, 0 warn, 0 info/)
  })

  it('lets warnings pass unless --fail-on asks for them', async () => {
    files({ 'a.js': 'items.forEach(async (item) => { await save(item) })\n' })
    expect((await review()).code).toBe(0)
    expect((await review('--fail-on', 'warn')).code).toBe(1)
  })

  it('leaves out tests and what a build wrote, unless they are named', async () => {
    files({ 'a.js': '', 'a.test.js': WAITS, 'dist/a.js': WAITS, 'node_modules/a/a.js': WAITS })
    expect((await review()).code).toBe(0)
    expect((await review('a.test.js')).code).toBe(1)
  })

  it('knows which installed packages have native addons', async () => {
    files({
      'a.js':
        "import a from 'built'\nimport b from 'shipped/sub'\nimport c from 'plain'\nimport d from 'absent'\n",
      'node_modules/built/package.json': '{}',
      'node_modules/built/binding.gyp': '{}',
      'node_modules/shipped/package.json': '{ "optionalDependencies": { "shipped-here": "1" } }',
      'node_modules/shipped-here/package.json': '{}',
      'node_modules/shipped-here/it.node': '',
      'node_modules/plain/package.json': '{}',
    })
    const { findings } = JSON.parse((await review('--json')).text) as { findings: { line: number }[] }
    expect(findings.map(({ line }) => line)).toEqual([1, 2])
  })

  it('reports only lines changed since a revision', async () => {
    files({ 'old.js': WAITS, 'changed.js': WAITS })
    git('init')
    git('add', '.')
    git('commit', '-m', 'first')
    files({ 'changed.js': `${WAITS}let a\n${WAITS}`, 'new.js': WAITS })
    const { text } = await review('--since', 'HEAD', '--json')
    const { findings } = JSON.parse(text) as { findings: { file: string; line: number }[] }
    expect(findings.map(({ file, line }) => `${file}:${line}`)).toEqual(['changed.js:3', 'new.js:1'])
  })

  it('writes annotations for GitHub', async () => {
    files({ 'a.js': WAITS })
    expect((await review('--reporter', 'github')).text).toMatch(
      /^::error file=a\.js,line=1,col=1,title=blocked-thread::/,
    )
  })

  it('writes to a file, and refuses one that cannot be written before it reads anything', async () => {
    files({ 'a.js': WAITS })
    await review('--json', '-o', 'out.json')
    expect(JSON.parse(readFileSync('out.json', 'utf8'))).toMatchObject({ version: 1, files: 1 })
    await expect(run(['-o', 'no/such/folder/out.txt'])).rejects.toThrow(/cannot be written/)
  })

  it('answers 2 if there is nothing to review, or a file cannot be parsed', async () => {
    expect((await review()).code).toBe(2)
    files({ 'broken.js': 'const = 1' })
    const { code, text } = await review()
    expect(code).toBe(2)
    expect(text).toMatch(/not read broken\.js: /)
  })

  it.each([
    [['nowhere'], /no file or folder nowhere/],
    [['--since', 'no-such-revision'], /git knows no revision/],
    [['--fail-on', 'all'], /Allowed choices are block, warn, info/],
  ])('refuses %j', async (args, message) => {
    await expect(run(args)).rejects.toThrow(message)
  })
})
