/**
 * What a campaign without a failure does not show. A campaign holds only if something judged its runs, its workload asked
 * something of the system, every kind of operation succeeded at least once, every hope was met, and no process crashed
 * without a fault. Otherwise each lack is a gap, with a sentence that says what to do.
 */
import { forbiddenBy } from '../../faults/forbidden.ts'
import { isPromise, statusOf, type AssertionSummary } from '../authoring/assertion-table.ts'
import { GAP_KINDS, type GapKind } from '../authoring/gap-kinds.ts'
import type {
  ExitCounts,
  FaultCount,
  Gap,
  InvariantCount,
  OperationCounts,
  OutcomeCount,
  SeedResult,
} from './result.ts'
import type { SituationCount } from './situations.ts'

export interface Shown {
  readonly seeds: readonly SeedResult[]
  readonly operations: readonly OperationCounts[]
  readonly outcomes: readonly OutcomeCount[]
  readonly exits: ExitCounts
  readonly assertions: readonly AssertionSummary[]
  readonly situations: readonly SituationCount[]
  readonly faults: readonly FaultCount[]
  readonly invariants: readonly InvariantCount[]
}

/** The gaps of a campaign, without those that the simulation allows. A campaign without a seed has none. */
export function gapsOf(shown: Shown): Gap[] {
  if (shown.seeds.length === 0) return []
  const allowed = new Set(shown.seeds.flatMap(({ allowGaps }) => allowGaps))
  return GAP_KINDS.filter((kind) => !allowed.has(kind)).flatMap((kind) =>
    LACKS[kind](shown).map((what) => ({ kind, message: `${what} (allowGaps: ['${kind}'] accepts this)` })),
  )
}

const LACKS: Readonly<Record<GapKind, (shown: Shown) => string[]>> = {
  'no-promise': ({ seeds }) =>
    seeds.some(({ isJudged }) => isJudged)
      ? []
      : ['nothing is checked: the simulation has no invariant, no check and no assertion'],
  'no-fact': ({ invariants, seeds }) => [
    ...invariants
      .filter(({ facts }) => facts === 0)
      .map(
        ({ name }) =>
          `invariant '${name}' never saw a fact: its event was never published, or \`read\` gave null for each`,
      ),
    ...(seeds[0].silent ?? [])
      .filter((phrase) => seeds.every(({ silent = [] }) => silent.includes(phrase)))
      .map((phrase) => `${phrase} in any seed: what reads its events has checked nothing`),
  ],
  'no-operation': ({ operations }) =>
    operations.length > 0
      ? []
      : ['the workload did nothing: no operation was recorded; call operation() in run'],
  'no-success': ({ operations, outcomes }) => operations.flatMap((counts) => unsuccessful(counts, outcomes)),
  crash: ({ exits }) => crashed(exits),
  'no-landing': (shown) => notLanded(shown),
  'no-situation': ({ situations }) =>
    situations
      .filter(({ status }) => status === 'not-exercised')
      .map(({ name, advice }) => `situation '${name}' never occurred; ${advice.join('; ')}`),
}

function unsuccessful({ f, ok, fail, info }: OperationCounts, outcomes: readonly OutcomeCount[]): string[] {
  if (ok > 0) return []
  const commonest = outcomes.find((outcome) => outcome.f === f)
  const why = commonest === undefined ? '' : `; most often: ${commonest.reason}`
  return [`operation '${f}' never succeeded (${fail} failed, ${info} unknown)${why}`]
}

/** A fault that was injected has done nothing until its effect is seen on the victim's side. */
function notLanded({ seeds, faults }: Shown): string[] {
  const asked = [...new Set(seeds.flatMap((seed) => seed.asked))].sort()
  const storm = asked.length === 0 ? noneLanded(seeds, faults) : []
  const missing = asked.flatMap((family) => {
    const { injected = 0, landed = 0 } = faults.find((each) => each.family === family) ?? {}
    if (landed > 0) return []
    const part = forbiddenBy(family, seeds[0].budget)
    const why =
      part !== null
        ? `the budget forbids it: ${part} is ${JSON.stringify(seeds[0].budget[part])}`
        : injected === 0
          ? 'it never struck: the budget allows no victim, there is none, or the chaos windows were too short'
          : `it struck ${injected === 1 ? 'once' : `${injected} times`} and hit nothing`
    return [`fault '${family}' was asked for and never landed: ${why}`]
  })
  return [...storm, ...missing]
}

/** Seeds in which a storm lands something if it can at all: a swarm may leave all of it out of a few. */
const ENOUGH_SEEDS = 10

/** A storm that touched nothing is fair weather, whatever its level is called. */
function noneLanded(seeds: readonly SeedResult[], faults: readonly FaultCount[]): string[] {
  if (seeds.length < ENOUGH_SEEDS || faults.some(({ landed }) => landed > 0)) return []
  const injected = faults.reduce((sum, each) => sum + each.injected, 0)
  const { forbids } = seeds[0].budget
  if (injected === 0 && forbids.length === 0) return [] // no storm was meant
  const struck = injected === 0 ? 'none struck' : `${injected} struck and hit nothing`
  const forbidden = forbids.length === 0 ? '' : `, and the budget forbids ${forbids.join(', ')}`
  return [`no fault landed in any of ${seeds.length} seeds: ${struck}${forbidden}`]
}

function crashed({ crashes }: ExitCounts): string[] {
  const times = crashes.reduce((sum, { unprovoked }) => sum + unprovoked, 0)
  const commonest = crashes.find(({ unprovoked }) => unprovoked > 0)
  if (commonest === undefined) return []
  const often = times === 1 ? 'once' : `${times} times`
  return [`processes crashed without a fault, ${often}; most often: ${commonest.message}`]
}

/** The hopes, such as `sometimes`, that no run met. */
export function unmetHopes(assertions: readonly AssertionSummary[]): string[] {
  return assertions
    .filter((one) => !isPromise(one.kind) && statusOf(one) === 'miss')
    .map(
      ({ kind, message, reached }) => `${kind} '${message}' was never ${reached === 0 ? 'reached' : 'true'}`,
    )
}
