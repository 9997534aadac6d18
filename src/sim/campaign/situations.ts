/**
 * The situations of a campaign: how often each occurred, whether that is enough to lean on, and what to change if it is
 * not. Fewer than 5 occurrences over all seeds is too little: the promise that is at stake there was hardly tried.
 *
 * Advice is made from what the runs show, the surest first: a fault or an operation that the author says it needs and
 * that hardly happened; a fault that landed in every seed with the situation and in few without it; the number of seeds
 * that the rate so far calls for.
 */
import { ceil, max } from '../../kernel/arithmetic.ts'
import type { LevelName } from '../../faults/levels.ts'
import { mergeAssertions } from '../authoring/assertion-table.ts'
import type { SituationNeeds } from '../authoring/situations.ts'
import type { FaultCount, OperationCounts, SeedResult } from './result.ts'

/** Occurrences over all seeds below which a situation is under-covered. */
export const ENOUGH = 5

/** The share of all operations below which one that a situation needs is called rare. */
const RARE_SHARE = 0.05

export interface SituationCount {
  readonly name: string
  /** Occurrences over all seeds. */
  readonly times: number
  /** Seeds in which it occurred. */
  readonly seeds: number
  /** How often its call was reached: more than `times` if it has a condition. */
  readonly reached: number
  readonly status: 'exercised' | 'under-covered' | 'not-exercised'
  /** What to change, one sentence each; empty if it was exercised. */
  readonly advice: readonly string[]
}

export interface SituationQuestion {
  readonly seeds: readonly SeedResult[]
  readonly level: LevelName
  readonly operations: readonly OperationCounts[]
  readonly faults: readonly FaultCount[]
}

export function situationsOf(question: SituationQuestion): SituationCount[] {
  const { seeds } = question
  const needs = seeds.reduce<Readonly<Record<string, SituationNeeds>>>(
    (all, seed) => ({ ...all, ...seed.situations }),
    {},
  )
  const found = mergeAssertions(seeds.map(({ assertions }) => assertions)).filter(isSituation)
  return found.map(({ message: name, reached, passed: times }) => {
    const inSeeds = seeds.filter((seed) => occurredIn(seed, name))
    const count = { name, times, seeds: inSeeds.length, reached }
    if (times >= ENOUGH) return { ...count, status: 'exercised', advice: [] }
    const advice = adviceOn(count, needs[name] ?? {}, inSeeds, question)
    return { ...count, status: times === 0 ? 'not-exercised' : 'under-covered', advice }
  })
}

export function isSituation({ kind }: { readonly kind: string }): boolean {
  return kind === 'situation'
}

function occurredIn({ assertions }: SeedResult, name: string): boolean {
  return assertions.some((one) => isSituation(one) && one.message === name && one.passed > 0)
}

type Count = Omit<SituationCount, 'status' | 'advice'>

function adviceOn(
  count: Count,
  { faults = [], operations = [] }: SituationNeeds,
  inSeeds: readonly SeedResult[],
  question: SituationQuestion,
): string[] {
  const advice = [
    ...faults.flatMap((family) => faultAdvice(family, question)),
    ...operations.flatMap((f) => operationAdvice(f, question)),
  ]
  if (advice.length === 0 && count.times > 0) advice.push(...companions(inSeeds, question))
  advice.push(seedAdvice(count, question))
  return advice
}

function faultAdvice(family: string, { faults, level, seeds }: SituationQuestion): string[] {
  const found = faults.find((each) => each.family === family)
  const rate = `levels.${level}.families['${family}']`
  if (found === undefined) return [`${family} never struck: raise ${rate}, or run a higher level`]
  if (found.landed === 0)
    return [
      `${family} struck ${found.injected} times and never landed: give it something to hit, or raise ${rate}`,
    ]
  if (found.landed < seeds.length) return [`${family} landed ${found.landed} times: raise ${rate}`]
  return []
}

function operationAdvice(f: string, { operations }: SituationQuestion): string[] {
  const total = (row: OperationCounts): number => row.ok + row.fail + row.info
  const all = operations.reduce((sum, row) => sum + total(row), 0)
  const found = operations.find((row) => row.f === f)
  if (found === undefined) return [`operation '${f}' never ran: give it a weight in the workload`]
  if (total(found) < all * RARE_SHARE)
    return [`operation '${f}' was ${total(found)} of ${all} operations: raise its weight`]
  return []
}

/** Families that landed wherever the situation occurred, and in fewer than half of the other seeds. */
function companions(inSeeds: readonly SeedResult[], { seeds, level }: SituationQuestion): string[] {
  const landed = (seed: SeedResult): string[] =>
    seed.faults.filter((fault) => fault.landed > 0).map(({ family }) => family)
  const others = seeds.filter((seed) => !inSeeds.includes(seed))
  return landed(inSeeds[0])
    .filter((family) => inSeeds.every((seed) => landed(seed).includes(family)))
    .filter((family) => others.filter((seed) => landed(seed).includes(family)).length * 2 < others.length)
    .map(
      (family) =>
        `it occurred only in seeds in which ${family} landed: raise levels.${level}.families['${family}']`,
    )
}

function seedAdvice({ times, reached }: Count, { seeds }: SituationQuestion): string {
  const ran = seeds.length
  const more = `run more than ${ran} ${ran === 1 ? 'seed' : 'seeds'}`
  if (times > 0)
    return `at this rate about ${max(ran + 1, ceil((ran * ENOUGH) / times))} seeds show it ${ENOUGH} times`
  return reached > 0
    ? `its place was reached ${reached} times, and the condition was never true: ${more}, or aim a fault with \`script\``
    : `its place was never reached: ${more}, or change the workload so that it leads there`
}
