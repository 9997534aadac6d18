import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { UsageError } from '../../kernel/errors.ts'
import { PlanProject, type CommandPlan } from './session.test-support.ts'
import { Session } from './session.ts'
import type { SessionResult } from './session-result.ts'

const projects: PlanProject[] = []
afterEach(() => projects.splice(0).forEach((project) => project.remove()))

function made(plan: CommandPlan): PlanProject {
  const project = new PlanProject(plan)
  projects.push(project)
  return project
}

const states = ({ scenarios }: SessionResult): string[] => scenarios.map(({ state }) => state)
const reasons = ({ scenarios }: SessionResult, id: string): string =>
  scenarios.find((each) => each.id === id)!.arms[0].verdict.reasons.join('; ')
const read = (session: Session, name: string): string => readFileSync(session.path(name), 'utf8')

/** A zombie, whose parent is gone and has not been waited for, does not run. */
function isRunning(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' })
  return stdout.trim() !== '' && !stdout.trim().startsWith('Z')
}

describe('executing a plan', () => {
  it('leaves a folder with log, output, metrics, evidence, findings and report', async () => {
    const project = made({ s1: 'good', s2: 'good' })
    const session = project.newSession()
    const result = await project.execute(session)
    expect(states(result)).toEqual(['PASS-smoke', 'PASS-smoke'])
    expect(result.verdict).toBe('DONE')
    expect(read(session, 'session-log.md')).toContain(
      'S1 control: rejected by invariant: a read sees the last write',
    )
    expect(read(session, 'logs/S1-run.log')).toContain('scenario S1 for scenario')
    expect(JSON.parse(read(session, 'metrics/S1-run.json'))).toMatchObject({ seeds: { held: 5, of: 5 } })
    expect(existsSync(session.path('artifacts/S2/run/attempt-1/evidence.json'))).toBe(true)
    expect(read(session, 'findings/S1.md')).toContain('**PASS-smoke** at smoke')
    expect(read(session, 'findings/report.md')).toContain('**DONE**')
    expect(readdirSync(session.path('findings')).filter((name) => name.endsWith('.part'))).toEqual([])
  })

  it('runs a violation again, and tells what fails again from what does not', async () => {
    const project = made({ s1: 'violated', s2: 'once' })
    const session = project.newSession()
    const result = await project.execute(session)
    expect(states(result)).toEqual(['FAIL-reproducible', 'FAIL-nondeterministic'])
    expect(result.verdict).toBe('FAIL')
    const finding = read(session, 'findings/S1.md')
    expect(finding).toContain('Severity: P0')
    expect(finding).toContain('TaxDC type: ordering')
    expect(finding).toContain('pending `npx wavetank plan blame plan.md --scenario S1`')
    expect(read(session, 'findings/report.md')).toContain(
      '\n  The same bug as a story:\n\n  ```\n  1.000s  kv  loses power\n  ```\n',
    )
    expect(read(session, 'findings/report.md')).toMatch(/C1.*: less \(S1: the claim is violated/)
  })

  it('ends a command that hangs, with everything that it started, and goes on', async () => {
    const project = made({ s1: 'hang', s2: 'good', timeout: '1s' })
    const result = await project.execute()
    expect(states(result)).toEqual(['INCONCLUSIVE-oracle-too-weak', 'PASS-smoke'])
    expect(reasons(result, 'S1')).toContain('did not end in time')
    const pid = Number(readFileSync(join(project.folder, 'hanging.pid'), 'utf8'))
    expect(isRunning(pid)).toBe(false)
  })

  it.each([
    ['cut', /is cut off/],
    ['version', /is of version 7, and this wavetank reads version 1/],
    ['other', /its `kind` is not "evidence"/],
    ['nothing', /wrote no evidence/],
    ['crash', /ended with code 3; it wrote no evidence, and last: Error: no way/],
  ])('takes evidence that is no evidence as a note, and goes on: %s', async (how, note) => {
    const project = made({ s1: how, s2: 'good' })
    const session = project.newSession()
    const result = await project.execute(session)
    expect(states(result)).toEqual(['INCONCLUSIVE-oracle-too-weak', 'PASS-smoke'])
    expect(read(session, 'findings/S1.md')).toMatch(note)
    const written = session.path('artifacts/S1/run/attempt-1/written-evidence.json')
    expect(existsSync(written)).toBe(!['nothing', 'crash'].includes(how))
  })

  it.each([
    ['good-then-crash', /ended with code 3/],
    ['good-then-killed', /ended with code 137|was ended by a signal/],
  ])('does not take evidence for that of a whole run if its command failed: %s', async (how, note) => {
    const project = made({ s1: how, s2: 'violated-then-crash' })
    const session = project.newSession()
    const result = await project.execute(session)
    expect(states(result)).toEqual(['INCONCLUSIVE-oracle-too-weak', 'FAIL-reproducible'])
    expect(reasons(result, 'S1')).toContain('the run crashed')
    expect(read(session, 'findings/S1.md')).toMatch(note)
  })

  it('calls an oracle too weak that does not reject the negative control', async () => {
    const result = await made({ s1: 'good', s2: 'good', control: 'good' }).execute()
    expect(states(result)).toEqual(['INCONCLUSIVE-oracle-too-weak', 'INCONCLUSIVE-oracle-too-weak'])
    expect(reasons(result, 'S1')).toContain('did not reject the negative control')
    expect(result.verdict).toBe('INCONCLUSIVE')
  })

  it('does not take a control that crashes for one that is rejected', async () => {
    const result = await made({ s1: 'good', s2: 'good', control: 'crash' }).execute()
    expect(states(result)[0]).toBe('INCONCLUSIVE-oracle-too-weak')
  })

  it('says what the environment lacks, with the hint, and starts nothing', async () => {
    const change = (text: string): string => text.replace('`node --version`', '`no-such-program --version`')
    const project = made({ s1: 'good', s2: 'good', change })
    const session = project.newSession()
    const result = await project.execute(session)
    expect(states(result)).toEqual(['INCONCLUSIVE-env', 'INCONCLUSIVE-env'])
    expect(result.verdict).toBe('BLOCKED')
    expect(read(session, 'findings/S1.md')).toContain('Node.js is missing: https://nodejs.org')
    expect(existsSync(session.path('logs/S1-run.log'))).toBe(false)
  })

  it('says that a version is too old', async () => {
    const change = (text: string): string => text.replace('20.19.0', '99.0.0')
    const result = await made({ s1: 'good', s2: 'good', change }).execute()
    expect(reasons(result, 'S1')).toMatch(/Node\.js 99\.0\.0 \(there is \d+/)
  })

  it('needs a runner: a kind that this version cannot run is an environment that lacks it', async () => {
    const change = (text: string): string => text.replace('`command node run.mjs good`', '`simulation kv`')
    const result = await made({ s1: 'good', s2: 'good', change }).execute()
    expect(states(result)).toEqual(['INCONCLUSIVE-env', 'PASS-smoke'])
  })

  it('hands a scenario back whose plan has gaps, and runs the others', async () => {
    const change = (text: string): string =>
      text.replace(/\*\*Oracle\*\*: `property-assertion`.*/, '**Oracle**: logs look fine')
    const project = made({ s1: 'good', s2: 'good', change })
    const session = project.newSession()
    const result = await project.execute(session)
    expect(states(result)).toEqual(['NOT-RUN', 'PASS-smoke'])
    expect(result.verdict).toBe('DONE_WITH_CONCERNS')
    expect(read(session, 'findings/S1.md')).toMatch(
      /Handed back[^]*§7 S1, line \d+: the oracle says "logs look fine"/,
    )
  })

  it('never passes at hardening without the planned faults', async () => {
    const project = made({ s1: 'good', s2: 'good' })
    const result = await project.execute(project.newSession(['S1'], 'hardening'))
    expect(states(result)).toEqual(['INCONCLUSIVE-fault-not-proven', 'NOT-RUN'])
  })

  it('does not count PASS-smoke as a pass at hardening', async () => {
    const change = (text: string): string => text.replace(/\*\*Faults\*\*: .*/, '**Faults**: none: a test')
    const project = made({ s1: 'good', s2: 'good', change })
    const session = project.newSession(['S1'], 'hardening')
    const result = await project.execute(session)
    expect(states(result)).toEqual(['PASS-smoke', 'NOT-RUN'])
    expect(read(session, 'findings/report.md')).toMatch(
      /0 of 1 scenarios passed at hardening[^]*plan run plan\.md --budget hardening --scenario S1`/,
    )
  })

  it('aggregates arms: one that hangs caps the scenario', async () => {
    const change = (text: string): string =>
      text.replace(
        '- **Run**: `command node run.mjs good`',
        '- **Arm A1**: `command node run.mjs good`\n- **Arm A2**: `command node run.mjs nothing`',
      )
    const project = made({ s1: 'good', s2: 'good', change })
    const session = project.newSession()
    const result = await project.execute(session)
    expect(states(result)).toEqual(['PARTIAL-surface', 'PASS-smoke'])
    expect(read(session, 'findings/report.md')).toContain('| S1 A2 |')
  })
})

describe('a session', () => {
  it('goes on where it was cut off, and repeats nothing', async () => {
    const project = made({ s1: 'good', s2: 'good' })
    const session = project.newSession()
    await project.execute(session)
    // As after a crash in the middle of S2: an attempt without evidence, half of a file beside it.
    const attempt = session.path('artifacts/S2/run/attempt-1')
    writeFileSync(join(attempt, 'evidence.json.part'), '{"version":1,')
    rmSync(join(attempt, 'evidence.json'))
    const again = await project.execute(Session.open(session.folder))
    expect(states(again)).toEqual(['PASS-smoke', 'PASS-smoke'])
    const log = read(session, 'session-log.md')
    expect(log).toContain('S1 run: done in an earlier part of this session')
    expect(existsSync(session.path('artifacts/S2/run/attempt-2/evidence.json'))).toBe(true)
    expect(existsSync(session.path('artifacts/S1/run/attempt-2'))).toBe(false)
  })

  it.each([
    ['cut in half', (text: string) => text.slice(0, 300)],
    ['of another version', (text: string) => text.replace('"version": 1', '"version": 7')],
  ])('runs an arm again whose evidence is %s, and leaves that file where it is', async (_, spoil) => {
    const project = made({ s1: 'good', s2: 'good' })
    const session = project.newSession()
    await project.execute(session)
    const file = session.path('artifacts/S2/run/attempt-1/evidence.json')
    const spoilt = spoil(readFileSync(file, 'utf8'))
    writeFileSync(file, spoilt)
    const again = await project.execute(Session.open(session.folder))
    expect(states(again)).toEqual(['PASS-smoke', 'PASS-smoke'])
    expect(readFileSync(file, 'utf8')).toBe(spoilt)
    expect(read(session, 'session-log.md')).toMatch(/S2 run: .*evidence\.json is no evidence: .*runs again/)
    expect(existsSync(session.path('artifacts/S2/run/attempt-2/evidence.json'))).toBe(true)
  })

  it('has a report from which a reader can decide: demands beside what was seen, controls, and the plan’s own word', async () => {
    const project = made({ s1: 'good', s2: 'good' })
    const session = project.newSession()
    await project.execute(session)
    const report = read(session, 'findings/report.md')
    for (const part of [
      '| operations | 900 ok, 0 failed, 100 of unknown outcome (write) |',
      '| history | 1000 operations, whole, virtual clock |',
      'read 1000 of 1000 operations, ignored 0',
      /negative control `command node run\.mjs violated` \| rejected by invariant: a read sees the last write: a is 1/,
      '| seeds | 5 of 5 held, 5 different; 3 nodes, 5 nodes |',
      /budget of smoke \| seeds 5 of 3, completed operations 900 of 50, level sunny/,
      /on the plan’s word: `hidden-retries` \| yes, the client never sends/,
      'Run it again | `npx wavetank plan run plan.md --budget smoke`',
    ])
      expect(report).toMatch(part)
  })

  it('says which commit of the system ran, and that it changed before the session was resumed', async () => {
    const project = made({ s1: 'good', s2: 'good' })
    const session = project.newSession()
    await project.execute(session, 'aaa')
    expect(read(session, 'findings/report.md')).toContain('The system is at commit aaa.')
    rmSync(session.path('artifacts/S2/run/attempt-1/evidence.json'))
    await project.execute(Session.open(session.folder), 'bbb')
    expect(read(session, 'findings/report.md')).toContain('The system is at commit aaa, then at bbb.')
  })

  it('names the blame in finding and report once it is known', async () => {
    const project = made({ s1: 'violated', s2: 'good' })
    const session = project.newSession()
    await project.execute(session)
    session.keepBlame('S1', { blamed: 'SUT', argument: ['It survives every swap.'], pending: [] }, [])
    await project.execute(Session.open(session.folder))
    expect(read(session, 'findings/S1.md')).toContain(
      'Blame: SUT: It survives every swap. (findings/S1-blame.md)',
    )
    expect(read(session, 'findings/report.md')).toContain('Blame: SUT')
  })

  it('has a folder of its own, and the newest is found', () => {
    const project = made({ s1: 'good', s2: 'good' })
    project.newSession()
    const second = project.newSession()
    expect(Session.newest(join(project.folder, 'sessions'), 'plan')).toBe(second.folder)
    expect(Session.newest(join(project.folder, 'sessions'), 'other')).toBeNull()
  })

  it('refuses a folder that cannot be written, before anything runs', () => {
    const project = made({ s1: 'good', s2: 'good' })
    project.write('sessions', 'a file is in the way')
    expect(() => project.newSession()).toThrow(UsageError)
    expect(() => project.newSession()).toThrow(/cannot be written.*--session/)
  })

  it('says so when it cannot be written any more, keeps what it has, and goes on when it can', async () => {
    const project = made({ s1: 'good', s2: 'in-the-way-once' })
    const session = project.newSession()
    await expect(project.execute(session)).rejects.toThrow(/cannot be written: .*go on with --resume/)
    rmSync(session.path('artifacts/S2/run/attempt-1'))
    await expect(project.execute(session)).resolves.toMatchObject({ verdict: 'DONE' })
    expect(read(session, 'session-log.md')).toContain('S1 run: done in an earlier part of this session')
  })

  it('ends a command whose output cannot be kept', async () => {
    const project = made({ s1: 'hang', s2: 'good' })
    const session = project.newSession()
    mkdirSync(session.path('logs/S1-run.log'))
    await expect(project.execute(session)).rejects.toThrow(/cannot be written: EISDIR.*--resume/)
  })

  it('refuses a folder that is no session, and one of another version', () => {
    const project = made({ s1: 'good', s2: 'good' })
    expect(() => Session.open(project.folder)).toThrow(/is no session folder/)
    project.write('session.json', '{"version":9,"kind":"session","tier":"smoke"}')
    expect(() => Session.open(project.folder)).toThrow(/a session of version 9/)
  })
})
