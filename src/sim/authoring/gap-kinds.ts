/**
 * What a campaign may lack besides a `sometimes` that was never true. Each is a gap of its own kind; a simulation that is
 * meant to be so names the kind in `allowGaps`.
 */
export const GAP_KINDS = [
  /** Nothing judges the runs: there is no invariant, no `check` and no assertion. */
  'no-promise',
  /** Events that a ready invariant reads, or that a tap or a watched file publishes, never came. */
  'no-fact',
  /** The workload recorded no operation. */
  'no-operation',
  /** A kind of operation was tried and never succeeded. */
  'no-success',
  /** A process crashed although no fault was the reason. */
  'crash',
  /** A fault that the simulation asked for never landed. */
  'no-landing',
  /** A situation was declared and never occurred. */
  'no-situation',
] as const

export type GapKind = (typeof GAP_KINDS)[number]
