/** `wavetank plan run`: executes a plan in a session, or continues one. */
import { basename, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { shortPath } from '../../failures/keep.ts'
import { VERSION } from '../../failures/version.ts'
import { git } from '../../host/git.ts'
import { UsageError } from '../../kernel/errors.ts'
import { runCommandBinding } from '../../plan/run/command-runner.ts'
import type { BindingRunners } from '../../plan/run/binding-runner.ts'
import { executePlan } from '../../plan/run/execute.ts'
import { maelstromRunner } from '../../plan/run/maelstrom-runner.ts'
import { raceRunner } from '../../plan/run/race-runner.ts'
import { realRunner } from '../../plan/run/real-runner.ts'
import { hashOf, Session } from '../../plan/run/session.ts'
import type { SessionResult } from '../../plan/run/session-result.ts'
import { simulationRunner } from '../../plan/run/simulation-runner.ts'
import { takeOver } from '../../plan/run/session-owner.ts'
import { SESSION_MEANINGS, type SessionVerdict } from '../../plan/verdict/aggregate.ts'
import type { PlanDocument } from '../../plan/markdown/read-plan.ts'
import type { PlanOptions } from './command.ts'
import { openPlan, projectAt, scenarioOf, wellFormed } from './documents.ts'
import { LiveLine } from '../terminal.ts'

const OUTPUT = join('.wavetank', 'plans')

const EXIT_CODES: Readonly<Record<SessionVerdict, number>> = {
  DONE: 0,
  FAIL: 1,
  DONE_WITH_CONCERNS: 2,
  INCONCLUSIVE: 2,
  BLOCKED: 2,
}

export async function runPlan(file: string, options: PlanOptions): Promise<number> {
  const document = openPlan(file)
  const plan = wellFormed(document, file)
  for (const id of options.scenario ?? []) scenarioOf(plan, id, file)
  if (options.author === true) return (await import('./author.ts')).author(document, file, options)
  if (options.existing !== undefined)
    throw new UsageError('ERR_WAVETANK_ARGUMENTS', 'plan run: --existing belongs to --author')
  const session = sessionFor(document, file, options)
  const left = takeOver(session)
  if (left > 0)
    session.log(
      new Date().toISOString(),
      `ended what an earlier part of this session had left running (processes: ${left})`,
    )
  const live = new LiveLine()
  const result = await executePlan({
    document,
    session,
    root: process.cwd(),
    runners: bindingRunners(),
    project: projectAt(process.cwd()),
    revision: revisionOf(process.cwd()),
    now: () => new Date().toISOString(),
    onProgress: (text) => live.show(text),
  })
  live.clear()
  process.stdout.write(summary(result, session))
  return EXIT_CODES[result.verdict]
}

/** The commit of the project, for a reader of the report. */
function revisionOf(root: string): string | null {
  const commit = git(root, 'rev-parse', '--short=12', 'HEAD')
  if (commit === null) return null
  const changed = git(root, 'status', '--porcelain', '--untracked-files=no')
  return changed === '' ? commit : `${commit} with changes that are not committed`
}

/** What runs bindings; a hanging run is ended because it is a process of its own. */
export function bindingRunners(): BindingRunners {
  const main = new URL(import.meta.url.endsWith('.ts') ? '../main.ts' : '../main.js', import.meta.url)
  const wavetank = [process.execPath, ...process.execArgv, fileURLToPath(main)]
  const versions = { node: process.version, wavetank: VERSION }
  return {
    simulation: simulationRunner(wavetank),
    race: raceRunner(wavetank),
    maelstrom: maelstromRunner(wavetank, versions),
    real: realRunner(wavetank, versions),
    command: runCommandBinding,
  }
}

export function slugOf(file: string): string {
  return basename(file)
    .replace(/\.[^.]+$/, '')
    .replace(/[^\w-]+/g, '-')
}

/** The session that is meant: the one named, or the newest of the plan. */
export function existingSession(file: string, folder: string | undefined): Session {
  const found = folder === undefined ? Session.newest(resolve(OUTPUT), slugOf(file)) : resolve(folder)
  if (found === null)
    throw new UsageError(
      'ERR_WAVETANK_SESSION',
      `plan: there is no session of ${file} in ${OUTPUT}; run it first`,
    )
  return Session.open(found)
}

function sessionFor(document: PlanDocument, file: string, options: PlanOptions): Session {
  const planHash = hashOf(document.text)
  if (options.resume !== true) {
    return Session.create(resolve(options.session ?? OUTPUT), slugOf(file), {
      plan: relative(process.cwd(), resolve(file)),
      planHash,
      tier: options.budget ?? 'smoke',
      scenarios: options.scenario ?? document.plan!.scenarios.map(({ id }) => id),
      startedAt: new Date().toISOString(),
    })
  }
  if (options.budget !== undefined || options.scenario !== undefined)
    throw new UsageError(
      'ERR_WAVETANK_ARGUMENTS',
      'plan run: a session that is resumed keeps its budget and its scenarios',
    )
  const session = existingSession(file, options.session)
  if (session.facts.planHash !== planHash)
    throw new UsageError(
      'ERR_WAVETANK_SESSION',
      `plan: ${file} changed since the session ${session.folder} began: demands must not change once results are there. Begin a new session.`,
    )
  return session
}

function summary({ verdict, scenarios, facts }: SessionResult, session: Session): string {
  const lines = scenarios
    .filter(({ id }) => facts.scenarios.includes(id))
    .flatMap(({ id, state, arms, gaps, scenario }) => [
      `  ${id}  ${state}  ${scenario.name}`,
      ...gaps.map(({ section, line, message }) => `      handed back: ${section} line ${line}: ${message}`),
      ...(gaps.length > 0
        ? []
        : arms.flatMap((arm) =>
            arm.verdict.reasons.map((reason) => `      ${arms.length > 1 ? `${arm.id}: ` : ''}${reason}`),
          )),
    ])
  return `${[`${verdict}: ${SESSION_MEANINGS[verdict]}`, '', ...lines, '', `  report   ${shortPath(session.path('findings', 'report.md'))}`, `  session  ${shortPath(session.folder)}`].join('\n')}\n`
}
