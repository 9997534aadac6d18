/**
 * wavetank: your own Node.js program, unmodified, as many simulated processes in one deterministic world.
 *
 * Read on in src/sim (what a simulation is), src/faults (what can go wrong), src/world and src/node (where it happens).
 */

// Declare a simulation.
export { simulation } from './sim/authoring/definition.ts'
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
} from './sim/authoring/definition.ts'

// Its operations, events and invariants.
export { fail } from './sim/authoring/operations.ts'
export type {
  OperationEvent,
  OperationOptions,
  OperationOutcome,
  RunningOperation,
} from './sim/authoring/operations.ts'
export { event } from './sim/authoring/event-log.ts'
export type {
  Events,
  ProcessEvent,
  PublishedData,
  PublishedEvent,
  PublishedEventOf,
} from './sim/authoring/event-log.ts'
export type { Invariant, InvariantContext } from './sim/authoring/invariants.ts'
export type { MessageDecoder, WireEvent, WireTap } from './sim/authoring/wire-taps.ts'
export type { FileEvent, ProcessFiles, WatchedFile } from './sim/authoring/watched-files.ts'
export type { Rng } from './sim/authoring/rng.ts'
export type { RealSystem, SystemCommand, SystemNode } from './sim/authoring/real-system.ts'

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
} from './sim/authoring/assertions.ts'
export { situation } from './sim/authoring/situations.ts'
export type { SituationNeeds } from './sim/authoring/situations.ts'
export type { SituationCount } from './sim/campaign/situations.ts'

// Faults: what may fail, how often, and the places in a program that invite them.
export { buggify, knob } from './faults/buggify.ts'
export { LEVELS } from './faults/levels.ts'
export type { Attrition, FamilyName, LevelName, Rate, Weather, WeatherChanges } from './faults/levels.ts'
export type { Latency, LinkWeather } from './faults/link-weather.ts'
export type { AimedFault, FaultTarget } from './sim/authoring/script.ts'
export type { FaultBudget } from './faults/budget.ts'

// Results, as plain data.
export type { CampaignResult, CampaignVerdict, SeedResult } from './sim/campaign/result.ts'
export type { Failure, FailureCategory, UniqueBug } from './sim/running/failure.ts'

// Run it.
export { simulate } from './host/simulate.ts'
export type { SimulationTarget } from './host/simulate.ts'
export type { SimulateOptions } from './host/simulate-options.ts'
export { defineConfig } from './host/project.ts'
export type { Config } from './host/project.ts'
