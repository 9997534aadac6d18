/**
 * Whether two runs of one seed are the same: their hashes and all that is reported of them. Where they part, and over
 * what, if they are not. Both are run again with the hash kept after every step: the first step
 * whose hash differs is the place. A third pair of runs goes as far as that step and accounts for it, with the user's
 * stacks in both. The cause of the difference may make these two differ elsewhere, so the search has a few attempts.
 */
import { firstDifference } from '../../kernel/hash-log.ts'
import { compareAccounts, type AccountDifference } from '../running/step-account.ts'
import type { SeedExecutor, SeedJob } from './executor.ts'
import type { SeedResult } from './result.ts'

export interface RunDifference {
  readonly seed: number
  /** The first step after which the hashes differ; null when the repeated runs agreed after all. */
  readonly step: number | null
  readonly steps: readonly [first: number, second: number]
  /** What differed in the results of the two runs that were compared first: `failure`, `assertions`, … */
  readonly results: readonly (keyof SeedResult)[]
  /** What each run did at that step; null if no pair of runs could be caught at it. */
  readonly parting: AccountDifference | null
}

const ATTEMPTS = 4

/** The fields in which two results of one seed differ. None do if the runs are the same. */
export function differingResults(first: SeedResult, second: SeedResult): (keyof SeedResult)[] {
  const fields = Object.keys(first) as (keyof SeedResult)[]
  return fields.filter((field) => JSON.stringify(first[field]) !== JSON.stringify(second[field]))
}

/** `results` is what the comparison of two earlier runs gave. */
export async function compareRuns(
  executor: SeedExecutor,
  job: SeedJob,
  results: RunDifference['results'],
): Promise<RunDifference> {
  let difference = { ...(await findStep(executor, job)), results }
  for (let attempt = 0; attempt < ATTEMPTS && difference.step !== null; attempt++) {
    const parting = await accountFor(executor, job, difference.step)
    if (parting !== null) return { ...difference, parting }
    const again = await findStep(executor, job)
    if (again.step !== null) difference = { ...again, results }
  }
  return difference
}

async function findStep(executor: SeedExecutor, job: SeedJob): Promise<Omit<RunDifference, 'results'>> {
  const [first, second] = await executor.runTwice({ ...job, keepHashes: true })
  const none = new Uint32Array(0) // a run whose thread was lost
  return {
    seed: job.seed,
    step: firstDifference(first.hashes ?? none, second.hashes ?? none),
    steps: [first.result.steps, second.result.steps],
    parting: null,
  }
}

async function accountFor(
  executor: SeedExecutor,
  job: SeedJob,
  step: number,
): Promise<AccountDifference | null> {
  const [first, second] = await executor.runTwice({ ...job, accountFor: step })
  if (first.account === null || second.account === null) return null
  return compareAccounts(first.account, second.account)
}
