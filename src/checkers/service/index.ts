/** Checkers of how well a system serves. */
export { availability, type AvailabilityDetails, type AvailabilityOptions } from './availability.ts'
export { fairness, type FairnessDetails, type FairnessOptions } from './fairness.ts'
export { latency, type LatencyDetails, type LatencyOptions } from './latency.ts'
export { rate, type RateDetails, type RateOptions } from './rate.ts'
export { stats, type StatsDetails, type StatsOptions } from './stats.ts'
export { unhandledExceptions, type UnhandledExceptionsDetails } from './unhandled-exceptions.ts'
