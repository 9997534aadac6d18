/**
 * The example plans, executed at smoke by the real command line. docs/plans has the reports of their hardening runs. The
 * plan of a foreign package installs that package first; without a network the test says so and is skipped.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hashOf } from '../../src/plan/run/session.ts'
import { buildOnce } from '../../test/e2e/build.ts'
import { runWavetank } from '../../test/e2e/project.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '')
const folder = mkdtempSync(join(tmpdir(), 'wavetank-plans-'))

beforeAll(buildOnce, 120_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Its last scenario runs on real processes, which need Linux. */
const REAL = process.platform === 'linux' ? ['shard-coordinator'] : []

describe('the example plans at smoke', () => {
  it.each(['kv', 'quorum', ...REAL])(
    '%s: every scenario passes, and the report says no more than that',
    { timeout: 600_000 },
    async (name) => {
      const sessions = join(folder, name)
      const { code, stdout, stderr } = await runWavetank(ROOT, [
        'plan',
        'run',
        `examples/plans/${name}.md`,
        '--session',
        sessions,
      ])
      // On a busy machine a scenario says now and then how long it has run.
      expect(stderr.replaceAll(/^S\d+ (run|control): \d+ s of at most \d+ s .*\n/gm, '')).toBe('')
      expect(stdout).toMatch(/^DONE: /)
      expect(code).toBe(0)
      const report = readFileSync(join(sessions, name, 'latest/findings/report.md'), 'utf8')
      expect(report).toContain('PASS-smoke')
      expect(report).not.toContain('PASS-hardening |')
      expect(report).toContain('the harness works and saw no violation in calm or brief weather')
    },
  )
})

describe('the reports in docs/plans', () => {
  it.each(['kv', 'quorum', 'shard-coordinator', 'proper-lockfile'])('%s: passed at hardening, with the plan as it is', (name) => {
    const report = readFileSync(join(ROOT, `docs/plans/${name}-hardening.md`), 'utf8')
    const plan = readFileSync(join(ROOT, `examples/plans/${name}.md`), 'utf8')
    expect(report).toContain(`examples/plans/${name}.md (${hashOf(plan)})`)
    expect(report).toMatch(/^\*\*DONE\*\*: .* passed at hardening\.$/m)
  })
})

/** A project with the foreign package; null if it cannot be installed. */
function foreignProject(): string | null {
  const project = join(folder, 'foreign')
  mkdirSync(join(project, 'examples'), { recursive: true })
  writeFileSync(join(project, 'package.json'), '{ "type": "module", "private": true }')
  const { status, stderr } = spawnSync(
    'npm',
    ['install', '--no-audit', '--no-fund', '--ignore-scripts', 'proper-lockfile@4'],
    { cwd: project, encoding: 'utf8' },
  )
  if (status !== 0) {
    console.warn(
      `examples/plans: SKIPPED, proper-lockfile cannot be installed (exit code ${status}):\n${stderr.trim().split('\n').slice(-3).join('\n')}`,
    )
    return null
  }
  symlinkSync(ROOT, join(project, 'node_modules/wavetank'))
  cpSync(join(ROOT, 'examples/plans'), join(project, 'examples/plans'), { recursive: true })
  return project
}

describe('the plan of a foreign package', () => {
  it('is blocked without the package, with the command that installs it', { timeout: 60_000 }, async () => {
    const bare = join(folder, 'bare')
    mkdirSync(bare)
    writeFileSync(join(bare, 'package.json'), '{ "type": "module" }')
    cpSync(join(ROOT, 'examples/plans'), join(bare, 'examples/plans'), { recursive: true })
    const { code, stdout } = await runWavetank(bare, ['plan', 'run', 'examples/plans/proper-lockfile.md'])
    expect(stdout).toContain('proper-lockfile is missing: npm install --no-save proper-lockfile')
    expect(stdout).toMatch(/^BLOCKED: /)
    expect(code).toBe(2)
  })

  it('passes at smoke with the package', { timeout: 240_000 }, async (test) => {
    const project = foreignProject()
    if (project === null) return test.skip()
    const { code, stdout } = await runWavetank(project, ['plan', 'run', 'examples/plans/proper-lockfile.md'])
    expect(stdout).toContain('S1  PASS-smoke')
    expect(code).toBe(0)
  })
})
