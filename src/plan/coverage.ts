/**
 * Coverage of a plan, as data: the matrix of claims and hypotheses, and the gaps by kind. What the plan says (§5) is
 * compared with what its scenarios do: a cell that is called covered and has no scenario is a gap that the plan hides.
 */
import { GAP_KINDS, type Plan } from './model/plan.ts'

export type CellState = 'covered' | 'partial' | 'not'

export interface CoverageCell {
  readonly claim: string
  readonly hypothesis: string
  readonly state: CellState
  /** Of the plan, or of ours: `no hypothesis`, `no scenario`. */
  readonly gap: string | null
  readonly scenarios: readonly string[]
}

export interface Coverage {
  readonly version: 1
  readonly kind: 'plan-coverage'
  readonly title: string
  readonly claims: readonly {
    readonly id: string
    readonly claim: string
    readonly category: string
    readonly state: CellState
  }[]
  readonly hypotheses: readonly { readonly id: string; readonly hypothesis: string }[]
  readonly cells: readonly CoverageCell[]
  /** How many cells have each kind of gap, the most frequent first. */
  readonly gaps: readonly { readonly kind: string; readonly cells: readonly string[] }[]
}

export function coverageOf(plan: Plan): Coverage {
  const cells = plan.hypotheses.flatMap(({ id, falsifies }) =>
    falsifies.map((claim) => cellOf(plan, claim, id)),
  )
  const open = plan.claims
    .filter(({ id }) => !cells.some(({ claim }) => claim === id))
    .map(({ id }): CoverageCell => ({
      claim: id,
      hypothesis: '–',
      state: 'not',
      gap: 'no hypothesis',
      scenarios: [],
    }))
  const all = [...cells, ...open]
  return {
    version: 1,
    kind: 'plan-coverage',
    title: plan.title,
    claims: plan.claims.map(({ id, claim, category }) => ({
      id,
      claim,
      category,
      state: stateOf(all.filter((cell) => cell.claim === id)),
    })),
    hypotheses: plan.hypotheses.map(({ id, hypothesis }) => ({ id, hypothesis })),
    cells: all,
    gaps: gapsOf(all),
  }
}

function cellOf(plan: Plan, claim: string, hypothesis: string): CoverageCell {
  const row = plan.coverage.find((each) => each.claim === claim && each.hypothesis === hypothesis)
  const scenarios = plan.scenarios
    .filter(({ falsifies }) => falsifies.includes(hypothesis) || falsifies.includes(claim))
    .map(({ id }) => id)
  const cell = { claim, hypothesis, scenarios }
  if (scenarios.length === 0) return { ...cell, state: 'not', gap: row?.gap ?? 'no scenario' }
  if (row === undefined) return { ...cell, state: 'partial', gap: 'no row in §5' }
  return { ...cell, state: row.state, gap: row.gap }
}

/** A claim is covered if every way in which it could be false is. */
function stateOf(cells: readonly CoverageCell[]): CellState {
  if (cells.every(({ state }) => state === 'covered')) return 'covered'
  return cells.every(({ state }) => state === 'not') ? 'not' : 'partial'
}

const KINDS: readonly string[] = ['no hypothesis', 'no scenario', 'no row in §5', ...GAP_KINDS]

function gapsOf(cells: readonly CoverageCell[]): Coverage['gaps'] {
  return KINDS.map((kind) => ({
    kind,
    cells: cells.filter(({ gap }) => gap === kind).map(({ claim, hypothesis }) => `${claim} × ${hypothesis}`),
  })).filter((gap) => gap.cells.length > 0)
}
