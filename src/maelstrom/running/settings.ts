/** The settings of a test: Maelstrom's options with their defaults. Times are in the units of the command line. */
import type { LatencyDistribution } from '../network/network.ts'
import type { TopologyName } from '../network/topologies.ts'
import type { WorkloadName } from '../workloads/index.ts'
import type { Program } from './node-process.ts'

export const NEMESES = ['partition', 'kill', 'pause'] as const
export type NemesisName = (typeof NEMESES)[number]

export interface TestSettings {
  readonly workload: WorkloadName
  readonly program: Program
  readonly nodes: readonly string[]
  readonly concurrency: number
  /** Operations per second, all clients together. */
  readonly rate: number
  readonly timeLimitSeconds: number
  readonly latencyMs: number
  readonly latencyDistribution: LatencyDistribution
  readonly nemesis: readonly NemesisName[]
  readonly nemesisIntervalSeconds: number
  readonly topology: TopologyName
  readonly availability: 'total' | number | null
  readonly consistencyModels: readonly string[]
  readonly keyCount: number
  readonly maxTxnLength: number
  readonly maxWritesPerKey: number
  readonly strict: boolean
}

export const DEFAULTS: Omit<TestSettings, 'program' | 'nodes' | 'concurrency'> = {
  workload: 'lin-kv',
  rate: 5,
  timeLimitSeconds: 60,
  latencyMs: 0,
  latencyDistribution: 'constant',
  nemesis: [],
  nemesisIntervalSeconds: 10,
  topology: 'grid',
  availability: null,
  consistencyModels: ['strict-serializable'],
  keyCount: 10,
  maxTxnLength: 4,
  maxWritesPerKey: 16,
  strict: true,
}
