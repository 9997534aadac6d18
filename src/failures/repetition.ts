/**
 * Repetition in a list of rows, for texts that show runs to people: an interval that fires twelve times, or a poll of
 * several rows that goes round twelve times, becomes one round with a count. Greedy from the left: of the blocks that
 * begin at a row and repeat at once, the one that covers most, and of those the shortest.
 */
import { floor } from '../kernel/arithmetic.ts'

/** A row, and how often it came: once, or as part of a block that repeats. */
export interface Repeated<T> {
  readonly row: T
  readonly times: number
  /** The row as it came last; the row itself if it came once. */
  readonly last: T
  /** Rows of the block; 1 if the row follows itself. */
  readonly period: number
}

/** A poll that asks over the network has about this many rows. */
const LONGEST_PERIOD = 24
/** Two rounds of several rows stay as they are: that is no longer than a count, and clearer. */
const FEWEST_ROUNDS = 3

/** `isSame` compares what a person would see; a row that `stands` is never part of a block. */
export function withRepeats<T>(
  rows: readonly T[],
  isSame: (a: T, b: T) => boolean,
  stands: (row: T) => boolean,
): Repeated<T>[] {
  const alike = (a: number, b: number): boolean =>
    !stands(rows[a]) && !stands(rows[b]) && isSame(rows[a], rows[b])
  const found: Repeated<T>[] = []
  for (let at = 0; at < rows.length;) {
    const { period, times } = blockAt(at, rows.length, alike)
    for (let i = at; i < at + period; i++)
      found.push({ row: rows[i], times, last: rows[i + (times - 1) * period], period })
    at += period * times
  }
  return found
}

function blockAt(
  at: number,
  end: number,
  alike: (a: number, b: number) => boolean,
): { period: number; times: number } {
  let best = { period: 1, times: 1 }
  for (let period = 1; period <= LONGEST_PERIOD && at + 2 * period <= end; period++) {
    let covered = period
    while (at + covered < end && alike(at + covered - period, at + covered)) covered++
    const times = floor(covered / period)
    const enough = period === 1 ? times > 1 : times >= FEWEST_ROUNDS
    if (enough && times * period > best.times * best.period) best = { period, times }
  }
  return best
}
