/** `wavetank plan lint`, `coverage`, `verdict` and `schema`: what is read and printed, and runs nothing. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { UsageError } from '../../kernel/errors.ts'
import { coverageOf } from '../../plan/coverage.ts'
import { readEvidence } from '../../plan/evidence/read-evidence.ts'
import { lintPlan } from '../../plan/lint/lint.ts'
import type { Project } from '../../plan/lint/lint-context.ts'
import type { Problem } from '../../plan/markdown/problem.ts'
import { readPlan, type PlanDocument } from '../../plan/markdown/read-plan.ts'
import type { Plan, Scenario } from '../../plan/model/plan.ts'
import { SCHEMA_NAMES, schemaText, type SchemaName } from '../../plan/schemas.ts'
import { questionOf } from '../../plan/verdict/question.ts'
import { verdictOf } from '../../plan/verdict/verdict.ts'
import { coveragePage, coverageText } from '../../report/plan-coverage.ts'
import { counted } from '../../report/form/quantity.ts'
import type { PlanOptions } from './command.ts'
import { write } from '../terminal.ts'

export function openPlan(file: string): PlanDocument {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new UsageError(
      'ERR_WAVETANK_NO_PLAN',
      `plan: ${file} cannot be read: ${(error as Error).message}`,
      { cause: error },
    )
  }
  return readPlan(text, file)
}

/** Files that claims cite are looked up from here. */
export function projectAt(root: string): Project {
  return {
    linesOf(file) {
      try {
        return readFileSync(resolve(root, file), 'utf8').split('\n').length
      } catch {
        return null
      }
    },
  }
}

/** The plan, if it is well formed; its problems otherwise. */
export function wellFormed(document: PlanDocument, file: string): Plan {
  if (document.plan !== null) return document.plan
  throw new UsageError(
    'ERR_WAVETANK_PLAN_GAPS',
    `plan: ${file} is not well formed:\n${problemLines(file, document.problems).join('\n')}`,
  )
}

export function problemLines(file: string, problems: readonly Problem[]): string[] {
  return problems.map(
    ({ section, line, rule, message }) => `${file}:${line}  ${section}  ${message}  (${rule})`,
  )
}

export async function lint(file: string, { json, output }: PlanOptions): Promise<number> {
  const problems = lintPlan(openPlan(file), projectAt(process.cwd()))
  const text =
    json === true
      ? `${JSON.stringify({ version: 1, kind: 'plan-problems', file, problems }, null, 2)}\n`
      : `${[...problemLines(file, problems), problems.length === 0 ? `${file}: no gaps` : counted(problems.length, 'gap')].join('\n')}\n`
  write(text, output)
  return problems.length === 0 ? 0 : 2
}

export async function coverage(file: string, { json, reporter, output }: PlanOptions): Promise<number> {
  const result = coverageOf(wellFormed(openPlan(file), file))
  const text =
    json === true
      ? `${JSON.stringify(result, null, 2)}\n`
      : reporter === 'html'
        ? coveragePage(result)
        : coverageText(result)
  write(text, output)
  return result.gaps.length === 0 ? 0 : 2
}

export async function verdict(
  file: string,
  { scenario: ids, evidence, budget = 'smoke', json, output }: PlanOptions,
): Promise<number> {
  if (evidence === undefined || ids?.length !== 1)
    throw new UsageError('ERR_WAVETANK_ARGUMENTS', 'plan verdict: give one --scenario and its --evidence')
  const plan = wellFormed(openPlan(file), file)
  const scenario = scenarioOf(plan, ids[0], file)
  const result = verdictOf(questionOf(plan, scenario, budget), readEvidence(evidence))
  const lines = [
    `${scenario.id} ${scenario.name}: ${result.state}`,
    ...result.reasons.map((reason) => `  ${reason}`),
  ]
  write(
    json === true
      ? `${JSON.stringify({ version: 1, kind: 'verdict', scenario: scenario.id, ...result }, null, 2)}\n`
      : `${lines.join('\n')}\n`,
    output,
  )
  return result.state.startsWith('FAIL') ? 1 : result.state.startsWith('PASS') ? 0 : 2
}

export async function schema(name: string): Promise<number> {
  if (name === 'report') {
    const { reportSchemaText } = await import('../../report/schema/report-schema.ts')
    write(reportSchemaText(), undefined)
    return 0
  }
  if (!(SCHEMA_NAMES as readonly string[]).includes(name))
    throw new UsageError(
      'ERR_WAVETANK_ARGUMENTS',
      `plan schema: there is no schema "${name}"; there are ${SCHEMA_NAMES.join(', ')}, report`,
    )
  write(schemaText(name as SchemaName), undefined)
  return 0
}

export function scenarioOf(plan: Plan, id: string, file: string): Scenario {
  const scenario = plan.scenarios.find((each) => each.id === id)
  if (scenario !== undefined) return scenario
  throw new UsageError(
    'ERR_WAVETANK_NO_SCENARIO',
    `plan: ${file} has no scenario ${id}; it has ${plan.scenarios.map((each) => each.id).join(', ')}`,
  )
}
