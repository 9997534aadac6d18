/**
 * Is every read of a counter a value that the counter can have had?
 *
 * `add` adds its input, which may be negative; `read` gives the value. A read must see every add that was
 * acknowledged before it began, and of those under way or of unknown outcome any subset: so its value must be the
 * certain sum plus a subset sum of the others. Subset sums are computed exactly while there are few others, else
 * bounded by their positive and negative totals; both are sound. Jepsen's `counter` knows increments and bounds only.
 * Sums of integers are exact, whatever their size; sums of fractions may be off by their rounding.
 *
 * `eventual` is for counters that converge: a read may then lack anything, and only final reads must have everything.
 */
import { FAIL, OK, type History } from '../../history/history.ts'
import { show } from '../../history/value.ts'
import { isAmount, isInteger, minus, plus, roundingOf, type Amount } from '../amount.ts'
import { AnomalyCollector } from '../anomaly-collector.ts'
import { ofEachObject } from '../compose.ts'
import { finalReads } from '../final-reads.ts'
import { checkOptions, flag, named, type OptionSchema } from '../options.ts'
import { conclude, type CheckResult } from '../result.ts'
import { otherChanges, positionsOf, REMOVALS, scopeOf, weakness } from '../scope.ts'

export interface CounterOptions {
  readonly add?: string
  readonly read?: string
  /** True: reads may lag, final reads may not. */
  readonly eventual?: boolean
}

export const COUNTER_OPTIONS: OptionSchema<CounterOptions> = {
  add: named('adds its input, which may be negative', 'add'),
  read: named('reads the counter', 'read'),
  eventual: flag('reads may lag, final reads may not'),
}

export interface CounterDetails {
  readonly reads: number
  readonly finalReads: readonly unknown[]
  /** Least possible value, value read, greatest possible value; the first 100. */
  readonly readings: readonly (readonly [Amount, Amount, Amount])[]
  /** Anomalies found, by type; `anomalies` keeps the first few of each. */
  readonly counts: Readonly<Record<string, number>>
}

/** What one read may have seen. */
interface Reading {
  readonly position: number
  readonly value: Amount
  readonly lower: Amount
  readonly upper: Amount
  /** Whether the value is possible; bounds alone can be too generous. */
  readonly possible: boolean
}

export function counter(history: History, options: CounterOptions = {}): CheckResult<CounterDetails> {
  checkOptions('counter', COUNTER_OPTIONS, options)
  return readsArePossible('counter', history, options)
}

/** What else changes a counter. */
const CHANGES: readonly string[] = ['add', 'increment', 'decrement', 'write', 'cas', ...REMOVALS]

/** The question itself, for checkers that ask it under a name of their own. */
export function readsArePossible(
  name: string,
  history: History,
  options: CounterOptions,
): CheckResult<CounterDetails> {
  const { add = 'add', read = 'read', eventual = false } = options
  const scope = scopeOf(history, [add, read])
  const adds = positionsOf(history, add).filter((i) => history.type[i] !== FAIL)
  const odd = adds.find((i) => !isAmount(history.input[i]))
  const weak =
    weakness(history, ['real-time']) ??
    otherChanges(history, CHANGES, [add, read]) ??
    (odd === undefined
      ? null
      : `operation ${history.id[odd]} adds ${show(history.input[odd])}, which is no number`)
  if (weak !== null) return conclude({ checker: name, scope, checks: 0, anomalies: [], doubt: weak })
  const several = ofEachObject(history, [add, read], (part) => readsArePossible(name, part, options), name)
  if (several !== null) return several
  const finals = new Set(
    finalReads(history, [add], read)
      .map(({ position }) => position)
      .filter((i) => history.output[i] !== null),
  )
  const rounding = roundingOf(adds.map((i) => history.input[i] as Amount))
  const readings = sweep(history, add, read, { rounding, lagging: (i) => eventual && !finals.has(i) })
  const found = new AnomalyCollector()
  for (const { position, value, lower, upper, possible } of readings) {
    if (possible) continue
    const bounds = lower === upper ? `only ${lower}` : `${lower} to ${upper}`
    const within = value >= lower && value <= upper ? ', and no subset of the adds under way sums to it' : ''
    const message = () => `a read gave ${show(history.output[position])}; possible were ${bounds}${within}`
    found.add('impossible-read', [history.id[position]], message, { lower, value, upper })
  }
  return conclude({
    checker: name,
    scope,
    checks: readings.length,
    anomalies: found.anomalies,
    doubt:
      eventual && finals.size === 0
        ? 'there is no final read, so nothing shows that the counter converges'
        : null,
    details: {
      reads: readings.length,
      finalReads: [...finals].map((i) => history.output[i]),
      readings: readings.slice(0, 100).map(({ lower, value, upper }) => [lower, value, upper] as const),
      counts: found.counts,
    },
  })
}

