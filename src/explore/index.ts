/** Controlled concurrency testing: find, replay and shrink races in asynchronous code. */
export { explore, EXPLORE_DEFAULTS, type ExploreOptions, type ExploreResult } from './explore.ts'
export { RaceFound, findingText, type RaceFinding } from './finding.ts'
export { type FailureCategory, type RaceFailure } from './failure.ts'
export { type RaceContext } from './context.ts'
export { type RaceBody } from './environment.ts'
export { Channel, Condition, Mutex, Semaphore, SharedCell } from './primitives.ts'
export * from './strategies/index.ts'
export { type ExploreStrategy } from './strategy.ts'
