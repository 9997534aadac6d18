/**
 * Adds up the results of many seeds into the result of a campaign, and judges it: violated if a seed failed, or if a
 * promise was never checked although every run could be judged; unknown if a run could not be judged or a checker could
 * not decide (`undecided.ts`); a coverage gap if the runs show too little (`gaps.ts`). The order of the verdicts is their severity.
 */
import { DEFAULT_BUDGET } from '../../faults/budget.ts'
import type { LevelName } from '../../faults/levels.ts'
import { isPromise, mergeAssertions, statusOf } from '../authoring/assertion-table.ts'
import { isViolation, uniqueBugs, type Failure } from '../running/failure.ts'
import { gapsOf, unmetHopes, type Shown } from './gaps.ts'
import { countCrashes, countOutcomes } from './reasons.ts'
import {
  RESULT_VERSION,
  type CampaignResult,
  type CampaignVerdict,
  type ExitCounts,
  type FaultCount,
  type Gap,
  type InvariantCount,
  type OperationCounts,
  type SeedResult,
} from './result.ts'
import { isSituation, situationsOf } from './situations.ts'
import type { StopReason } from './stop-rule.ts'
import { addCheckerCounts, undecidedReasons } from './undecided.ts'

export interface CampaignFacts {
  readonly name: string
  readonly file: string | null
  readonly level: LevelName
  readonly firstSeed: number
  readonly stop: StopReason
  readonly wallMs: number
  readonly verified: CampaignResult['verified']
  readonly runtime: CampaignResult['runtime']
}

/** `seeds` in any order; the result does not depend on it. */
export function summarise(seeds: readonly SeedResult[], facts: CampaignFacts): CampaignResult {
  const ordered = [...seeds].sort((a, b) => a.seed - b.seed)
  const failing = ordered.flatMap(({ seed, failure }) => (failure === null ? [] : [{ seed, failure }]))
  const bugs = uniqueBugs(failing)
  const assertions = mergeAssertions(ordered.map((seed) => seed.assertions)).filter(
    (one) => !isSituation(one),
  )
  const faults = mergeFaults(ordered)
  const operations = mergeOperations(ordered)
  const shown = {
    seeds: ordered,
    operations,
    outcomes: countOutcomes(ordered.flatMap((seed) => seed.outcomes)),
    exits: mergeExits(ordered),
    assertions,
    faults,
    invariants: mergeInvariants(ordered),
    situations: situationsOf({ seeds: ordered, level: facts.level, operations, faults }),
    checkers: merge(
      ordered.flatMap((seed) => seed.checkers),
      (row) => row.name,
      addCheckerCounts,
    ),
  }
  const gaps = gapsOf(shown)
  const { verdict, reasons } = judge(failing, gaps, shown, facts)
  return {
    version: RESULT_VERSION,
    kind: 'campaign',
    name: facts.name,
    file: facts.file,
    level: facts.level,
    disk: ordered[0]?.disk ?? 'ext4',
    verdict,
    reasons,
    gaps,
    stop: facts.stop,
    seeds: { first: facts.firstSeed, count: ordered.length, failing: failing.map(({ seed }) => seed) },
    verified: facts.verified,
    wallMs: facts.wallMs,
    simulatedUs: sum(ordered, (seed) => seed.timeUs),
    steps: sum(ordered, (seed) => seed.steps),
    boots: sum(ordered, (seed) => seed.boots),
    exits: shown.exits,
    operations: shown.operations,
    outcomes: shown.outcomes,
    invariants: shown.invariants,
    checkers: shown.checkers,
    assertions,
    situations: shown.situations,
    budget: ordered.find(({ steps }) => steps > 0)?.budget ?? { ...DEFAULT_BUDGET, forbids: [] },
    faults,
    bugs,
    failures: bugs.map((bug) => failing.find(({ seed }) => seed === bug.seeds[0])!),
    artefacts: [],
    shrinkMs: 0,
    notes: [],
    runtime: facts.runtime,
  }
}

