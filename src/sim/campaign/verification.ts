/**
 * Where two runs of one seed part, and over what. Both are run again with the hash kept after every step: the first step
 * whose hash differs is the place. A third pair of runs goes as far as that step and accounts for it, with the user's
 * stacks in both. Whatever makes runs differ may make these differ elsewhere, so that is tried a few times.
 */
import { firstDifference } from '../../kernel/hash-log.ts'
import { compareAccounts, type AccountDifference } from '../step-account.ts'
import type { SeedExecutor, SeedJob } from './executor.ts'

export interface RunDifference {
  readonly seed: number
  /** The first step after which the hashes differ; null when the repeated runs agreed after all. */
  readonly step: number | null
  readonly steps: readonly [first: number, second: number]
  /** What each run did at that step; null where no pair of runs could be caught at it. */
  readonly parting: AccountDifference | null
}

const ATTEMPTS = 4

export async function compareRuns(executor: SeedExecutor, job: SeedJob): Promise<RunDifference> {
  let difference = await findStep(executor, job)
  for (let attempt = 0; attempt < ATTEMPTS && difference.step !== null; attempt++) {
    const parting = await accountFor(executor, job, difference.step)
    if (parting !== null) return { ...difference, parting }
    const again = await findStep(executor, job)
    if (again.step !== null) difference = again
  }
  return difference
}

async function findStep(executor: SeedExecutor, job: SeedJob): Promise<RunDifference> {
  const first = await executor.run({ ...job, keepHashes: true })
  const second = await executor.run({ ...job, keepHashes: true }, first.lane)
  return {
    seed: job.seed,
    step: firstDifference(first.hashes!, second.hashes!),
    steps: [first.result.steps, second.result.steps],
    parting: null,
  }
}

async function accountFor(
  executor: SeedExecutor,
  job: SeedJob,
  step: number,
): Promise<AccountDifference | null> {
  const first = await executor.run({ ...job, accountFor: step })
  const second = await executor.run({ ...job, accountFor: step }, first.lane)
  if (first.account === null || second.account === null) return null
  return compareAccounts(first.account, second.account)
}
