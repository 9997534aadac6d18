/**
 * Reasons, counted: why operations did not succeed and why processes crashed. Messages of one shape are one reason, shown
 * by the first of them. A seed counts its own, and a campaign adds up those of its seeds.
 */
import { messageShape } from '../../kernel/message-shape.ts'
import type { CrashCount, OutcomeCount } from './result.ts'

/** Reasons that are kept: a program may invent any number. */
const MOST = 20

/** The commonest first. */
export function countOutcomes(rows: Iterable<OutcomeCount>): OutcomeCount[] {
  return commonest(
    rows,
    ({ f, type, reason }) => `${f} ${type} ${messageShape(reason)}`,
    (a, b) => ({ ...a, times: a.times + b.times }),
  )
}

/** The commonest first. */
export function countCrashes(rows: Iterable<CrashCount>): CrashCount[] {
  return commonest(
    rows,
    ({ message }) => messageShape(message),
    (a, b) => ({ ...a, times: a.times + b.times, unprovoked: a.unprovoked + b.unprovoked }),
  )
}

function commonest<Row extends { readonly times: number }>(
  rows: Iterable<Row>,
  keyOf: (row: Row) => string,
  add: (a: Row, b: Row) => Row,
): Row[] {
  const counted = new Map<string, Row>()
  for (const row of rows) {
    const key = keyOf(row)
    const before = counted.get(key)
    counted.set(key, before === undefined ? row : add(before, row))
  }
  const sorted = [...counted].sort(([a, one], [b, other]) => other.times - one.times || (a < b ? -1 : 1))
  return sorted.slice(0, MOST).map(([, row]) => row)
}
