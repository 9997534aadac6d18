/** Whether a run reached a budget, and what it lacks. */
import { LEVEL_NAMES, type LevelName } from '../../faults/levels.ts'
import type { Evidence } from '../evidence/evidence.ts'
import type { Budget } from '../model/budget.ts'

/** What is missing, one sentence each; empty if the budget is met. */
export function shortfalls(budget: Budget, evidence: Evidence): string[] {
  const held = heldSeeds(evidence)
  const operations = completedOperations(evidence)
  const lacks: string[] = []
  if (held < budget.seeds) lacks.push(`${held} of ${budget.seeds} seeds held`)
  if (operations < budget.operations) lacks.push(`${operations} of ${budget.operations} operations completed`)
  if (evidence.wallMs < budget.durationMs)
    lacks.push(`it ran for ${evidence.wallMs} of ${budget.durationMs} ms`)
  return [...lacks, ...weaker(budget, evidence)]
}

/** A simulation in kinder weather, or a race with fewer schedules, is not what the budget asks for. */
function weaker(budget: Budget, { source: { kind }, level, iterations }: Evidence): string[] {
  const lacks: string[] = []
  const rank = (name: LevelName | null): number => (name === null ? -1 : LEVEL_NAMES.indexOf(name))
  if (kind === 'simulation' && rank(level) < rank(budget.level))
    lacks.push(`it ran at level ${level ?? 'unknown'}, not ${budget.level}`)
  if (kind === 'race' && budget.iterations !== null && (iterations ?? 0) < budget.iterations)
    lacks.push(
      `a seed was allowed ${iterations ?? 'an unknown number of'} schedules, not ${budget.iterations}`,
    )
  return lacks
}

/** A seed that ran again is no other seed: it counts once. */
export function heldSeeds({ seeds }: Pick<Evidence, 'seeds'>): number {
  return new Set(seeds.filter(({ outcome }) => outcome === 'held').map(({ seed }) => seed)).size
}

/** Operations whose outcome is known. */
export function completedOperations({ operations }: Evidence): number {
  return operations.reduce((sum, { ok, fail }) => sum + ok + fail, 0)
}

export function succeededOperations({ operations }: Evidence): number {
  return operations.reduce((sum, { ok }) => sum + ok, 0)
}
