/**
 * The door of the layer: controlled concurrency testing, as plain data. A body or a file is run under many schedules; the
 * result says that they held, or has the finding. Texts for people are in src/report, the real clock in src/host.
 */
export { type RaceContext } from './authoring/context.ts'
export { Channel } from './authoring/channel.ts'
export { Condition } from './authoring/condition.ts'
export { Mutex } from './authoring/mutex.ts'
export { Semaphore } from './authoring/semaphore.ts'
export { SharedAtomics } from './authoring/shared-atomics.ts'
export { SharedCell } from './authoring/shared-cell.ts'

export { type RaceBody } from './running/environment.ts'

export { exploreClosure } from './search/closure.ts'
export { exploreFile, raceProgram, type RaceThreads, type Tank } from './search/race-file.ts'
export { type Coverage } from './search/coverage.ts'
export { type Exploration, type ExploreResult } from './search/exploration.ts'
export { EXPLORE_DEFAULTS, type ExploreOptions } from './search/options.ts'
export * from './search/strategies/index.ts'
export { type ExploreStrategy } from './search/strategy.ts'

export { type RaceFailure, type RaceFailureCategory } from './finding/failure.ts'
export { type RaceFinding } from './finding/finding.ts'
