/**
 * What the monitors of containers share: the values of a history, each with the times of its insertion and its
 * removal, and the removals that found the container empty. Where a value is put in more than once, a *pairing* says
 * which removal took out which copy (`pairings.ts` searches one).
 *
 * Times are event indexes. A value is *certainly inside* from the return of its insertion to the invocation of its
 * removal, if that interval is not empty. An insertion of unknown outcome whose value never came out is left out; one
 * whose value did come out must have happened, and never returns. Removals of unknown outcome are left out at first;
 * `unknown-removals.ts` says what they may have taken.
 */
import { INFO, NEVER, OK, type History } from '../../../history/history.ts'
import { show, valueKey, type ValueKey } from '../../../history/value.ts'
import type { Anomaly } from '../../result.ts'

export interface ContainerValues {
  readonly count: number
  readonly value: readonly unknown[]
  /** Number of the value in `ContainerOperations`; copies of a value share it. */
  readonly source: Int32Array
  readonly insertId: Float64Array
  readonly removeId: Float64Array
  readonly insertInvoke: Int32Array
  readonly insertReturn: Int32Array
  /** `NEVER` both, when the value stays inside; then `removeId` is -1. */
  readonly removeInvoke: Int32Array
  readonly removeReturn: Int32Array
  readonly empties: readonly EmptyRemoval[]
  /** Removals of unknown outcome, by invocation. */
  readonly unknownRemovals: readonly UnknownRemoval[]
  /** A violation that needs no further look: a value out of thin air, out twice, or out before it went in. */
  readonly anomaly: Anomaly | null
}

export interface UnknownRemoval {
  readonly id: number
  readonly invoke: number
}

export interface EmptyRemoval {
  readonly id: number
  readonly invoke: number
  readonly end: number
}

/** The operations of one value: positions of those that put it in, and of those that took it out. */
export interface ValueOperations {
  readonly value: unknown
  readonly inserts: number[]
  readonly removes: number[]
}

export interface ContainerOperations {
  readonly history: History
  /** In the order in which values first went in. */
  readonly values: readonly ValueOperations[]
  readonly empties: readonly EmptyRemoval[]
  readonly unknownRemovals: readonly UnknownRemoval[]
  readonly anomaly: Anomaly | null
}

/** Null when null is put in: a removal that answers null found nothing. */
export function containerOperations(
  history: History,
  positions: Int32Array,
  names: { readonly insert: string; readonly remove: string },
): ContainerOperations | null {
  const { type, f, input, output, id, invokeIndex, completeIndex } = history
  const insertF = history.functionIndex(names.insert)
  const removeF = history.functionIndex(names.remove)
  const numbers = new Map<ValueKey, ValueOperations>()
  for (const position of positions) {
    if (f[position] !== insertF || (type[position] !== OK && type[position] !== INFO)) continue
    const key = valueKey(input[position])
    if (key === null || key === undefined) return null
    const known = numbers.get(key)
    if (known === undefined) numbers.set(key, { value: input[position], inserts: [position], removes: [] })
    else known.inserts.push(position)
  }
  const empties: EmptyRemoval[] = []
  const unknownRemovals: UnknownRemoval[] = []
  let anomaly: Anomaly | null = null
  for (const position of positions) {
    if (f[position] !== removeF) continue
    if (type[position] === INFO) unknownRemovals.push({ id: id[position], invoke: invokeIndex[position] })
    if (type[position] !== OK) continue
    const key = valueKey(output[position] ?? null)
    if (key === null) {
      empties.push({ id: id[position], invoke: invokeIndex[position], end: completeIndex[position] })
      continue
    }
    const known = numbers.get(key)
    if (known === undefined) anomaly ??= thinAir(id[position], output[position])
    else known.removes.push(position)
  }
  const values = [...numbers.values()]
  for (const one of values) anomaly ??= tooManyRemovals(history, one)
  unknownRemovals.sort((a, b) => a.invoke - b.invoke)
  return { history, values, empties, unknownRemovals, anomaly }
}

