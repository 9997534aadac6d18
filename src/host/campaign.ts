/**
 * A campaign on this machine: seeds are run, and of every unique bug one failing seed is shrunk and kept. `simulate()` and
 * `wavetank run` both come here, so that both give the same: a result, and for each bug a trace, a story and the command
 * that replays it.
 */
import { availableParallelism, totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import type { LevelName } from '../faults/levels.ts'
import { FailureKeeper, type KeepOptions, type LimitsFor } from '../failures/kept-campaign.ts'
import type { RecordedRun, RunRecorder } from '../failures/recorded-run.ts'
import type { ShrinkLimits } from '../failures/recorded-failure.ts'
import { VERSION } from '../failures/version.ts'
import { UsageError } from '../kernel/errors.ts'
import { runCampaign } from '../sim/campaign/campaign.ts'
import type { SimulationReference } from '../sim/campaign/executor.ts'
import type { CampaignResult, SeedResult } from '../sim/campaign/result.ts'
import { ThreadPool, type ThreadPoolOptions } from '../sim/campaign/thread-pool.ts'
import { hostClock } from './host-clock.ts'
import { seedsOf, type SeedOptions } from './simulate-options.ts'

export interface CampaignRequest {
  readonly simulation: SimulationReference
  readonly level: LevelName
  readonly seeds: SeedOptions
  readonly bail?: boolean | undefined
  /** Run every seed twice and compare; by default every 25th. */
  readonly verify?: boolean | undefined
  readonly shard?: { readonly index: number; readonly of: number } | undefined
  readonly recorder: RunRecorder
  /** Ends the campaign early; what was found is kept and not shrunk further. */
  readonly signal?: AbortSignal | undefined
  readonly onSeed?: ((result: SeedResult, done: number) => void) | undefined
  readonly onShrink?: ShrinkLimits['onProgress']
  /** Where and how failures are kept; null: not at all. */
  readonly keep: CampaignKeeping | null
}

export interface CampaignKeeping extends Pick<KeepOptions, 'root' | 'inline'> {
  /** The folder for runs, relative to the root; `.wavetank/runs` by default. */
  readonly output?: string | undefined
  readonly shrink: boolean
  /** Wall time that shrinking may take, for all failures together; by default a few times that of the campaign. */
  readonly shrinkMs?: number | undefined
}

/** One seed of this many is always run twice. */
const VERIFY_SOME = 25

/** Enough for most failures; `wavetank shrink` goes on from there. */
const SHRINK_RUNS = 1500

/** A thread that makes no step for this long is stuck. */
const STUCK_MS = 10_000

/** Each takes some 100 MB. */
const MOST_JOBS = 1024

/** Heap that a thread may use at most by default: all threads together get three quarters of the machine's memory. */
const MOST_MEMORY_MB = 4096
const MEMORY_SHARE = 0.75

export async function campaign(request: CampaignRequest): Promise<CampaignResult> {
  const { simulation, level, recorder, keep, signal } = request
  const keeper = keep === null ? null : keeperFor(keep, request)
  const result = await runCampaign({
    simulation,
    level,
    ...seedsOf(request.seeds),
    bail: request.bail ?? false,
    verifyEvery: request.verify === true ? 1 : VERIFY_SOME,
    shard: request.shard ?? { index: 0, of: 1 },
    executor: recorder,
    clock: hostClock,
    runtime: { node: process.version, wavetank: VERSION },
    signal,
    onSeed: (seed, done) => {
      keeper?.see(seed)
      request.onSeed?.(seed, done)
    },
  })
  if (keep === null || keeper === null) return result
  const shrinks = keep.shrink && signal?.aborted !== true
  return { ...result, ...(await keeper.keep(result, shrinks ? shrinkLimits(result.wallMs, request) : null)) }
}

function keeperFor(keep: CampaignKeeping, { simulation, level, recorder }: CampaignRequest): FailureKeeper {
  const { root, inline } = keep
  const { name, file } = simulation
  return new FailureKeeper({
    recorder,
    clock: hostClock,
    name,
    level,
    root,
    inline,
    file,
    output: outputOf(keep),
  })
}

/** The folder for the runs of a campaign. */
export function outputOf({
  root,
  output = join('.wavetank', 'runs'),
}: Pick<CampaignKeeping, 'root' | 'output'>): string {
  return resolve(root, output)
}

/** Without a time of its own, shrinking may take some times as long as the campaign, and a bug at most half a minute. */
const SHRINK_TIMES = 4
const LEAST_SHRINK_MS = 15_000
const MOST_SHRINK_MS = 30_000

/** Each failure gets an equal share of the time that is left. */
function shrinkLimits(wallMs: number, { keep, onShrink, signal }: CampaignRequest): LimitsFor {
  const asked = keep?.shrinkMs
  const endMs = hostClock.nowMs() + (asked ?? Math.max(LEAST_SHRINK_MS, SHRINK_TIMES * wallMs))
  return (left) => {
    const nowMs = hostClock.nowMs()
    const shareMs = (endMs - nowMs) / left
    const untilMs = nowMs + (asked === undefined ? Math.min(MOST_SHRINK_MS, shareMs) : shareMs)
    return {
      maxRuns: SHRINK_RUNS,
      isSpent: () => signal?.aborted === true || hostClock.nowMs() > untilMs,
      ...(onShrink === undefined ? {} : { onProgress: onShrink }),
    }
  }
}

/** How many threads, and what each may take. */
export interface PoolOptions {
  readonly jobs?: number | undefined
  readonly stuckWallMs?: number | undefined
  readonly memoryMb?: number | undefined
  /** A module in place of that of {@link threadPool}, with what it is given and says. It ends with importing that one. */
  readonly own?: NonNullable<ThreadPoolOptions['own']> & { readonly worker: URL }
}

/** A pool of worker threads for a project. */
export function threadPool(root: string, options: PoolOptions = {}): ThreadPool<RecordedRun> {
  const threads = options.jobs ?? availableParallelism()
  if (threads > MOST_JOBS) {
    throw new UsageError(
      'ERR_WAVETANK_OPTIONS',
      `jobs: expected at most ${MOST_JOBS} worker threads, and got ${threads}; one per core is enough`,
    )
  }
  const { stuckWallMs = STUCK_MS, memoryMb = memoryOf(threads), own } = options
  const tankWorker = new URL(
    import.meta.url.endsWith('.ts') ? './tank-worker.ts' : './tank-worker.js',
    import.meta.url,
  )
  return new ThreadPool<RecordedRun>({
    threads,
    worker: own?.worker ?? tankWorker,
    root,
    clock: hostClock,
    stuckWallMs,
    memoryMb,
    ...(own === undefined ? {} : { own }),
  })
}

function memoryOf(threads: number): number {
  return Math.min(MOST_MEMORY_MB, Math.floor((totalmem() * MEMORY_SHARE) / threads / 1024 / 1024))
}
