/**
 * Shrinking a failing seed: the kernel's shrinker with the measure of a simulation. Wholes that may be left out are fault
 * episodes, clients, operations, the sizes of groups. The number of faults counts first, then the number of operations. A
 * candidate must fail with the same signature, so shrinking never slips to another bug.
 *
 * The result is 1-minimal: no fault, no operation and no choice can be left out; shrinking it again changes nothing.
 */
import type { Choice } from '../kernel/choices.ts'
import { UsageError } from '../kernel/errors.ts'
import { normal, shrinkAsync, type ShrinkBudget, type ShrinkMeasure } from '../kernel/shrink.ts'
import type { SeedExecutor, SeedJob, SeedReport } from '../sim/campaign/executor.ts'
import { choicesInWords } from './choice-words.ts'
import type { ShrinkSummary } from '../sim/campaign/result.ts'

export interface ShrinkLimits extends ShrinkBudget {
  readonly onProgress?: (runs: number, choices: number) => void
}

export interface ShrunkSeed {
  /** The job that runs the shrunk failure. */
  readonly job: SeedJob
  readonly report: SeedReport
  readonly summary: Required<ShrinkSummary>
}

/** From big to small. */
const WHOLES: readonly ((choice: Choice) => string | null)[] = [
  // all that one kind of thing decides: links, disks, the swarm's coins
  (choice) => choice.entity.split(' ', 1)[0],
  // a fault family, an episode
  (choice) => (isFault(choice) ? choice.entity.replace(/ #\d+$/, '') : null),
  (choice) => (isFault(choice) ? choice.entity : null),
  (choice) => /^client \d+/.exec(choice.entity)?.[0] ?? null,
  (choice) => /^client \d+ operation #\d+/.exec(choice.entity)?.[0] ?? null,
]

/** Shrinks a job. It runs once to learn its choices; after that, only candidates run. */
export async function shrinkSeed(
  executor: SeedExecutor,
  failing: SeedJob,
  limits: ShrinkLimits,
): Promise<ShrunkSeed> {
  return shrinkReport(executor, failing, await executor.run({ ...failing, keepChoices: true }), limits)
}

/** Shrinks a job whose report, with its choices, is there already. */
export async function shrinkReport(
  executor: SeedExecutor,
  failing: SeedJob,
  first: SeedReport,
  { onProgress, ...budget }: ShrinkLimits,
): Promise<ShrunkSeed> {
  const { failure } = first.result
  if (failure === null)
    throw new UsageError('ERR_WAVETANK_NOT_FAILING', `shrink: seed ${failing.seed} does not fail`)
  const jobOf = (choices: readonly Choice[]): SeedJob => {
    return { ...failing, base: 'zero', overrides: choices, misfit: 'bend', keepChoices: true }
  }
  const { run, runs, minimal } = await shrinkAsync(first, ({ choices }) => executor.run(jobOf(choices)), {
    ...budget,
    maxRuns: budget.maxRuns - 1, // the first run counts
    measure: measureOf(failure.signature),
    onProgress: (done, best) => onProgress?.(done + 1, best.choices.length),
  })
  const choices = normal(run.choices)
  const faults = faultsIn(choices)
  return {
    job: jobOf(choices),
    report: run,
    summary: {
      before: first.choices.length,
      after: choices.length,
      faults,
      left: choicesInWords(choices),
      runs: runs + 1,
      minimal,
    },
  }
}

function measureOf(signature: string): ShrinkMeasure<SeedReport> {
  return {
    choicesOf: ({ choices }) => choices,
    isAlike: ({ result }) => result.failure?.signature === signature,
    weigh: ({ choices }) => [faultsIn(choices), choices.filter(isOperation).length],
    wholes: WHOLES,
    closesGaps: true,
  }
}

function isFault({ entity }: Choice): boolean {
  return entity.startsWith('nemesis ') || entity.startsWith('buggify ')
}

function isOperation({ label, entity }: Choice): boolean {
  return label === 'happens' && entity.startsWith('client ')
}

function faultsIn(choices: readonly Choice[]): number {
  return new Set(choices.filter(isFault).map((choice) => choice.entity)).size
}
