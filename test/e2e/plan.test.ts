/** `wavetank plan` as people use it: from the shell, with plans that are wrong, sessions that are killed, files in the way. */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { planText } from '../../src/plan/run/session.test-support.ts'
import { SCRIPT } from '../../src/plan/run/session.test-support.ts'
import { buildOnce } from './build.ts'
import { CLI, throwAwayProjects, type Project } from './project.ts'

beforeAll(buildOnce, 120_000)

/** Elsewhere nothing is known of the processes of another session. */
const LINUX = process.platform === 'linux'
const STILL_RUNNING = 'is still running the session'
const LEFT_RUNNING = 'ended what an earlier part of this session had left running'

function isRunning(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' })
  return stdout.trim() !== '' && !stdout.trim().startsWith('Z')
}
const project = throwAwayProjects()

/** The kv plan cites files of this repository. */
const CITED = Object.fromEntries(
  ['store.js', 'client.js', 'kv-workload.ts'].map((name) => [`examples/kv/${name}`, 'line\n'.repeat(20)]),
)

/** A node of Maelstrom that answers with a value of its own. */
const ECHO = (value: string): string => `
import { createNode } from 'wavetank/maelstrom'
createNode().on('echo', ({ body }) => ({ type: 'echo_ok', echo: ${value} }))
`

function planProject(plan: Parameters<typeof planText>[0]): Project {
  return project({ 'plan.md': planText(plan), 'run.mjs': SCRIPT, ...CITED })
}

