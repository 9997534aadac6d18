/** `wavetank plan blame`: argues who is to blame for the violation of a scenario, from runs with one thing swapped. */
import { shortPath } from '../../failures/keep.ts'
import { UsageError } from '../../kernel/errors.ts'
import { blameFor, SWAPS } from '../../plan/blame/blame.ts'
import { observeSwaps } from '../../plan/blame/swap-runs.ts'
import { writeFindings } from '../../plan/findings/write-findings.ts'
import { lintPlan } from '../../plan/lint/lint.ts'
import { probeEnvironment } from '../../plan/run/environment-probe.ts'
import { judgeSession } from '../../plan/run/session-result.ts'
import type { PlanOptions } from './command.ts'
import { openPlan, projectAt, scenarioOf, wellFormed } from './documents.ts'
import { bindingRunners, existingSession } from './run.ts'
import { LiveLine } from '../terminal.ts'

export async function blame(file: string, { scenario: ids, session: folder }: PlanOptions): Promise<number> {
  if (ids?.length !== 1) throw new UsageError('ERR_WAVETANK_ARGUMENTS', 'plan blame: give one --scenario')
  const document = openPlan(file)
  const plan = wellFormed(document, file)
  const scenario = scenarioOf(plan, ids[0], file)
  const session = existingSession(file, folder)
  const live = new LiveLine()
  const observations = await observeSwaps({
    scenario,
    session,
    runners: bindingRunners(),
    root: process.cwd(),
    onProgress: (text) => live.show(`${scenario.id} blame: ${text}`),
  })
  live.clear()
  const { blamed, argument, pending } = blameFor(observations)
  const lines = [
    `# Blame for ${scenario.id} ${scenario.name}`,
    '',
    `**${blamed}**`,
    '',
    ...argument.map((step) => `- ${step}`),
    '',
  ]
  const undeclared = SWAPS.filter(
    (swap) => scenario.swaps[swap] === null && pending.includes(`another ${swap}`),
  ).map((swap) => `\`- **Swap ${swap}**: …\``)
  if (pending.length > 0) lines.push(`Pending: ${pending.join(', ')}.`, '')
  if (undeclared.length > 0)
    lines.push(`Add to ${scenario.id} of ${file}, with a binding each: ${undeclared.join(', ')}.`, '')
  session.write(`findings/${scenario.id}-blame.md`, `${lines.join('\n').trimEnd()}\n`)
  session.keepBlame(scenario.id, { blamed, argument, pending }, observations)
  // Finding and report name the blame from now on.
  const problems = lintPlan(document, projectAt(process.cwd()))
  const capabilities = await probeEnvironment(plan.environment, process.cwd())
  writeFindings(session, judgeSession({ plan, session, problems, capabilities }), scenario.id)
  session.log(new Date().toISOString(), `${scenario.id}: blame ${blamed}`)
  process.stdout.write(
    `${[`${scenario.id}: ${blamed}`, ...argument.map((step) => `  ${step}`), ...pending.map((step) => `  pending: ${step}`), ...(undeclared.length > 0 ? [`  add to ${scenario.id} of ${file}, with a binding each: ${undeclared.join(', ')}`] : []), '', `  ${shortPath(session.path('findings', `${scenario.id}-blame.md`))}`].join('\n')}\n`,
  )
  return blamed === 'unknown' ? 2 : 0
}
