/**
 * The kinds of cycle, as Adya and Elle name them, by the edges they are made of:
 *
 * - G0: writes only; G1c: writes and reads, at least one read;
 * - G-single: exactly one anti-dependency (rw); G-nonadjacent: several, never two in a row; G2: several, two in a row;
 *   with `-item` when no predicate read is involved;
 * - with `-process` or `-realtime` when session order or real-time order is needed to close the cycle.
 */
import { PROCESS, REALTIME, RW, RWP, WR, WRP, WW } from './graph.ts'

export type CycleShape = 'writes' | 'reads' | 'single' | 'nonadjacent' | 'several'

export interface CycleKind {
  readonly name: string
  readonly shape: CycleShape
  /** Whether a predicate anti-dependency must take part; null where there is none anyway. */
  readonly predicate: boolean | null
  /** PROCESS, REALTIME, or 0. */
  readonly order: number
}

export const DEPENDENCY = WW | WR | WRP
export const ANTI = RW | RWP

const SHAPES: readonly (readonly [string, CycleShape, boolean | null])[] = [
  ['G0', 'writes', null],
  ['G1c', 'reads', null],
  ['G-single-item', 'single', false],
  ['G-single', 'single', true],
  ['G-nonadjacent-item', 'nonadjacent', false],
  ['G-nonadjacent', 'nonadjacent', true],
  ['G2-item', 'several', false],
  ['G2', 'several', true],
]

/** All kinds, the worst first: a cycle of dependencies before one of anti-dependencies, data before order. */
export const CYCLE_KINDS: readonly CycleKind[] = [0, PROCESS, REALTIME].flatMap((order) =>
  SHAPES.map(([name, shape, predicate]) => ({ name: name + suffix(order), shape, predicate, order })),
)

export function suffix(order: number): string {
  return order === REALTIME ? '-realtime' : order === PROCESS ? '-process' : ''
}

/** The name of a cycle, from the labels of its edges in order. */
export function classifyCycle(labels: readonly number[]): string {
  let anti = 0
  let predicate = false
  let adjacent = false
  let all = 0
  labels.forEach((label, i) => {
    all |= label
    if ((label & ANTI) === 0) return
    anti++
    if (label === RWP) predicate = true
    if ((labels[(i + 1) % labels.length] & ANTI) !== 0) adjacent = true
  })
  const order = suffix((all & REALTIME) !== 0 ? REALTIME : all & PROCESS)
  const item = predicate ? '' : '-item'
  if (anti === 1) return `G-single${item}${order}`
  if (anti > 1) return `${adjacent ? 'G2' : 'G-nonadjacent'}${item}${order}`
  return ((all & (WR | WRP)) !== 0 ? 'G1c' : 'G0') + order
}
