/**
 * The public module `wavetank/explore`: find, replay and shrink races in asynchronous code. It is the door of src/explore
 * with what that layer may not know: the real clock, texts for people, and the error that a finding is thrown as.
 */
import {
  EXPLORE_DEFAULTS,
  exploreClosure,
  type ExploreOptions,
  type ExploreResult,
  type RaceBody,
} from '../explore/index.ts'
import { hostClock } from './host-clock.ts'
import { heldResult } from './race-found.ts'

export {
  Channel,
  Condition,
  delayBound,
  dfs,
  EXPLORE_DEFAULTS,
  fairPct,
  idpct,
  Mutex,
  noisyPct,
  pct,
  pctcp,
  places,
  portfolio,
  pos,
  random,
  Semaphore,
  SharedAtomics,
  SharedCell,
  STRATEGIES,
  surw,
  urw,
} from '../explore/index.ts'
export type {
  Coverage,
  ExploreOptions,
  ExploreResult,
  ExploreStrategy,
  RaceFailureCategory,
  NamedStrategyOptions,
  RaceBody,
  RaceContext,
  RaceFailure,
  RaceFinding,
  StrategyName,
} from '../explore/index.ts'
export { findingText } from '../report/race/finding-text.ts'
export { heldText } from '../report/race/held-text.ts'
export { RaceFound } from './race-found.ts'
export { RaceGap } from './race-gap.ts'

/**
 * Explores a closure of this thread; the time budget is real time. Throws `RaceFound` if a schedule breaks it, and `RaceGap`
 * if none does but they show too little.
 */
export async function explore(body: RaceBody, options: ExploreOptions = {}): Promise<ExploreResult> {
  const exploration = await exploreClosure(body, { clock: () => hostClock.nowMs(), ...options })
  return heldResult(exploration, options.title ?? EXPLORE_DEFAULTS.title)
}
