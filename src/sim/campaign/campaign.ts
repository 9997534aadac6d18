/**
 * A campaign: many seeds of one simulation at one level. Seeds run in as many threads as there are, in any order, but are
 * counted in the order of their numbers, so the result does not depend on the number of threads. A failing seed stops no
 * other seed, unless the campaign bails.
 *
 * Some seeds run twice, in two threads, and must give the same hash: every campaign checks the tank's own promise.
 */
import type { LevelName } from '../../faults/levels.ts'
import { ceil, max, round } from '../../kernel/arithmetic.ts'
import type { CampaignResult, SeedResult } from './result.ts'
import { StopWatch, type StopReason, type StopRule } from './stop-rule.ts'
import type { HostClock, SeedExecutor, SeedJob, SimulationReference } from './executor.ts'
import { isLost } from './lost-seed.ts'
import { summarise } from './summary.ts'
import { compareRuns, differingResults, type RunDifference } from './verification.ts'

export interface CampaignOptions {
  readonly simulation: SimulationReference
  readonly level: LevelName
  readonly firstSeed: number
  readonly rule: StopRule
  readonly bail: boolean
  /** Run one seed in this many twice; 0 none, 1 every seed. */
  readonly verifyEvery: number
  /** Only every `of`-th seed, beginning with number `index` (from 0): all shards together run all seeds, each once. */
  readonly shard: { readonly index: number; readonly of: number }
  readonly executor: SeedExecutor
  readonly clock: HostClock
  readonly runtime: CampaignResult['runtime']
  /** Ends the campaign early: what has come back is its result. */
  readonly signal?: AbortSignal | undefined
  /** Called for every seed as it comes back, in no order. */
  readonly onSeed?: (result: SeedResult, done: number) => void
}

/** The rule for a shard: of a number of seeds it runs its own. */
function shareOf({ rule, shard }: CampaignOptions): StopRule {
  if (rule.type !== 'seeds') return rule
  return { ...rule, count: max(0, ceil((rule.count - shard.index) / shard.of)) }
}

/** Differing seeds that are looked into: each takes several runs, and all have usually one cause. */
const MOST_DIFFERENCES = 3

export async function runCampaign(options: CampaignOptions): Promise<CampaignResult> {
  return new Campaign(options).run()
}

class Campaign {
  private readonly options: CampaignOptions
  private readonly stopWatch: StopWatch
  private readonly begunMs: number
  /** Results that wait for a seed before them. */
  private readonly early = new Map<number, SeedResult>()
  private readonly counted: SeedResult[] = []
  private readonly comparisons: { seed: number; same: boolean }[] = []
  private readonly differences: RunDifference[] = []
  private started = 0
  private stop: StopReason | null = null

  constructor(options: CampaignOptions) {
    this.options = options
    this.stopWatch = new StopWatch(shareOf(options))
    this.begunMs = options.clock.nowMs()
  }

  async run(): Promise<CampaignResult> {
    const { executor, clock, simulation, level, firstSeed, runtime } = this.options
    await this.untilInterrupted(Promise.all(Array.from({ length: executor.threads }, () => this.takeSeeds())))
    if (this.stop === 'interrupted') this.counted.push(...this.early.values()) // no seed before them comes back any more
    const seen = new Set(this.counted.map(({ seed }) => seed))
    const verified = this.comparisons.filter(({ seed }) => seen.has(seed))
    return summarise(this.counted, {
      name: simulation.name,
      file: simulation.file,
      level,
      firstSeed,
      stop: this.stop ?? 'seeds',
      wallMs: max(1, round(clock.nowMs() - this.begunMs)),
      verified: {
        seeds: verified.length,
        differing: verified.filter(({ same }) => !same).map(({ seed }) => seed),
        differences: this.differences.filter(({ seed }) => seen.has(seed)),
      },
      runtime,
    })
  }

  /** Waits for the seeds, or for the signal. Seeds that still run then are given up. */
  private async untilInterrupted(seeds: Promise<unknown>): Promise<void> {
    const { signal } = this.options
    if (signal === undefined) return void (await seeds)
    const interrupted = new Promise<void>((resolve) => {
      const stop = (): void => {
        this.stop ??= 'interrupted'
        resolve()
      }
      if (signal.aborted) stop()
      else signal.addEventListener('abort', stop, { once: true })
    })
    seeds.catch(() => {}) // after the signal, a thread that ends says nothing
    await Promise.race([seeds, interrupted])
  }

  /** One thread's share: takes the next seed until there is no more to do. */
  private async takeSeeds(): Promise<void> {
    const { options } = this
    while (this.stop === null && this.started < this.stopWatch.limit) {
      const position = this.started++
      const seed = options.firstSeed + options.shard.index + position * options.shard.of
      const { simulation, level } = options
      const verify = options.verifyEvery > 0 && position % options.verifyEvery === 0
      const job: SeedJob = { simulation, level, seed }
      const result = verify ? await this.verified(job) : (await options.executor.run(job)).result
      if (this.stop === 'interrupted') return
      this.take(position, result)
      options.onSeed?.(result, this.counted.length + this.early.size)
    }
  }

  private async verified(job: SeedJob): Promise<SeedResult> {
    const { executor } = this.options
    const reports = await executor.runTwice(job)
    const lost = reports.find(isLost)
    if (lost !== undefined) return lost.result // it has no hash to compare; the seed is reported as lost
    const [{ result: first }, { result: second }] = reports
    const differing = differingResults(first, second)
    const same = differing.length === 0
    this.comparisons.push({ seed: job.seed, same })
    if (!same && this.differences.length < MOST_DIFFERENCES)
      this.differences.push(await compareRuns(executor, job, differing))
    return first
  }

  /** Counts results in the order of their seeds, as far as they are there. */
  private take(position: number, result: SeedResult): void {
    this.early.set(position, result)
    for (;;) {
      const next = this.early.get(this.counted.length)
      if (next === undefined || this.stop !== null) return
      this.early.delete(this.counted.length)
      this.counted.push(next)
      const families = next.faults.filter((fault) => fault.landed > 0).map((fault) => fault.family)
      const elapsedMs = this.options.clock.nowMs() - this.begunMs
      this.stop = this.stopWatch.add(next.assertions, families, elapsedMs)
      if (this.stop === null && this.options.bail && next.failure !== null) this.stop = 'bail'
    }
  }
}
