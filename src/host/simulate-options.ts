/** What `simulate()` accepts, and what it means: which seeds are run, and when it is enough. */
import { LEVEL_NAMES, type LevelName } from '../faults/levels.ts'
import { UsageError } from '../kernel/errors.ts'
import {
  aFunction,
  atLeast,
  checkFields,
  flag,
  number,
  oneOf,
  type Complaint,
  type Fields,
} from '../kernel/expectation.ts'
import type { SeedResult } from '../sim/campaign/result.ts'
import { UNTIL_COVERAGE_STABLE, type StopRule } from '../sim/campaign/stop-rule.ts'

export interface SimulateOptions {
  /** `sunny` by default; 1, 2 and 3 are short for sunny, stormy and radioactive. */
  readonly level?: LevelName | 1 | 2 | 3
  /** Run this seed and no other. */
  readonly seed?: number
  /** Begin with this seed; 1 by default. */
  readonly firstSeed?: number
  /** How many seeds; without it and `budgetWallMs`, the campaign goes on until coverage is stable. */
  readonly seeds?: number
  /** Go on for this long: real milliseconds. */
  readonly budgetWallMs?: number
  /** Worker threads, one per core by default; 0 runs everything in this thread. */
  readonly jobs?: number
  /** Real milliseconds without a step after which a seed counts as stuck; 10,000 by default. Of worker threads only. */
  readonly stuckWallMs?: number
  /** Megabytes of heap that a worker thread may use; by default a share of the machine's, at most 4,096. */
  readonly memoryMb?: number
  /** Stop at the first failing seed. */
  readonly bail?: boolean
  /** Run every seed twice and compare; without it, one seed in 25. */
  readonly verify?: boolean
  /** Write the trace of a failing seed per bug to `.wavetank/runs`; on by default. */
  readonly keep?: boolean
  /** Leave out of a kept failure whatever it does not need; on by default. */
  readonly shrink?: boolean
  /** Real time for shrinking, all failures together; by default four times that of the campaign, 30 s for a bug at most. */
  readonly shrinkWallMs?: number
  /** Called with the result of every seed as it comes back, in no order, and how many have come back. */
  readonly onSeed?: (result: SeedResult, done: number) => void
}

export const SIMULATE_OPTIONS: Fields<SimulateOptions> = {
  level: oneOf(...LEVEL_NAMES, 1, 2, 3),
  seed: atLeast(0),
  firstSeed: atLeast(0),
  seeds: atLeast(1),
  budgetWallMs: number(1),
  jobs: atLeast(0),
  stuckWallMs: atLeast(100),
  memoryMb: atLeast(64),
  bail: flag,
  verify: flag,
  keep: flag,
  shrink: flag,
  shrinkWallMs: number(0),
  onSeed: aFunction,
}

/** Options that contradict each other. */
const CONTRADICTIONS: readonly (readonly [keyof SimulateOptions, keyof SimulateOptions])[] = [
  ['seed', 'seeds'],
  ['seed', 'firstSeed'],
  ['seed', 'budgetWallMs'],
  ['seeds', 'budgetWallMs'],
]

/** Refuses options that cannot be meant. */
export function checkSimulateOptions(options: SimulateOptions, by: string): void {
  const complain: Complaint = (what) => new UsageError('ERR_WAVETANK_OPTIONS', `${by}: ${what}`)
  if (typeof options !== 'object' || options === null) throw complain('expected an object of options')
  checkFields(options, SIMULATE_OPTIONS, '', complain, {
    renamed: { timeMs: 'budgetWallMs', stuckMs: 'stuckWallMs' },
  })
  for (const [one, other] of CONTRADICTIONS) {
    if (options[one] !== undefined && options[other] !== undefined)
      throw complain(`${one} and ${other} contradict each other; give one of them`)
  }
}

export type SeedOptions = {
  readonly [Name in 'seed' | 'firstSeed' | 'seeds' | 'budgetWallMs']?: SimulateOptions[Name] | undefined
}

/** The first seed of a campaign, and when it is enough. */
export function seedsOf({ seed, firstSeed = 1, seeds, budgetWallMs }: SeedOptions): {
  readonly firstSeed: number
  readonly rule: StopRule
} {
  if (seed !== undefined) return { firstSeed: seed, rule: { type: 'seeds', count: 1 } }
  if (seeds !== undefined) return { firstSeed, rule: { type: 'seeds', count: seeds } }
  if (budgetWallMs !== undefined) return { firstSeed, rule: { type: 'time', wallMs: budgetWallMs } }
  return { firstSeed, rule: UNTIL_COVERAGE_STABLE }
}
