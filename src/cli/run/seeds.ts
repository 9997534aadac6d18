/**
 * Which seeds `wavetank run` runs. Flags come first, then the environment, then the configuration. If none of them gives
 * a number or a time, a campaign goes on until coverage is stable; where coverage rules are off, it runs as many seeds as
 * the level has: 10 at sunny, 100 at stormy, 1,000 at radioactive, or what the simulation says in `levels`.
 */
import type { LevelName } from '../../faults/levels.ts'
import type { Config } from '../../host/project.ts'
import type { SeedOptions } from '../../host/simulate-options.ts'
import { UsageError } from '../../kernel/errors.ts'
import type { Environment } from './environment.ts'

export interface SeedFlags {
  readonly seeds?: { readonly first?: number; readonly count: number }
  readonly seed?: number
  readonly firstSeed?: number
  readonly time?: number
  readonly shard?: unknown
  /** False: `--no-coverage`. */
  readonly coverage: boolean
}

/** The flags, with what the environment adds where they are silent. `WAVETANK_SEED` wins over `WAVETANK_SEEDS`. */
export function withEnvironment<Flags extends SeedFlags>(flags: Flags, environment: Environment): Flags {
  const { seed, seeds, firstSeed, time, shard } = flags
  if (seed !== undefined || seeds !== undefined || time !== undefined) return flags
  if (environment.seed !== undefined && firstSeed === undefined && shard === undefined)
    return { ...flags, seed: environment.seed }
  return environment.seeds === undefined ? flags : { ...flags, seeds: environment.seeds }
}

/** Refuses two beginnings. */
export function checkFirstSeed({ firstSeed, seeds }: SeedFlags): void {
  if (firstSeed === undefined || seeds?.first === undefined) return
  throw new UsageError(
    'ERR_WAVETANK_ARGUMENTS',
    'wavetank run: --first-seed and a range of --seeds contradict each other; give --seeds a number',
  )
}

export function seedOptions(
  { seed, seeds, firstSeed, time, coverage }: SeedFlags,
  config: Pick<Config, 'seeds' | 'coverage'>,
  levelSeeds: Readonly<Record<LevelName, number>>,
  level: LevelName,
): SeedOptions {
  if (seed !== undefined) return { seed }
  const first = seeds?.first ?? firstSeed
  const from = first === undefined ? {} : { firstSeed: first }
  if (seeds !== undefined) return { ...from, seeds: seeds.count }
  if (time !== undefined) return { ...from, budgetWallMs: time }
  if (config.seeds !== undefined) return { ...from, seeds: config.seeds }
  const untilStable = coverage && config.coverage !== false
  return untilStable ? from : { ...from, seeds: levelSeeds[level] }
}