function judge(
  failing: readonly { readonly failure: Failure }[],
  gaps: readonly Gap[],
  shown: Shown & Pick<CampaignResult, 'checkers'>,
  facts: CampaignFacts,
): { verdict: CampaignVerdict; reasons: string[] } {
  const reasons: string[] = []
  const unreached = shown.assertions.filter((one) => isPromise(one.kind) && statusOf(one) === 'miss')
  for (const { message } of unreached) reasons.push(`always '${message}' was never reached`)
  const unjudged = failing.some(({ failure }) => !isViolation(failure))
  if (failing.some(({ failure }) => isViolation(failure)) || (unreached.length > 0 && !unjudged))
    return { verdict: 'violated', reasons }
  if (facts.verified.differing.length > 0) {
    reasons.push(`seeds whose two runs differ: ${facts.verified.differing.join(', ')}`)
    return { verdict: 'unknown', reasons }
  }
  if (failing.length > 0) {
    reasons.push(...new Set(failing.map(({ failure }) => failure.message)))
    return { verdict: 'unknown', reasons }
  }
  const undecided = undecidedReasons(shown.checkers, shown.seeds)
  if (undecided.length > 0) {
    reasons.push(...undecided, ...gaps.map(({ message }) => message))
    return { verdict: 'unknown', reasons }
  }
  if (facts.stop === 'interrupted') {
    const { length } = shown.seeds
    reasons.push(`interrupted after ${length} ${length === 1 ? 'seed' : 'seeds'}`)
    return { verdict: 'unknown', reasons }
  }
  reasons.push(...gaps.map(({ message }) => message), ...unmetHopes(shown.assertions))
  return { verdict: reasons.length > 0 ? 'coverage-gap' : 'held', reasons }
}

function sum(seeds: readonly SeedResult[], of: (seed: SeedResult) => number): number {
  return seeds.reduce((total, seed) => total + of(seed), 0)
}

/** Merges rows of all seeds by a key, in the order of their keys. */
function merge<T>(rows: Iterable<T>, keyOf: (row: T) => string, add: (a: T, b: T) => T): T[] {
  const merged = new Map<string, T>()
  for (const row of rows) {
    const key = keyOf(row)
    const before = merged.get(key)
    merged.set(key, before === undefined ? row : add(before, row))
  }
  return [...merged.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
}

function mergeOperations(seeds: readonly SeedResult[]): OperationCounts[] {
  const rows = seeds.flatMap((seed) => seed.operations)
  return merge(
    rows,
    (row) => row.f,
    (a, b) => ({ f: a.f, ok: a.ok + b.ok, fail: a.fail + b.fail, info: a.info + b.info }),
  )
}

function mergeExits(seeds: readonly SeedResult[]): ExitCounts {
  return {
    ordered: sum(seeds, ({ exits }) => exits.ordered),
    finished: sum(seeds, ({ exits }) => exits.finished),
    crashed: sum(seeds, ({ exits }) => exits.crashed),
    restarts: sum(seeds, ({ exits }) => exits.restarts),
    crashes: countCrashes(seeds.flatMap(({ exits }) => exits.crashes)),
  }
}

function mergeInvariants(seeds: readonly SeedResult[]): InvariantCount[] {
  const rows = seeds.flatMap((seed) => seed.invariants)
  return merge(
    rows,
    (row) => row.name,
    (a, b) => ({ name: a.name, checks: a.checks + b.checks, ...addFacts(a, b) }),
  )
}

function addFacts({ facts: a }: InvariantCount, { facts: b }: InvariantCount): Pick<InvariantCount, 'facts'> {
  return a === undefined && b === undefined ? {} : { facts: (a ?? 0) + (b ?? 0) }
}

/** Nothing, if the family tells no kinds apart. */
function mergeKinds(a: FaultCount['kinds'], b: FaultCount['kinds']): Pick<FaultCount, 'kinds'> {
  if (a === undefined || b === undefined) return a === undefined && b === undefined ? {} : { kinds: a ?? b! }
  const kinds: Record<string, number> = { ...a }
  for (const [kind, landed] of Object.entries(b)) kinds[kind] = (kinds[kind] ?? 0) + landed
  return { kinds }
}

function mergeFaults(seeds: readonly SeedResult[]): FaultCount[] {
  const rows = seeds.flatMap((seed) => seed.faults)
  return merge(
    rows,
    (row) => row.family,
    (a, b) => ({
      family: a.family,
      injected: a.injected + b.injected,
      landed: a.landed + b.landed,
      victims: a.victims + b.victims,
      ...mergeKinds(a.kinds, b.kinds),
    }),
  )
}
