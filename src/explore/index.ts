/** Controlled concurrency testing: find, replay and shrink races in asynchronous code. */
import { hostClock } from '../host-clock.ts'
import type { RaceBody } from './environment.ts'
import { explore as exploreBy, type ExploreResult } from './explore.ts'
import type { ExploreOptions } from './options.ts'

export { type ExploreResult } from './explore.ts'
export { EXPLORE_DEFAULTS, type ExploreOptions } from './options.ts'
export { heldText } from './held-text.ts'
export { RaceFound, type RaceFinding } from './finding.ts'
export { findingText } from './finding-text.ts'
export { type FailureCategory, type RaceFailure } from './failure.ts'
export { type RaceContext } from './context.ts'
export { type RaceBody } from './environment.ts'
export { Channel, Condition, Mutex, Semaphore, SharedAtomics, SharedCell } from './primitives.ts'
export * from './strategies/index.ts'
export { type ExploreStrategy } from './strategy.ts'

/** Explores a closure of this thread, its time budget by the real clock. Throws `RaceFound` when a schedule breaks it. */
export function explore(body: RaceBody, options: ExploreOptions = {}): Promise<ExploreResult> {
  return exploreBy(body, { clock: () => hostClock.nowMs(), ...options })
}