describe('wavetank plan', () => {
  it(
    'lints: exit 0 without gaps, 2 with gaps, 254 for a file that is no plan',
    { timeout: 60_000 },
    async () => {
      const good = planProject({ s1: 'good', s2: 'good' })
      expect(await good.wavetank('plan', 'lint', 'plan.md')).toMatchObject({
        code: 0,
        stdout: 'plan.md: no gaps\n',
      })
      good.write({
        'bad.md': good.read('plan.md').replace('`power-loss`', '`gremlins`'),
        'not.md': '\u0000\u0001',
      })
      const bad = await good.wavetank('plan', 'lint', 'bad.md')
      expect(bad).toMatchObject({ code: 2 })
      expect(bad.stdout).toMatch(/^bad\.md:\d+ {2}§7 S1 {2}there is no nemesis "gremlins".*\n1 gap\n$/)
      const not = await good.wavetank('plan', 'lint', 'not.md')
      expect(not).toMatchObject({ code: 254, stdout: '' })
      expect(not.stderr).toContain('not.md is not a plan in Markdown: it is binary')
      expect((await good.wavetank('plan', 'lint', 'gone.md')).stderr).toContain('gone.md cannot be read')
    },
  )

  it('refuses an option that the action does not have', { timeout: 60_000 }, async () => {
    const { code, stderr } = await planProject({ s1: 'good', s2: 'good' }).wavetank(
      'plan',
      'lint',
      'plan.md',
      '--budget',
      'smoke',
    )
    expect(code).toBe(254)
    expect(stderr).toContain('plan lint has no option --budget')
  })

  it(
    'resumes a session that was killed, and refuses one whose plan changed',
    { timeout: 120_000 },
    async () => {
      const { folder, wavetank, read, write } = bound(planProject({ s1: 'good', s2: 'hang-once' }))
      const first = spawn(process.execPath, [CLI, 'plan', 'run', 'plan.md'], { cwd: folder, stdio: 'ignore' })
      await vi.waitFor(() => expect(existsSync(join(folder, 'hanging.pid'))).toBe(true), {
        timeout: 60_000,
        interval: 100,
      })
      const twice = LINUX ? await wavetank('plan', 'run', 'plan.md', '--resume') : null
      expect(twice?.stderr ?? STILL_RUNNING).toContain(STILL_RUNNING)
      first.kill('SIGKILL')
      const orphan = Number(read('hanging.pid'))
      if (!LINUX) process.kill(orphan, 'SIGKILL')
      expect(read('.wavetank/plans/plan/latest/findings/S1.md')).toContain('PASS-smoke')

      const resumed = await wavetank('plan', 'run', 'plan.md', '--resume')
      expect(resumed.stdout).toMatch(/^DONE: /)
      const log = read('.wavetank/plans/plan/latest/session-log.md')
      expect(log).toContain('S1 run: done in an earlier part of this session')
      expect(log.match(/S1 run: `command/g)).toHaveLength(1)
      expect(LINUX ? log : LEFT_RUNNING).toContain(LEFT_RUNNING)
      expect(LINUX && isRunning(orphan)).toBe(false)

      write({ 'plan.md': `${read('plan.md')}\nChanged.\n` })
      const changed = await wavetank('plan', 'run', 'plan.md', '--resume')
      expect(changed).toMatchObject({ code: 254 })
      expect(changed.stderr).toContain('demands must not change once results are there')
    },
  )

  it('refuses a session folder that cannot be written', { timeout: 60_000 }, async () => {
    const here = planProject({ s1: 'good', s2: 'good' })
    here.write({ taken: 'a file' })
    const { code, stderr } = await here.wavetank('plan', 'run', 'plan.md', '--session', 'taken')
    expect(code).toBe(254)
    expect(stderr).toContain('cannot be written')
  })

  it(
    'exits with 1 for a violation, judges evidence without a run, and says what would blame',
    { timeout: 60_000 },
    async () => {
      const here = planProject({ s1: 'violated', s2: 'good' })
      const { code, stdout } = await here.wavetank('plan', 'run', 'plan.md', '--scenario', 'S1')
      expect(code).toBe(1)
      expect(stdout).toContain('S1  FAIL-reproducible')
      const evidence = '.wavetank/plans/plan/latest/artifacts/S1/run/attempt-1/evidence.json'
      const judged = await here.wavetank(
        'plan',
        'verdict',
        'plan.md',
        '--scenario',
        'S1',
        '--evidence',
        evidence,
      )
      expect(judged).toMatchObject({ code: 1 })
      expect(judged.stdout).toContain('FAIL-reproducible')
      const blamed = await here.wavetank('plan', 'blame', 'plan.md', '--scenario', 'S1')
      expect(blamed.code).toBe(2)
      expect(blamed.stdout).toMatch(
        /S1: unknown\n[^]*pending: another generator\n[^]*add to S1 of plan\.md, with a binding each: `- \*\*Swap generator\*\*: …`, `- \*\*Swap checker\*\*: …`/,
      )
      here.write({ 'cut.json': here.read(evidence).slice(0, 200) })
      const cut = await here.wavetank(
        'plan',
        'verdict',
        'plan.md',
        '--scenario',
        'S1',
        '--evidence',
        'cut.json',
      )
      expect(cut).toMatchObject({ code: 254 })
      expect(cut.stderr).toContain('cut.json is no evidence: it is cut off')
    },
  )

  it(
    'authors skeletons, stages them, commits nothing and overwrites nothing silently',
    { timeout: 120_000 },
    async () => {
      const skeleton =
        '- **Target test file**: `test/auto/s1.test.ts`\n- **Skeleton**: for vitest\n\n  ```ts\n  // TODO workload\n  // TODO faults\n  // TODO oracle\n  ```\n\n'
      const here = planProject({
        s1: 'good',
        s2: 'good',
        change: (text) => text.replace('- **Audit**:', `${skeleton}- **Audit**:`),
      })
      const git = (...args: string[]): string =>
        spawnSync('git', args, { cwd: here.folder, encoding: 'utf8' }).stdout
      git('init')
      const written = await here.wavetank('plan', 'run', 'plan.md', '--author')
      expect(written.stdout).toContain('staged, not committed: test/auto/s1.test.ts')
      expect(git('diff', '--cached', '--name-only')).toContain('test/auto/s1.test.ts')
      expect(git('log', '--oneline')).toBe('')
      expect(here.read('test/auto/s1.test.ts')).toMatch(/^\/\/ AUTO-GENERATED[^]*\n\n\/\/ TODO workload\n/)
      expect((await here.wavetank('plan', 'run', 'plan.md', '--author')).stdout).toContain('is as declared')

      here.write({ 'test/auto/s1.test.ts': 'mine' })
      const skipped = await here.wavetank('plan', 'run', 'plan.md', '--author')
      expect(skipped).toMatchObject({ code: 2 })
      expect(here.read('test/auto/s1.test.ts')).toBe('mine')
      await here.wavetank('plan', 'run', 'plan.md', '--author', '--existing', 'sibling')
      expect(here.read('test/auto/s1.test.ts.new')).toContain('AUTO-GENERATED')
      await here.wavetank('plan', 'run', 'plan.md', '--author', '--existing', 'overwrite')
      expect(here.read('test/auto/s1.test.ts')).toContain('AUTO-GENERATED')
    },
  )

  it('scaffolds a plan for a change, and leaves early when none is needed', { timeout: 60_000 }, async () => {
    const here = project({
      'README.md': 'Writes are never lost.\n',
      'log.js': 'export const a = 1\n',
      'server.js': "import './log.js'\n",
      'log.sim.js': `import { simulation } from 'wavetank'
        export default simulation('log', { processes: {}, workload: { run() {} }, invariants: { 'a write is kept': () => true } })`,
    })
    const git = (...args: string[]): void =>
      void spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: here.folder })
    git('init')
    git('add', 'README.md', 'log.js', 'log.sim.js', 'server.js', 'package.json')
    git('commit', '-m', 'first')
    writeFileSync(join(here.folder, '.gitignore'), 'node_modules\n')
    writeFileSync(join(here.folder, 'README.md'), 'Writes are never lost!\n')
    const early = await here.wavetank('plan', 'new', '--change', 'HEAD')
    expect(early).toMatchObject({ code: 0 })
    expect(early.stdout).toContain('no plan is needed: only documents changed')

    here.write({ 'log.js': 'export const a = 2\n' })
    const { code, stdout } = await here.wavetank('plan', 'new', '--change', 'HEAD')
    expect(code).toBe(0)
    expect(stdout).toContain('plans/change-HEAD.md written: 1 claim')
    const text = readFileSync(join(here.folder, 'plans/change-HEAD.md'), 'utf8')
    expect(text).toContain('| C1 | Writes are never lost! | durability | README.md:1 | no |')
    expect(text).toMatch(/- log\.js[^]*- server\.js/)
    expect(text).toContain('- **Run**: `simulation log`\n')
    expect(text).toContain('- **Checker**: `invariant: a write is kept`, TODO')
    expect((await here.wavetank('plan', 'new', '--change', 'HEAD')).stderr).toContain(
      'exists; name another with --output',
    )
    expect((await here.wavetank('plan', 'new', '--change', 'no-such')).stderr).toContain(
      'git knows no revision',
    )
  })

  it(
    'binds a scenario to Maelstrom tests: landed kills pass, a wrong node fails with its reproducer',
    { timeout: 240_000 },
    async () => {
      const rest = '--node-count 3 --time-limit 10 --rate 10 --nemesis kill --nemesis-interval 2'
      const bound = (file: string) => (text: string) => {
        const [first, second] = text.split('### S2')
        const scenario = first
          .replace('`command node run.mjs good`', `\`maelstrom -w echo --bin ./${file} ${rest}\``)
          .replace('`command node run.mjs violated`', `\`maelstrom -w echo --bin ./shout.mjs ${rest}\``)
          .replace(/\*\*Faults\*\*: .*/, '**Faults**: `hard-kill`')
          .replace(/(\*\*Checker\*\*:) `invariant: [^`]*`/, '$1 `maelstrom echo`')
          .replace(/(\*\*Hardening budget\*\*:) .*/, '$1 seeds 4, level stormy, operations 100, timeout 3m')
        return [scenario, second].join('### S2')
      }
      const here = planProject({ s1: 'good', s2: 'good', change: bound('echo.mjs') })
      here.write({ 'echo.mjs': ECHO('body.echo'), 'shout.mjs': ECHO("body.echo + '!'") })
      const held = await here.wavetank('plan', 'run', 'plan.md', '--scenario', 'S1', '--budget', 'hardening')
      expect(held.stdout).toContain('S1  PASS-hardening')
      expect(held.code).toBe(0)
      const report = here.read('.wavetank/plans/plan/latest/findings/report.md')
      expect(report).toMatch(/hard-kill \d+ \(\d+ signals\)/)
      expect(report).toContain('rejected by checker: maelstrom echo')

      here.write({ 'plan.md': planText({ s1: 'good', s2: 'good', change: bound('shout.mjs') }) })
      const failed = await here.wavetank('plan', 'run', 'plan.md', '--scenario', 'S1')
      expect(failed).toMatchObject({ code: 1 })
      expect(failed.stdout).toContain('S1  FAIL-reproducible')
      expect(here.read('.wavetank/plans/plan/latest/findings/S1.md')).toMatch(
        /Reproducer: `npx wavetank maelstrom test -w echo --bin \.\/shout\.mjs .*--seed 1`/,
      )
    },
  )

  it('explores a race and writes its evidence', { timeout: 60_000 }, async () => {
    const race =
      "import { race } from 'wavetank/node-test'\nimport { readFile, writeFile } from 'node:fs/promises'\nrace('an update is lost', async (t) => {\n  await writeFile('/tmp/n', '0')\n  const add = async () => writeFile('/tmp/n', String(Number(await readFile('/tmp/n', 'utf8')) + 1))\n  await Promise.all([t.task('a', add), t.task('b', add)])\n  t.assert((await readFile('/tmp/n', 'utf8')) === '2', 'lost')\n})\n"
    const here = project({ 'update.race.mjs': race })
    const { code } = await here.wavetank(
      'plan',
      'race',
      'update.race.mjs › an update is lost',
      '--seeds',
      '2',
      '--iterations',
      '50',
      '--output',
      'e.json',
    )
    expect(code).toBe(1)
    const evidence = JSON.parse(here.read('e.json')) as { violations: unknown[]; faults: unknown[] }
    expect(evidence.violations).toMatchObject([{ message: 'lost', reruns: { tried: 1, failedAgain: 1 } }])
    expect(evidence.faults).toMatchObject([{ nemesis: 'schedule' }])
  })
})

/** The methods of a project, to be taken apart. */
function bound(here: Project): Pick<Project, 'folder' | 'wavetank' | 'read' | 'write'> {
  return {
    folder: here.folder,
    wavetank: here.wavetank.bind(here),
    read: here.read.bind(here),
    write: here.write.bind(here),
  }
}