/** More adds than these are not summed up subset by subset. */
const EXACT_ADDS = 48
/** Nor are sums further apart than this. */
const EXACT_SPAN = 1n << 20n

/** Sums of the adds seen so far, positive and negative apart. */
class Sums {
  positive: Amount = 0
  negative: Amount = 0
  add(delta: Amount): void {
    if (delta > 0) this.positive = plus(this.positive, delta)
    else this.negative = plus(this.negative, delta)
  }
}

interface Leniency {
  /** By how much sums may be off; 0 where all adds are integers. */
  readonly rounding: number
  /** Whether a read may lack what was acknowledged. */
  lagging(position: number): boolean
}

/** Walks the events once. */
function sweep(history: History, add: string, read: string, { rounding, lagging }: Leniency): Reading[] {
  const adds = history.functionIndex(add)
  const reads = history.functionIndex(read)
  const begun = new Sums()
  const certain = new Sums()
  /** Adds that have begun and are not acknowledged: under way, or unknown for good. */
  const open = new Set<number>()
  /** Per open read: what was certain when it began, and the adds that it may or may not have seen. */
  const openReads = new Map<number, { positive: Amount; negative: Amount; maybe: Set<number> | null }>()
  const readings: Reading[] = []
  const begin = (i: number) => {
    begun.add(history.input[i] as Amount)
    open.add(i)
    for (const reading of openReads.values()) reading.maybe = bounded(reading.maybe?.add(i) ?? null)
  }
  for (let i = 0; i < history.length; i++) {
    if (history.f[i] === adds && history.type[i] !== FAIL && history.invokeIndex[i] < 0) begin(i)
  }
  for (const event of history.events()) {
    const i = Math.floor(event / 2)
    const completion = event % 2 === 1
    if (history.f[i] === adds && history.type[i] !== FAIL) {
      if (!completion) begin(i)
      else if (history.type[i] === OK) {
        open.delete(i)
        certain.add(history.input[i] as Amount)
      }
    } else if (history.f[i] === reads && history.type[i] === OK) {
      if (!completion) {
        const maybe = open.size <= EXACT_ADDS && !lagging(i) ? new Set(open) : null
        openReads.set(i, { positive: certain.positive, negative: certain.negative, maybe })
        continue
      }
      // A read without invocation may have begun before everything, so nothing was certain then.
      const { positive, negative, maybe } = openReads.get(i) ?? { positive: 0, negative: 0, maybe: null }
      openReads.delete(i)
      if (history.output[i] === null) continue
      const base = lagging(i) ? { positive: 0, negative: 0 } : { positive, negative }
      const sum = plus(base.positive, base.negative)
      const lower = plus(sum, minus(begun.negative, base.negative))
      const upper = plus(sum, minus(begun.positive, base.positive))
      const value = amountOf(history.output[i])
      const within = value >= minus(lower, rounding) && value <= plus(upper, rounding)
      const deltas = maybe === null ? null : [...maybe].map((one) => history.input[one] as Amount)
      const possible = within && (deltas === null || rounding > 0 || isSubsetSum(deltas, minus(value, sum)))
      readings.push({ position: i, value, lower, upper, possible })
    }
  }
  return readings
}

/** What is no number is no possible value. */
function amountOf(value: unknown): Amount {
  return isAmount(value) ? value : Number.NaN
}

function bounded(adds: Set<number> | null): Set<number> | null {
  return adds === null || adds.size > EXACT_ADDS ? null : adds
}

/** Whether some of the deltas sum to the target. True, to be safe, where it would take too long to say. */
export function isSubsetSum(deltas: readonly Amount[], target: Amount): boolean {
  if (!isInteger(target)) return false
  if (!deltas.every(isInteger)) return true
  const wanted = BigInt(target)
  const addends = deltas.map(BigInt)
  const least = addends.reduce((sum, delta) => (delta < 0n ? sum + delta : sum), 0n)
  const most = addends.reduce((sum, delta) => (delta > 0n ? sum + delta : sum), 0n)
  if (wanted < least || wanted > most) return false
  if (most - least > EXACT_SPAN) return true
  // Bit s stands for the sum s + least.
  let sums = 1n << -least
  for (const delta of addends) sums |= delta >= 0n ? sums << delta : sums >> -delta
  return ((sums >> (wanted - least)) & 1n) === 1n
}
