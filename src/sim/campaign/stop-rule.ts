/**
 * When a campaign has run enough seeds. The default goes on until coverage is stable: every hoped-for assertion was
 * seen and nothing new came up for a number of seeds in a row, with a cap that is reported when it is hit.
 */
import { isPromise, type AssertionSummary } from '../authoring/assertion-table.ts'

export type StopRule =
  | { readonly type: 'seeds'; readonly count: number }
  | { readonly type: 'time'; readonly wallMs: number }
  | { readonly type: 'coverage'; readonly plateau: number; readonly cap: number }

export const UNTIL_COVERAGE_STABLE: StopRule = { type: 'coverage', plateau: 10, cap: 1000 }

export type StopReason =
  /** The number of seeds asked for. */
  | 'seeds'
  | 'time'
  /** Coverage did not grow any more. */
  | 'stable'
  /** The cap came first: coverage was still growing, or a hope was not met. */
  | 'cap'
  /** A failure, and the campaign was asked to stop at the first. */
  | 'bail'
  /** The user ended it. */
  | 'interrupted'

/** Follows a campaign and says when it is enough. Results must be added in the order of their seeds. */
export class StopWatch {
  private readonly rule: StopRule
  private readonly covered = new Set<string>()
  private readonly hopes = new Map<string, boolean>()
  private flat = 0
  private seeds = 0

  constructor(rule: StopRule) {
    this.rule = rule
  }

  /** How many seeds may be started before `add` must be asked again; infinite while only time counts. */
  get limit(): number {
    const { rule } = this
    return rule.type === 'seeds' ? rule.count : rule.type === 'coverage' ? rule.cap : Number.POSITIVE_INFINITY
  }

  /** Takes in one seed; says why the campaign is over, or null. `elapsedMs` is wall time. */
  add(
    assertions: readonly AssertionSummary[],
    faultFamilies: readonly string[],
    elapsedMs: number,
  ): StopReason | null {
    this.seeds++
    const { rule } = this
    if (rule.type === 'seeds') return this.seeds >= rule.count ? 'seeds' : null
    if (rule.type === 'time') return elapsedMs >= rule.wallMs ? 'time' : null
    const before = this.covered.size
    for (const assertion of assertions) this.cover(assertion)
    for (const family of faultFamilies) this.covered.add(`fault ${family}`)
    this.flat = this.covered.size > before ? 0 : this.flat + 1
    if (this.flat >= rule.plateau && [...this.hopes.values()].every(Boolean)) return 'stable'
    return this.seeds >= rule.cap ? 'cap' : null
  }

  private cover(assertion: AssertionSummary): void {
    const key = `${assertion.kind} ${assertion.message}`
    const met = isPromise(assertion.kind)
      ? assertion.kind !== 'always' || assertion.reached > 0
      : assertion.passed > 0
    this.hopes.set(key, (this.hopes.get(key) ?? false) || met)
    if (assertion.reached > 0) this.covered.add(key)
    if (assertion.passed > 0) this.covered.add(`${key} true`)
    for (const bucket of assertion.buckets) this.covered.add(`${key} ${bucket}`)
    if (assertion.frontier !== null) this.covered.add(`${key} ${assertion.frontier.best}`)
  }
}
