/**
 * The evidence of one arm as a table: everything that the verdict rests on, with what was demanded beside what was seen,
 * so that a reader can agree or disagree without opening the evidence file.
 */
import type { Evidence } from '../evidence/evidence.ts'
import type { Budget } from '../model/budget.ts'
import type { ArmResult } from '../run/session-result.ts'
import { completedOperations, heldSeeds } from '../verdict/budget-met.ts'
import { landingOf } from '../verdict/landing.ts'
import type { Question } from '../verdict/question.ts'
import { isNamed } from '../verdict/required-oracles.ts'

export function evidenceTable({ verdict, evidence }: ArmResult, question: Question): string[] {
  if (evidence === null) return []
  const { nemeses, budgets, tier } = question
  const rows: (readonly [what: string, seen: string])[] = [
    ['operations', operationsText(evidence)],
    ['history', historyText(evidence.history)],
    ...oracleRows(evidence, question),
    ...controlRows(evidence),
    ...nemeses.map((nemesis) => [`fault \`${nemesis}\``, faultText(nemesis, evidence)] as const),
    ['seeds', seedsText(evidence)],
    ['recovery', recoveryText(evidence, nemeses)],
    ['time', timeText(evidence)],
    [`budget of ${tier}`, budgetText(budgets[tier], evidence)],
    ...verdict.audits
      .filter(({ by }) => by === 'plan')
      .map(({ id, why }) => [`on the plan’s word: \`${id}\``, why.replace(/^the plan: /, '')] as const),
  ]
  return [
    '| what | evidence |',
    '| --- | --- |',
    ...rows.map(([what, seen]) => `| ${cell(what)} | ${cell(seen)} |`),
    '',
  ]
}

function operationsText(evidence: Evidence): string {
  const { operations } = evidence
  const sum = (key: 'ok' | 'fail' | 'info'): number => operations.reduce((total, row) => total + row[key], 0)
  const names = operations.map(({ f }) => f).join(', ')
  return `${sum('ok')} ok, ${sum('fail')} failed, ${sum('info')} of unknown outcome (${names || 'none'})`
}

function historyText(history: Evidence['history']): string {
  if (history === null) return 'none'
  const absent = Object.entries(history.fields)
    .filter(([, state]) => state === 'absent')
    .map(([field]) => field)
  return `${history.operations} operations, ${history.truncated ? 'truncated' : 'whole'}, ${history.clock} clock${absent.length > 0 ? `, without ${absent.join(', ')}` : ''}`
}

/** Those that the plan names first; the others only if there are few. */
function oracleRows({ oracles, history }: Evidence, { checkers }: Question): (readonly [string, string])[] {
  const isOfPlan = (oracle: Evidence['oracles'][number]): boolean =>
    checkers.some((name) => isNamed(oracle, name))
  const named = oracles.filter(isOfPlan)
  const others = oracles.filter((oracle) => !isOfPlan(oracle))
  const shown = [...named, ...others.filter(({ verdict }) => verdict === 'invalid' || named.length === 0)]
  const rows = shown.map((oracle) => {
    const { name, verdict, checks, operations, ignored } = oracle
    const of = history === null ? '' : ` of ${history.operations}`
    const scope = operations === null ? '' : `, read ${operations}${of} operations, ignored ${ignored ?? 0}`
    return [name, `${verdict}, ${checks} checks${scope}`] as const
  })
  const left = others.filter((oracle) => !shown.includes(oracle))
  return left.length === 0
    ? rows
    : [...rows, ['other oracles, none of them invalid', left.map(briefly).join('; ')]]
}

function briefly({ name, checks }: Evidence['oracles'][number]): string {
  return `${name} (${checks} checks)`
}

function controlRows({ controls }: Evidence): (readonly [string, string])[] {
  if (controls.length === 0) return [['negative control', '**none ran**']]
  return controls.map(({ name, detected, by, message }) => [
    `negative control \`${name}\``,
    detected
      ? `rejected by ${by.join(', ')}${message === '' ? '' : `: ${firstLine(message)}`}`
      : `**not rejected**: ${firstLine(message)}`,
  ])
}

function faultText(nemesis: string, evidence: Evidence): string {
  const { injected, landed, signals, proven, why } = landingOf(nemesis, evidence)
  return `injected ${injected}, landed ${landed}, ${signals} signals at victims${proven ? '' : `; **not proven**: ${why}`}`
}

function seedsText({ seeds, topologies }: Evidence): string {
  const held = seeds.filter(({ outcome }) => outcome === 'held').length
  const distinct = new Set(seeds.map(({ seed }) => seed)).size
  return `${held} of ${seeds.length} held, ${distinct} different${topologies.length === 0 ? '' : `; ${topologies.join(', ')}`}`
}

function recoveryText({ recovery }: Evidence, nemeses: readonly string[]): string {
  if (recovery === null) return nemeses.length === 0 ? 'no fault was planned' : 'not observed'
  const took = recovery.tookMs === null ? '' : `, at most ${Math.round(recovery.tookMs)} ms`
  return recovery.completed ? `it did its work again after the faults${took}` : '**it did not recover**'
}

function timeText({ wallMs, simulatedMs }: Evidence): string {
  return `${Math.round(wallMs)} ms${simulatedMs === null ? '' : `, ${Math.round(simulatedMs)} ms simulated`}`
}

function budgetText(budget: Budget | null, evidence: Evidence): string {
  if (budget === null) return 'the plan has none'
  const parts = [
    `seeds ${heldSeeds(evidence)} of ${budget.seeds}`,
    ...(budget.operations === 0
      ? []
      : [`completed operations ${completedOperations(evidence)} of ${budget.operations}`]),
    ...(budget.durationMs === 0 ? [] : [`${Math.round(evidence.wallMs)} of ${budget.durationMs} ms`]),
    ...(budget.level === null ? [] : [`level ${evidence.level ?? budget.level}`]),
    ...(budget.iterations === null
      ? []
      : [`schedules per seed ${evidence.iterations ?? 'unknown'} of ${budget.iterations}`]),
    ...(budget.faults === 'off' ? ['faults off'] : []),
  ]
  return parts.join(', ')
}

function firstLine(text: string): string {
  return text.split('\n')[0]
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}
