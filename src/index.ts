/**
 * wavetank: your own Node.js program, unmodified, as many simulated processes in one deterministic world.
 *
 * Read on in src/sim (what a simulation is), src/faults (what can go wrong), src/world and src/node (where it happens).
 */

// Declare a simulation.
export { simulation } from './sim/definition.ts'
export type {
  CheckContext,
  ClientContext,
  Count,
  Limits,
  Locality,
  ProcessDefinition,
  ProcessIdentity,
  Simulation,
  SimulationDefinition,
  Workload,
  WorkloadContext,
} from './sim/definition.ts'

// Its operations, events and invariants.
export { fail } from './sim/operations.ts'
export type { OperationEvent, OperationOutcome, RunningOperation } from './sim/operations.ts'
export { event } from './sim/event-log.ts'
export type {
  EventCursor,
  EventLog,
  PublishedData,
  PublishedEvent,
  PublishedEventOf,
} from './sim/event-log.ts'
export type { Invariant, InvariantContext } from './sim/invariants.ts'
export type { MessageDecoder, WireEvent, WireTap } from './sim/wire-taps.ts'
export type { FileEvent, ProcessFiles, WatchedFile } from './sim/watched-files.ts'
export type { Rng } from './sim/rng.ts'

// Assertions for any code in the tank; outside they do nothing.
export {
  always,
  alwaysAtLeast,
  alwaysAtMost,
  alwaysGreaterThan,
  alwaysLessThan,
  alwaysOrUnreachable,
  reachable,
  sometimes,
  sometimesAll,
  sometimesAtLeast,
  sometimesAtMost,
  sometimesEach,
  sometimesGreaterThan,
  sometimesLessThan,
  unreachable,
} from './sim/assertions.ts'

// Faults: what may fail, how often, and the places in a program that invite them.
export { buggify, knob } from './faults/buggify.ts'
export { LEVELS } from './faults/levels.ts'
export type { Attrition, FamilyName, LevelName, Rate, Weather } from './faults/levels.ts'
export type { FaultBudget } from './faults/budget.ts'

// Results, as plain data.
export type { CampaignResult, CampaignVerdict, SeedResult } from './sim/result.ts'
export type { Failure, FailureCategory, UniqueBug } from './sim/failure.ts'

// Run it.
export { simulate } from './simulate.ts'
export type { SimulateOptions } from './simulate.ts'
export { defineConfig } from './project.ts'
export type { Config } from './project.ts'
