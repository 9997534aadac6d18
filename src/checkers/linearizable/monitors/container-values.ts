/**
 * What the monitors of containers share: the values of a history in which each value is put in at most once, each
 * with the times of its insertion and its removal, and the removals that found the container empty.
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

/** Null when a value is put in twice: then nobody can say which one came out. */
export function containerValues(
  history: History,
  positions: Int32Array,
  names: { readonly insert: string; readonly remove: string },
): ContainerValues | null {
  const { type, f, input, output, id, invokeIndex, completeIndex } = history
  const insertF = history.functionIndex(names.insert)
  const removeF = history.functionIndex(names.remove)
  const numbers = new Map<ValueKey, number>()
  const inserts: number[] = []
  for (const position of positions) {
    if (f[position] !== insertF || (type[position] !== OK && type[position] !== INFO)) continue
    const key = valueKey(input[position])
    if (numbers.has(key) || key === null || key === undefined) return null
    numbers.set(key, inserts.length)
    inserts.push(position)
  }
  const removes = new Int32Array(inserts.length).fill(-1)
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
    const number = numbers.get(key) ?? -1
    if (number < 0) anomaly ??= thinAir(id[position], output[position])
    else if (removes[number] >= 0) anomaly ??= twice(id[removes[number]], id[position], output[position])
    else {
      removes[number] = position
      const insert = inserts[number]
      if (completeIndex[position] < invokeIndex[insert])
        anomaly ??= early(id[position], id[insert], output[position])
    }
  }
  const kept = inserts.map((_, number) => number).filter((n) => type[inserts[n]] === OK || removes[n] >= 0)
  return {
    count: kept.length,
    value: kept.map((n) => input[inserts[n]]),
    insertId: Float64Array.from(kept, (n) => id[inserts[n]]),
    removeId: Float64Array.from(kept, (n) => (removes[n] < 0 ? -1 : id[removes[n]])),
    insertInvoke: Int32Array.from(kept, (n) => invokeIndex[inserts[n]]),
    insertReturn: Int32Array.from(kept, (n) =>
      type[inserts[n]] === INFO ? NEVER : completeIndex[inserts[n]],
    ),
    removeInvoke: Int32Array.from(kept, (n) => (removes[n] < 0 ? NEVER : invokeIndex[removes[n]])),
    removeReturn: Int32Array.from(kept, (n) => (removes[n] < 0 ? NEVER : completeIndex[removes[n]])),
    empties,
    unknownRemovals: unknownRemovals.sort((a, b) => a.invoke - b.invoke),
    anomaly,
  }
}

function thinAir(id: number, value: unknown): Anomaly {
  return {
    type: 'thin-air-value',
    message: `operation ${id} took out ${show(value)}, which nobody put in`,
    operations: [id],
  }
}

function twice(first: number, second: number, value: unknown): Anomaly {
  return {
    type: 'duplicate-value',
    message: `operations ${first} and ${second} both took out ${show(value)}, which was put in once`,
    operations: [first, second],
  }
}

function early(remove: number, insert: number, value: unknown): Anomaly {
  return {
    type: 'removed-before-inserted',
    message: `operation ${remove} took out ${show(value)} and was over before operation ${insert}, which put it in, began`,
    operations: [remove, insert],
  }
}
