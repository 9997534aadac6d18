/**
 * Is a history linearizable? Is there an order of its operations, each at a moment between its invocation and its
 * return, in which one copy of the object, asked one thing at a time, would have given the same answers?
 *
 * The history is split into independent objects; each is decided by a monitor where its form allows, else by search.
 * Operations of unknown outcome may have taken effect at any time after their invocation, or never; failed ones never.
 * Limits give `unknown`, with how far the search got; nothing is thrown, and memory stays below the limit.
 */
import { FAIL, OK, type History } from '../../history/history.ts'
import { Budget, type BudgetOptions } from '../budget.ts'
import { callback, checkOptions, either, flag, LIMIT_OPTIONS, oneOf, type OptionSchema } from '../options.ts'
import { NOTHING_CHECKED, worst, type CheckResult } from '../result.ts'
import type { AnyModel, Model } from './model.ts'
import { determinize } from './nondeterministic.ts'
import { partitioned, type Part, type Partition } from './partition.ts'
import type { LinearizabilityProof } from './proof.ts'
import { answered, decided, nothing, tooWide, undecided } from './part-result.ts'
import { Search } from './search.ts'
import { buildSpace } from './space.ts'
import { weaknessOf } from './weakness.ts'

export interface LinearizableOptions extends BudgetOptions {
  /** How to split into independent objects; by default as the model says. */
  readonly partition?: Partition | undefined
  /** False: decide by search alone, as if there were no monitors. */
  readonly monitors?: boolean
}

export const LINEARIZABLE_OPTIONS: OptionSchema<LinearizableOptions> = {
  partition: either(
    oneOf(['key', 'none'])('`key`, `none` or a function: independent objects; by default as the model says'),
    callback(''),
  ),
  monitors: flag('false: decide by search alone, as if there were no monitors'),
  ...LIMIT_OPTIONS,
}

/** What proves the verdict. Of several objects, each part has its own; `objects` and `failingKeys` are of the whole. */
export interface LinearizabilityDetails {
  readonly key: unknown
  /** (valid) Ids of the operations in an order that explains all answers. */
  readonly witness: readonly number[] | null
  /** (invalid, by search) Why no order exists. */
  readonly proof: LinearizabilityProof
  readonly events: number
  readonly configurations: number
  readonly objects: number
  readonly failingKeys: readonly unknown[]
}

/** Share of the time that is left which a monitor may use before the general search has its turn. */
const MONITOR_SHARE = 0.5
/** Steps that every object gets before any gets more. */
const FIRST_STEPS = 1 << 11

export function linearizable(
  history: History,
  model: AnyModel,
  options: LinearizableOptions = {},
): CheckResult<LinearizabilityDetails> {
  checkOptions('linearizable', LINEARIZABLE_OPTIONS, options)
  const { monitors = true } = options
  const budget = Budget.of(options)
  const deterministic: Model = model.nondeterministic === true ? determinize(model) : model
  const weakness = weaknessOf(history, deterministic)
  if (weakness !== null) return tooWeak(history, deterministic, weakness)
  const parts = partitioned(
    history,
    options.partition ?? deterministic.partitionFor?.(history) ?? deterministic.partition ?? 'none',
  )
  const results = new Map<Part, CheckResult>()
  const searches: { part: Part; search: Search }[] = []
  for (const part of parts) {
    const share = budget.share(MONITOR_SHARE)
    const answer = monitors
      ? share.within(0, () => deterministic.monitor?.(history, part.positions, share) ?? null)
      : null
    if (answer !== null) {
      results.set(part, answered(history, deterministic, part, answer))
      continue
    }
    const space = buildSpace(history, part.positions, deterministic, budget.leftBytes)
    if (space === null) {
      results.set(part, tooWide(deterministic, part, budget.memoryMb))
      continue
    }
    const search = new Search(space, budget)
    if (search.run(FIRST_STEPS) === 'running') searches.push({ part, search })
    else {
      results.set(part, decided(part, search))
      search.release()
    }
  }
  continueInTurns(searches, results, budget)
  for (const { search } of searches) search.release()
  return { ...compose(history, deterministic, parts, results), assumptions: model.assumptions ?? [] }
}

/** Undecided objects go on in rounds of doubling length, until the first failing one: the verdict is then certain. */
function continueInTurns(
  searches: { part: Part; search: Search }[],
  results: Map<Part, CheckResult>,
  budget: Budget,
): void {
  let waiting = searches
  let failed = [...results.values()].some(({ verdict }) => verdict === 'invalid')
  for (let steps = FIRST_STEPS * 2; waiting.length > 0; steps *= 2) {
    if (failed || budget.look()) {
      const reason = failed ? 'another object failed first' : budget.reason!
      for (const { part, search } of waiting) results.set(part, undecided(part, search, reason))
      return
    }
    waiting = waiting.filter(({ part, search }) => {
      if (failed || search.run(steps) === 'running') return true
      results.set(part, decided(part, search))
      failed = search.state === 'invalid'
      return false
    })
  }
}

function tooWeak(history: History, model: Model, why: string): CheckResult {
  return {
    ...nothing(model.name),
    verdict: 'unknown',
    reason: `the history is not one for linearizable ${model.name}: ${why}`,
    scope: { operations: 0, ignored: history.length, functions: [] },
  }
}

const ORDER = { invalid: 0, unknown: 1, valid: 2 }

function compose(
  history: History,
  model: Model,
  parts: readonly Part[],
  results: Map<Part, CheckResult>,
): CheckResult<LinearizabilityDetails> {
  const all = parts.map((part) => results.get(part)!).sort((a, b) => ORDER[a.verdict] - ORDER[b.verdict])
  let failed = 0
  for (let i = 0; i < history.length; i++) if (history.type[i] === FAIL) failed++
  const scope = {
    operations: history.length - failed,
    ignored: failed,
    functions: history.functions.filter((_, f) => history.f.includes(f)),
  }
  // Failed and unknown operations say nothing alone, so that a history without others was not checked at all.
  if (!history.type.includes(OK)) {
    return { ...nothing(model.name), verdict: 'unknown', reason: NOTHING_CHECKED, scope }
  }
  if (all.length === 1) return { ...all[0], scope }
  const verdict = all.reduce((sum, result) => worst(sum, result.verdict), 'valid' as CheckResult['verdict'])
  return {
    ...nothing(model.name),
    verdict,
    reason: verdict === 'unknown' ? (all[0]?.reason ?? null) : null,
    scope,
    checks: all.reduce((sum, result) => sum + result.checks, 0),
    anomalies: all.flatMap((result) => result.anomalies),
    method:
      [...new Set(all.map(({ method }) => method))].filter((method) => method !== null).join('; ') || null,
    details: {
      objects: all.length,
      failingKeys: all.filter((r) => r.verdict === 'invalid').map((r) => r.details.key),
    },
    parts: all,
  }
}

export * from './models/index.ts'
export { ILLEGAL } from './model.ts'
export type { AnyModel, Illegal, Model, NondeterministicModel } from './model.ts'
export type { LinearizabilityProof } from './proof.ts'
export type { Partition } from './partition.ts'
