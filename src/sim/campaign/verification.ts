/**
 * Where two runs of one seed part. Both are run again with the hash kept after every step; the first step whose hash
 * differs is the place, and the row before it is the last thing they agreed on.
 */
import { firstDifference } from '../../kernel/hash-log.ts'
import type { SeedExecutor, SeedJob } from './executor.ts'

export interface HashDifference {
  /** The first step after which the hashes differ; null when the repeated runs agreed after all. */
  readonly step: number | null
  readonly steps: readonly [first: number, second: number]
}

export async function compareRuns(executor: SeedExecutor, job: SeedJob): Promise<HashDifference> {
  const first = await executor.run({ ...job, keepHashes: true })
  const second = await executor.run({ ...job, keepHashes: true }, first.lane)
  return {
    step: firstDifference(first.hashes!, second.hashes!),
    steps: [first.result.steps, second.result.steps],
  }
}
