/**
 * A session: one execution of a plan, as a folder that is whole at every moment.
 *
 *   session.json            what is executed: plan, its hash, tier, scenarios
 *   session-log.md          what happened when, appended
 *   logs/                   output of commands
 *   metrics/                numbers of each arm, as JSON
 *   artifacts/S1/run/attempt-1/…   what runs left behind; evidence.json is written last, at once
 *   findings/S1.md, findings/report.md
 *
 * An arm is done if it has evidence. A session that was cut off goes on with the arms that have none, in a new attempt;
 * verdicts are computed anew from the evidence.
 */
import { createHash } from 'node:crypto'
import {
  accessSync,
  appendFileSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { writeWhole } from '../../failures/whole-file.ts'
import { UsageError } from '../../kernel/errors.ts'
import type { Blame, Observation } from '../blame/blame.ts'
import type { Evidence } from '../evidence/evidence.ts'
import { readEvidence } from '../evidence/read-evidence.ts'
import { TIERS, type Tier } from '../model/budget.ts'

const SESSION_VERSION = 1

export interface SessionFacts {
  readonly version: typeof SESSION_VERSION
  readonly kind: 'session'
  /** The plan, relative to the project. */
  readonly plan: string
  readonly planHash: string
  readonly tier: Tier
  readonly scenarios: readonly string[]
  readonly startedAt: string
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

export class Session {
  readonly folder: string
  readonly facts: SessionFacts

  private constructor(folder: string, facts: SessionFacts) {
    this.folder = folder
    this.facts = facts
  }

  /** A new folder `<output>/<slug>/<time>`, and a link `latest` beside it. */
  static create(output: string, slug: string, facts: Omit<SessionFacts, 'version' | 'kind'>): Session {
    const stamp = facts.startedAt.replace(/[:.]/g, '-').slice(0, 19)
    let folder = join(output, slug, stamp)
    for (let again = 2; existsSync(folder); again++) folder = join(output, slug, `${stamp}-${again}`)
    try {
      for (const part of ['logs', 'metrics', 'artifacts', 'findings'])
        mkdirSync(join(folder, part), { recursive: true })
      accessSync(folder, constants.W_OK)
      const session = new Session(folder, { version: SESSION_VERSION, kind: 'session', ...facts })
      session.write('session.json', `${JSON.stringify(session.facts, null, 2)}\n`)
      link(join(dirname(folder), 'latest'), basename(folder))
      return session
    } catch (error) {
      throw error instanceof UsageError ? error : notWritable(folder, error, 'Give another with --session.')
    }
  }

  static open(folder: string): Session {
    let facts: SessionFacts
    try {
      facts = JSON.parse(readFileSync(join(folder, 'session.json'), 'utf8')) as SessionFacts
    } catch (error) {
      throw new UsageError(
        'ERR_WAVETANK_SESSION',
        `plan: ${folder} is no session folder: ${(error as Error).message}`,
        { cause: error },
      )
    }
    if (facts.kind !== 'session' || facts.version !== SESSION_VERSION || !TIERS.includes(facts.tier))
      throw new UsageError(
        'ERR_WAVETANK_SESSION',
        `plan: ${folder} is a session of version ${JSON.stringify(facts.version)}; this wavetank continues version ${SESSION_VERSION}`,
      )
    try {
      accessSync(folder, constants.W_OK)
    } catch (error) {
      throw notWritable(folder, error)
    }
    return new Session(folder, facts)
  }

  /** The newest session of a plan, or null. */
  static newest(output: string, slug: string): string | null {
    const home = join(output, slug)
    if (!existsSync(home)) return null
    const names = readdirSync(home, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
    const newest = names
      .filter((name) => existsSync(join(home, name, 'session.json')))
      .sort()
      .at(-1)
    return newest === undefined ? null : join(home, newest)
  }

  path(...names: string[]): string {
    return join(this.folder, ...names)
  }

  log(at: string, text: string): void {
    this.logBlock(`- ${at} ${text}`)
  }

  /** Appends to the log as it is. */
  logBlock(text: string): void {
    this.writing(() => appendFileSync(this.path('session-log.md'), `${text}\n`))
  }

  /** Whole or not at all: a reader never sees half of a file. */
  write(name: string, text: string): void {
    this.writing(() => {
      const file = this.path(name)
      mkdirSync(dirname(file), { recursive: true })
      writeWhole(file, text)
    })
  }

  /** A folder for another attempt at an arm. */
  newAttempt(scenario: string, arm: string): string {
    return this.writing(() => {
      const home = this.path('artifacts', scenario, arm)
      mkdirSync(home, { recursive: true })
      const folder = join(home, `attempt-${attemptsIn(home).length + 1}`)
      mkdirSync(folder)
      return folder
    })
  }

  keepEvidence(attempt: string, evidence: Evidence): void {
    const text = `${JSON.stringify(evidence, null, 2)}\n`
    this.writing(() => writeWhole(join(attempt, 'evidence.json'), text))
  }

  /** The evidence of an arm, from its newest attempt that has any that can be read; null if there is none. */
  evidenceOf(scenario: string, arm: string): { evidence: Evidence; file: string } | null {
    for (const file of this.evidenceFiles(scenario, arm)) {
      try {
        return { evidence: readEvidence(file), file }
      } catch {
        // Cut in half, or of another version: the arm runs again, and the file stays where it is.
      }
    }
    return null
  }

  /** Why evidence of an arm is not read: one sentence per file. */
  unreadable(scenario: string, arm: string): string[] {
    return this.evidenceFiles(scenario, arm).flatMap((file) => {
      try {
        readEvidence(file)
        return []
      } catch (error) {
        return [(error as Error).message]
      }
    })
  }

  keepBlame(scenario: string, blame: Blame, observations: readonly Observation[]): void {
    const kept = { version: 1, kind: 'blame', scenario, ...blame, observations }
    this.write(`findings/${scenario}-blame.json`, `${JSON.stringify(kept, null, 2)}\n`)
  }

  /** What {@link keepBlame} kept; null if there is none that can be read. */
  blameOf(scenario: string): Blame | null {
    try {
      return JSON.parse(readFileSync(this.path('findings', `${scenario}-blame.json`), 'utf8')) as Blame
    } catch {
      return null
    }
  }

  /** A disk that is full is no failure of ours: what is written stays, and the session goes on when there is room. */
  private writing<T>(body: () => T): T {
    try {
      return body()
    } catch (error) {
      throw notWritable(this.folder, error)
    }
  }

  /** The newest attempt first. */
  private evidenceFiles(scenario: string, arm: string): string[] {
    const home = this.path('artifacts', scenario, arm)
    if (!existsSync(home)) return []
    const files = attemptsIn(home).map((name) => join(home, name, 'evidence.json'))
    return files.filter((file) => existsSync(file)).reverse()
  }
}

export function notWritable(
  folder: string,
  error: unknown,
  advice = `Everything up to here is kept: make it writable, then go on with --resume --session ${folder}`,
): UsageError {
  return new UsageError(
    'ERR_WAVETANK_SESSION',
    `plan: the session folder ${folder} cannot be written: ${(error as Error).message}. ${advice}`,
    { cause: error },
  )
}

function attemptsIn(home: string): string[] {
  return readdirSync(home)
    .filter((name) => /^attempt-\d+$/.test(name) && statSync(join(home, name)).isDirectory())
    .sort((a, b) => Number(a.slice(8)) - Number(b.slice(8)))
}

function link(path: string, target: string): void {
  try {
    rmSync(path, { recursive: true, force: true })
    symlinkSync(target, path)
  } catch {
    // A file system without links: the folder's own name is printed anyway.
  }
}
