/**
 * What the load of a run was like: how many turns there were, and how long they took, from the moment at which they were
 * due and from the moment at which a client began them. In an open loop the first is what a user of the system sees.
 */

/** One turn of a client. */
export interface TurnRecord {
  readonly client: number
  /** The first operation of the turn; null if it had none. */
  readonly operation: number | null
  /** When it should have begun. */
  readonly dueUs: number
  /** Null: it found no free client before the time was over. */
  readonly beginUs: number | null
  /** Null: it had no end when the run stopped waiting. */
  readonly endUs: number | null
}

export interface Percentiles {
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly most: number
}

export interface LoadResult {
  /** `open`: by the schedule of `--rate`. `closed`: the next turn of a client begins when its last one is over. */
  readonly loop: 'open' | 'closed'
  readonly turns: number
  /** Turns that were due and found no free client. */
  readonly notBegun: number
  /** Milliseconds from the moment at which a turn was due; null without turns. */
  readonly fromDueMs: Percentiles | null
  /** Milliseconds from the moment at which a client began. */
  readonly fromBeginMs: Percentiles | null
}

/** A turn without an end counts with what it had taken by `overUs`: it took at least that. */
export function loadOf(turns: readonly TurnRecord[], loop: LoadResult['loop'], overUs: number): LoadResult {
  const begun = turns.filter(({ beginUs }) => beginUs !== null)
  return {
    loop,
    turns: turns.length,
    notBegun: turns.length - begun.length,
    fromDueMs: percentiles(turns.map(({ dueUs, endUs }) => ((endUs ?? overUs) - dueUs) / 1000)),
    fromBeginMs: percentiles(begun.map(({ beginUs, endUs }) => ((endUs ?? overUs) - beginUs!) / 1000)),
  }
}

function percentiles(values: number[]): Percentiles | null {
  if (values.length === 0) return null
  const sorted = Float64Array.from(values).sort()
  const at = (share: number): number => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), most: sorted[sorted.length - 1] }
}
