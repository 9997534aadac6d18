/**
 * What a monitor says about the calls of one object: a monitor decides histories of a certain form (each value
 * written once) in polynomial time, without search.
 */
import type { Anomaly } from '../../result.ts'

export interface MonitorAnswer {
  /** The monitor and its cost, for the result's `method`. */
  readonly method: string
  /** What proves that there is no linearization; null when there is one. */
  readonly anomaly: Anomaly | null
  /** Ids in the order of a linearization; null when the monitor knows only that there is one. */
  readonly witness: Float64Array | null
}
