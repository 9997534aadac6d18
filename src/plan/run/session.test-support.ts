/** A project with a plan whose scenarios are commands, and a script that writes evidence of any quality. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readPlan } from '../markdown/read-plan.ts'
import { goodEvidence } from '../evidence/evidence.test-support.ts'
import { runCommandBinding } from './command-runner.ts'
import { executePlan } from './execute.ts'
import { hashOf, Session } from './session.ts'
import type { SessionResult } from './session-result.ts'

const KV = readFileSync(new URL('../../../examples/plans/kv.md', import.meta.url), 'utf8')

const ORACLE = 'invariant: a read sees the last write'

function evidence(violated: boolean): unknown {
  const { controls: _, faults: __, ...good } = goodEvidence()
  const [oracle] = good.oracles
  const whole = {
    ...good,
    faults: [],
    controls: [],
    oracles: [{ ...oracle, name: ORACLE, kind: 'invariant', verdict: violated ? 'invalid' : 'valid' }],
  }
  const violation = {
    signature: ORACLE,
    message: 'a is 1, but must be 2',
    seed: 1,
    seeds: 1,
    reruns: { tried: 0, failedAgain: 0 },
    reproducer: null,
    artefact: null,
    story: ['1.000s  kv  loses power'],
  }
  return violated ? { ...whole, violations: [violation] } : whole
}

/** Behaves as its argument says. */
export const SCRIPT = `
import { existsSync, rmSync, writeFileSync } from 'node:fs'
const good = ${JSON.stringify(evidence(false))}
const violated = ${JSON.stringify(evidence(true))}
const file = process.env.WAVETANK_EVIDENCE
const write = (data) => writeFileSync(file, JSON.stringify(data))
console.log('scenario ' + process.env.WAVETANK_SCENARIO + ' for ' + process.env.WAVETANK_PURPOSE)
switch (process.argv[2]) {
  case 'good': write(good); break
  case 'violated': write(violated); break
  case 'once': write(process.env.WAVETANK_PURPOSE === 'rerun' ? good : violated); break
  case 'hang': writeFileSync('hanging.pid', String(process.pid)); setInterval(() => {}, 1000); break
  case 'hang-once': if (existsSync('hanging.pid')) write(good); else { writeFileSync('hanging.pid', String(process.pid)); setInterval(() => {}, 1000) } break
  case 'cut': writeFileSync(file, JSON.stringify(good).slice(0, 500)); break
  case 'version': write({ ...good, version: 7 }); break
  case 'other': write({ hello: 'world' }); break
  case 'nothing': break
  case 'crash': console.error(new Error('no way').stack); process.exit(3); break
  case 'good-then-crash': write(good); process.exit(3); break
  case 'good-then-killed': write(good); process.kill(process.pid, 'SIGKILL'); break
  case 'in-the-way-once': if (existsSync('was-there')) write(good); else { writeFileSync('was-there', ''); rmSync(process.env.WAVETANK_ARTIFACTS, { recursive: true }); writeFileSync(process.env.WAVETANK_ARTIFACTS, '') } break
  case 'violated-then-crash': write(violated); process.exit(1)
}
`

export interface CommandPlan {
  /** What the scenarios do: an argument of the script each. */
  readonly s1: string
  readonly s2: string
  readonly control?: string
  /** Of the first scenario. */
  readonly timeout?: string
  /** Further changes to the text of the plan. */
  readonly change?: (text: string) => string
}

export function planText({
  s1,
  s2,
  control = 'violated',
  timeout = '20s',
  change = (text) => text,
}: CommandPlan): string {
  const [before, after] = KV.split('### S2')
  const bind = (text: string, how: string, limit: string): string =>
    text
      .replace('`simulation kv`', `\`command node run.mjs ${how}\``)
      .replace('`simulation kv-broken`', `\`command node run.mjs ${control}\``)
      .replace(/,\s+`simulation [^`]*kv-unsynced`/, '')
      .replace(/`invariant: what is answered is on the disk`[^;]*;\s+/, '')
      .replace('timeout 60s', `timeout ${limit}`)
      .replace('timeout 10m', `timeout ${limit}`)
  return change([bind(before, s1, timeout), bind(after, s2, '20s')].join('### S2'))
}

export class PlanProject {
  readonly folder = mkdtempSync(join(tmpdir(), 'wavetank-plan-'))
  private times = 0

  constructor(plan: CommandPlan) {
    this.write('run.mjs', SCRIPT)
    this.write('plan.md', planText(plan))
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.folder, name), text)
  }

  newSession(scenarios: readonly string[] = ['S1', 'S2'], tier: 'smoke' | 'hardening' = 'smoke'): Session {
    const text = readFileSync(join(this.folder, 'plan.md'), 'utf8')
    const startedAt = `2026-01-01T00:00:0${this.times++}.000Z`
    return Session.create(join(this.folder, 'sessions'), 'plan', {
      plan: 'plan.md',
      planHash: hashOf(text),
      tier,
      scenarios,
      startedAt,
    })
  }

  async execute(
    session: Session = this.newSession(),
    revision: string | null = null,
  ): Promise<SessionResult> {
    const document = readPlan(readFileSync(join(this.folder, 'plan.md'), 'utf8'), 'plan.md')
    return executePlan({
      document,
      session,
      root: this.folder,
      runners: { command: runCommandBinding },
      project: null,
      revision,
      now: () => '2026-01-01T00:00:00.000Z',
      onProgress: () => {},
    })
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}
