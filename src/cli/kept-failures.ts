/** Of every bug that a campaign found, one failing seed: shrunk, written to a trace file, and told. */
import { join } from 'node:path'
import type { LevelName } from '../faults/levels.ts'
import type { SeedJob, SeedReport } from '../sim/campaign/executor.ts'
import type { ThreadPool } from '../sim/campaign/thread-pool.ts'
import { signatureOf } from '../sim/failure.ts'
import type { CampaignResult, FailureArtefact } from '../sim/result.ts'
import { shrink } from '../sim/shrink.ts'
import { tellStory, type Story } from '../sim/story.ts'
import type { ShrinkSummary } from '../sim/trace-file.ts'
import { makeRunFolder, shortPath, writeTrace } from './run-folder.ts'

/** Enough for most; `wavetank shrink` goes on from there. */
const MAX_RUNS = 1500

export interface KeepOptions {
  readonly pool: ThreadPool
  readonly root: string
  readonly output: string
  readonly shrink: boolean
  readonly onProgress: (runs: number, choices: number) => void
}

export interface KeptFailure {
  readonly artefact: FailureArtefact
  readonly story: Story
  readonly shrunk: ShrinkSummary | null
}

export async function keepFailures(result: CampaignResult, options: KeepOptions): Promise<KeptFailure[]> {
  if (result.failures.length === 0) return []
  const folder = makeRunFolder(options.output, result.name, new Date())
  const kept: KeptFailure[] = []
  for (const [index, { seed, failure }] of result.failures.entries()) {
    const level = result.level as LevelName
    const job: SeedJob = {
      simulation: { file: result.file!, name: result.name },
      level,
      seed,
      keepChoices: true,
    }
    const stuck = failure.category === 'stuck'
    const small = await shrinkIfAsked(job, options, stuck)
    const file = join(folder, `f${index + 1}.json`)
    writeTrace(file, options.root, small.job, small.report, small.summary)
    const story = stuck ? tellStory([], failure) : (await options.pool.tell(small.job)).story
    const replay = `npx wavetank replay ${shortPath(file)}`
    const signature = signatureOf(failure)
    kept.push({ artefact: { seed, signature, file, replay }, story, shrunk: small.summary })
  }
  return kept
}

/** A run that is stuck takes its time-out every time: it is kept as it is. */
async function shrinkIfAsked(
  job: SeedJob,
  options: KeepOptions,
  stuck: boolean,
): Promise<{ job: SeedJob; report: SeedReport; summary: ShrinkSummary | null }> {
  if (!options.shrink || stuck) return { job, report: await options.pool.run(job), summary: null }
  const shrunk = await shrink(options.pool, job, { maxRuns: MAX_RUNS, onProgress: options.onProgress })
  const { before, after, faults, runs, minimal } = shrunk
  return { job: shrunk.job, report: shrunk.report, summary: { before, after, faults, runs, minimal } }
}