/** More removals than insertions, or a removal that is over before enough insertions have begun. */
function tooManyRemovals(
  { id, invokeIndex, completeIndex }: History,
  { value, inserts, removes }: ValueOperations,
): Anomaly | null {
  const begun = inserts.toSorted((a, b) => invokeIndex[a] - invokeIndex[b])
  const over = removes.toSorted((a, b) => completeIndex[a] - completeIndex[b])
  if (over.length > begun.length)
    return tooOften(
      removes.map((position) => id[position]),
      inserts.length,
      value,
    )
  for (let i = 0; i < over.length; i++)
    if (completeIndex[over[i]] < invokeIndex[begun[i]]) return early(id[over[i]], id[begun[i]], value)
  return null
}

/** For each removal of a value, in order, which of its insertions it took out. */
export type Pairing = readonly number[]

/** Values as if they were all different, each copy of a value with the removal that a pairing gives it. */
export function containerValues(
  { history, values, empties, unknownRemovals, anomaly }: ContainerOperations,
  pairingOf: (value: number) => Pairing,
): ContainerValues {
  const { type, id, invokeIndex, completeIndex } = history
  const inserts: number[] = []
  const removes: number[] = []
  const value: unknown[] = []
  const source: number[] = []
  values.forEach((one, number) => {
    const taken = one.inserts.map(() => -1)
    pairingOf(number).forEach((insert, i) => (taken[insert] = one.removes[i]))
    one.inserts.forEach((insert, i) => {
      if (type[insert] !== OK && taken[i] < 0) return
      inserts.push(insert)
      removes.push(taken[i])
      value.push(one.value)
      source.push(number)
    })
  })
  const end = (position: number): number => (type[position] === INFO ? NEVER : completeIndex[position])
  return {
    count: inserts.length,
    value,
    source: Int32Array.from(source),
    insertId: Float64Array.from(inserts, (at) => id[at]),
    removeId: Float64Array.from(removes, (at) => (at < 0 ? -1 : id[at])),
    insertInvoke: Int32Array.from(inserts, (at) => invokeIndex[at]),
    insertReturn: Int32Array.from(inserts, end),
    removeInvoke: Int32Array.from(removes, (at) => (at < 0 ? NEVER : invokeIndex[at])),
    removeReturn: Int32Array.from(removes, (at) => (at < 0 ? NEVER : completeIndex[at])),
    empties,
    unknownRemovals,
    anomaly,
  }
}

/** Only some of the values. What is linearizable stays so when all operations on a value are left out. */
export function projected(values: ContainerValues, keeps: (i: number) => boolean): ContainerValues {
  const kept: number[] = []
  for (let i = 0; i < values.count; i++) if (keeps(i)) kept.push(i)
  const pick = (column: Int32Array): Int32Array => Int32Array.from(kept, (i) => column[i])
  return {
    ...values,
    count: kept.length,
    value: kept.map((i) => values.value[i]),
    source: pick(values.source),
    insertId: Float64Array.from(kept, (i) => values.insertId[i]),
    removeId: Float64Array.from(kept, (i) => values.removeId[i]),
    insertInvoke: pick(values.insertInvoke),
    insertReturn: pick(values.insertReturn),
    removeInvoke: pick(values.removeInvoke),
    removeReturn: pick(values.removeReturn),
  }
}

function thinAir(id: number, value: unknown): Anomaly {
  return {
    type: 'thin-air-value',
    message: `operation ${id} took out ${show(value)}, which no client put in`,
    operations: [id],
  }
}

function tooOften(removals: readonly number[], inserted: number, value: unknown): Anomaly {
  const times = inserted === 1 ? 'once' : `${inserted} times`
  const verb = removals.length === 2 ? 'both took' : 'took'
  return {
    type: 'duplicate-value',
    message: `operations ${removals.join(' and ')} ${verb} out ${show(value)}, which was put in ${times}`,
    operations: removals,
  }
}

function early(remove: number, insert: number, value: unknown): Anomaly {
  return {
    type: 'removed-before-inserted',
    message: `operation ${remove} took out ${show(value)} and was over before operation ${insert}, which put it in, began`,
    operations: [remove, insert],
  }
}
