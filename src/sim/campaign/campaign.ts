/**
 * A campaign: many seeds of one simulation at one level. Seeds run on as many lanes as there are, in any order, but are
 * counted in the order of their numbers, so the result does not depend on how many lanes there were. A failing seed
 * stops nobody else, unless the campaign is told to bail.
 *
 * Some seeds are run a second time, on another lane, and must give the same hash: the tank's own promise is checked all
 * the time.
 */
import type { LevelName } from '../../faults/levels.ts'
import { ceil, max, round } from '../../kernel/arithmetic.ts'
import type { CampaignResult, SeedResult } from '../result.ts'
import { StopWatch, type StopReason, type StopRule } from '../stop-rule.ts'
import type { HostClock, SeedExecutor, SeedJob, SimulationReference } from './executor.ts'
import { summarise } from './summary.ts'
import { compareRuns, type RunDifference } from './verification.ts'

export interface CampaignOptions {
  readonly simulation: SimulationReference
  readonly level: LevelName
  readonly firstSeed: number
  readonly rule: StopRule
  readonly bail: boolean
  /** Run one seed of so many twice; 0 never, 1 all of them. */
  readonly verifyEvery: number
  /** Only every `of`-th seed, beginning with number `index` (from 0): all shards together run all seeds, each once. */
  readonly shard: { readonly index: number; readonly of: number }
  readonly executor: SeedExecutor
  readonly clock: HostClock
  readonly runtime: CampaignResult['runtime']
  /** Told of every seed as it comes back, in no order. */
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
  private readonly verified: { seed: number; same: boolean }[] = []
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
    await Promise.all(Array.from({ length: executor.lanes }, () => this.lane()))
    const seen = new Set(this.counted.map(({ seed }) => seed))
    const verified = this.verified.filter(({ seed }) => seen.has(seed))
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

  /** One lane's share: takes the next seed until there is no more to do. */
  private async lane(): Promise<void> {
    const { options } = this
    while (this.stop === null && this.started < this.stopWatch.limit) {
      const position = this.started++
      const seed = options.firstSeed + options.shard.index + position * options.shard.of
      const { simulation, level } = options
      const verify = options.verifyEvery > 0 && position % options.verifyEvery === 0
      const job: SeedJob = { simulation, level, seed }
      const { result, lane } = await options.executor.run(job)
      if (verify) await this.verify(job, result, lane)
      this.take(position, result)
      options.onSeed?.(result, this.counted.length + this.early.size)
    }
  }

  private async verify(job: SeedJob, first: SeedResult, lane: number): Promise<void> {
    const { executor } = this.options
    const second = await executor.run(job, lane)
    const same = second.result.digest === first.digest
    this.verified.push({ seed: job.seed, same })
    if (!same && this.differences.length < MOST_DIFFERENCES)
      this.differences.push(await compareRuns(executor, job))
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
