/**
 * wavetank with its dependencies and nothing else: the package as it would be installed where neither of its optional
 * peers is, vitest and Anthropic's SDK.
 */
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { buildOnce } from './build.ts'
import { CLI, runNode, type Outcome } from './project.ts'

const PACKAGE = join(CLI, '../../..')
const DEPOSITS = new URL('../explore/fixtures/deposits.mjs', import.meta.url)
const TRACE = '.wavetank/races/deposits.mjs/two-deposits-are-kept.trace.json'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'wavetank-bare-')))

beforeAll(buildOnce, 120_000)
beforeAll(async () => {
  const modules = join(folder, 'node_modules')
  const text = readFileSync(join(PACKAGE, 'package.json'), 'utf8')
  const { dependencies } = JSON.parse(text) as { dependencies: Record<string, string> }
  for (const name of Object.keys(dependencies)) {
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(join(PACKAGE, 'node_modules', name), join(modules, name))
  }
  // Copied, not linked: what it imports is looked for where it lies.
  for (const part of ['package.json', 'dist'])
    cpSync(join(PACKAGE, part), join(modules, 'wavetank', part), { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  cpSync(DEPOSITS, join(folder, 'deposits.mjs'))
  await runNode(folder, ['--test', 'deposits.mjs'])
}, 120_000)
afterAll(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
})

const wavetank = (...args: string[]): Promise<Outcome> =>
  runNode(folder, ['node_modules/wavetank/dist/cli/main.js', ...args])

describe('without its optional peers, wavetank', () => {
  it('replays a race that was found under node:test', async () => {
    const { stdout, code } = await wavetank('replay', TRACE)
    expect(stdout).toContain('replayed: the same run, to the last step')
    expect(code).toBe(1)
  })

  it('says what explain would send', async () => {
    const { stdout, code } = await wavetank('explain', TRACE, '--dry-run')
    expect(stdout).toContain('<file path="deposits.mjs">')
    expect(code).toBe(0)
  })

  it('says how to install what explain needs', async () => {
    for (const [name, value] of Object.entries({ CI: '', WAVETANK_LLM: '', ANTHROPIC_API_KEY: 'a key' }))
      vi.stubEnv(name, value)
    const { stdout, stderr, code } = await wavetank('explain', TRACE)
    expect(stderr).toContain('wavetank: explain: it needs the package @anthropic-ai/sdk; npm install')
    expect(stdout).toBe('')
    expect(code).toBe(254)
  })

  it('says so when the package is there and cannot be loaded', async () => {
    const sdk = join(folder, 'node_modules/@anthropic-ai/sdk')
    mkdirSync(sdk, { recursive: true })
    writeFileSync(
      join(sdk, 'package.json'),
      '{ "name": "@anthropic-ai/sdk", "type": "module", "main": "index.js" }',
    )
    writeFileSync(join(sdk, 'index.js'), `import 'what-it-needs'`)
    const { stderr, code } = await wavetank('explain', TRACE)
    expect(stderr).toMatch(
      /^wavetank: explain: it cannot load the package @anthropic-ai\/sdk: .*'what-it-needs'/,
    )
    expect(code).toBe(254)
  })
})
