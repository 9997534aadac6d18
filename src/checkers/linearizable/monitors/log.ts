/**
 * Linearizability of an append-only log, in O(n c) for c clients: what was read, and the offsets that appends answered,
 * say which value is at which place, so the order of appends is known up to appends of equal values.
 *
 * The log grows as late as it can: only when an append returns, or a read that saw a longer log does. Of open appends
 * of the value that is next, the one that returns first takes the place (the others can wait at least as long), and
 * one of unknown outcome takes it only when there is no other. So at each moment the log is as short as it can be, and
 * a read fails exactly when the log was too long before it began, or cannot grow to its length before it ends.
 *
 * Not for logs with a place that nothing shows before one that something shows: those are left to the general search.
 */
import { INFO, NEVER, OK, type History } from '../../../history/history.ts'
import { show, valueKey, type ValueKey } from '../../../history/value.ts'
import type { Anomaly } from '../../result.ts'
import type { MonitorAnswer } from './answer.ts'

const METHOD = 'monitor of a log by its places, O(n c)'

export function monitorLog(history: History, positions: Int32Array): MonitorAnswer | null {
  const calls = logCalls(history, positions)
  if (calls === null) return null
  const found = 'type' in calls ? calls : new GrowingLog(history, calls).run()
  if ('type' in found) return { method: METHOD, anomaly: found, witness: null }
  return { method: METHOD, anomaly: null, witness: Float64Array.from(found, (at) => history.id[at]) }
}

/** A place of the log: the value there, the call that showed it, and the append that answered this offset, or -1. */
interface Place {
  readonly value: ValueKey
  readonly shownBy: number
  append: number
}

/** A read fits a log of at least `least` and at most `most` entries. */
interface Read {
  readonly least: number
  readonly most: number
}

interface LogCalls {
  /** Positions of appends and reads that count. */
  readonly kept: readonly number[]
  readonly places: readonly Place[]
  readonly reads: ReadonlyMap<number, Read>
  /** Offset that an append answered. */
  readonly offset: ReadonlyMap<number, number>
}

function logCalls(history: History, positions: Int32Array): LogCalls | Anomaly | null {
  const { type, f, functions, input, output } = history
  const kept: number[] = []
  const places: (Place | undefined)[] = []
  const reads = new Map<number, Read>()
  const offset = new Map<number, number>()
  let hasNull = false
  let hasOffsetReads = false
  let anomaly: Anomaly | null = null
  const showPlace = (at: number, place: number, value: unknown): void => {
    const key = valueKey(value ?? null)
    const known = places[place]
    if (known === undefined) places[place] = { value: key, shownBy: at, append: -1 }
    else if (known.value !== key) anomaly ??= differentPlaces(history, known.shownBy, at, place)
  }
  for (const at of positions) {
    const isAppend = functions[f[at]] === 'append'
    if (type[at] !== OK && (type[at] !== INFO || !isAppend)) continue
    kept.push(at)
    const answer = output[at] ?? null
    if (isAppend) {
      hasNull ||= (input[at] ?? null) === null
      if (type[at] === INFO || typeof answer !== 'number') continue
      if (!Number.isInteger(answer) || answer < 0) return impossibleAnswer(history, at)
      if (answer >= positions.length) return impossibleAnswer(history, at)
      offset.set(at, answer)
      showPlace(at, answer, input[at])
      const place = places[answer]!
      if (place.append >= 0) anomaly ??= differentPlaces(history, place.append, at, answer)
      place.append = at
    } else if (typeof input[at] === 'number') {
      const place = input[at]
      if (!Number.isInteger(place) || place < 0) return null
      hasOffsetReads = true
      if (answer === null) reads.set(at, { least: 0, most: place })
      else if (place >= positions.length) return impossibleAnswer(history, at)
      else {
        showPlace(at, place, answer)
        reads.set(at, { least: place + 1, most: NEVER })
      }
    } else {
      if (!Array.isArray(answer)) return impossibleAnswer(history, at)
      if (answer.length > positions.length) return impossibleAnswer(history, at)
      answer.forEach((value, place) => showPlace(at, place, value))
      reads.set(at, { least: answer.length, most: answer.length })
    }
  }
  // Null may be a value or the end of the log.
  if (hasNull && hasOffsetReads) return null
  if (anomaly !== null) return anomaly
  for (let place = 0; place < places.length; place++) if (places[place] === undefined) return null
  return { kept, places: places as Place[], reads, offset }
}

class GrowingLog {
  readonly #history: History
  readonly #calls: LogCalls
  /** Appends in the order in which they took effect. */
  readonly #log: number[] = []
  readonly #done = new Set<number>()
  /** Open appends that answered no offset, by value. */
  readonly #open = new Map<ValueKey, number[]>()
  readonly #invoked = new Set<number>()
  readonly #lengthAtInvoke = new Map<number, number>()

  constructor(history: History, calls: LogCalls) {
    this.#history = history
    this.#calls = calls
  }

  /** Positions in the order of a linearization, or why there is none. */
  run(): number[] | Anomaly {
    const { invokeIndex, completeIndex, type } = this.#history
    const { reads, kept } = this.#calls
    const events = kept.flatMap((at) =>
      type[at] === OK
        ? [
            { index: invokeIndex[at], at, returns: false },
            { index: completeIndex[at], at, returns: true },
          ]
        : [{ index: invokeIndex[at], at, returns: false }],
    )
    events.sort((a, b) => a.index - b.index)
    for (const { at, returns } of events) {
      if (!returns) this.#begin(at)
      else {
        const read = reads.get(at)
        const anomaly = read === undefined ? this.#endAppend(at) : this.#endRead(at, read)
        if (anomaly !== null) return anomaly
      }
    }
    return this.#order()
  }

  #begin(at: number): void {
    const { reads, offset } = this.#calls
    this.#invoked.add(at)
    if (reads.has(at)) this.#lengthAtInvoke.set(at, this.#log.length)
    else if (!offset.has(at)) {
      const key = valueKey(this.#history.input[at] ?? null)
      const open = this.#open.get(key)
      if (open === undefined) this.#open.set(key, [at])
      else open.push(at)
    }
  }

  #endRead(at: number, { least, most }: Read): Anomaly | null {
    while (this.#log.length < least) {
      const anomaly = this.#grow(at)
      if (anomaly !== null) return anomaly
    }
    return this.#lengthAtInvoke.get(at)! <= most ? null : stale(this.#history, at, this.#log[most], most)
  }

  #endAppend(at: number): Anomaly | null {
    while (!this.#done.has(at)) {
      if (this.#log.length < this.#calls.places.length) {
        const anomaly = this.#grow(at)
        if (anomaly !== null) return anomaly
      } else {
        this.#take(at)
        const open = this.#open.get(valueKey(this.#history.input[at] ?? null))!
        open.splice(open.indexOf(at), 1)
      }
    }
    return null
  }

  #take(at: number): void {
    this.#log.push(at)
    this.#done.add(at)
  }

  /** Fills the next place; `because` had to wait for it. */
  #grow(because: number): Anomaly | null {
    const place = this.#calls.places[this.#log.length]
    if (place.append >= 0) {
      if (!this.#invoked.has(place.append)) return tooEarly(this.#history, because, place, this.#log.length)
      this.#take(place.append)
      return null
    }
    const open = this.#open.get(place.value) ?? []
    const { type, completeIndex } = this.#history
    const end = (at: number): number => (type[at] === INFO ? NEVER : completeIndex[at])
    let best = -1
    open.forEach((at, i) => {
      if (best < 0 || end(at) < end(open[best])) best = i
    })
    if (best < 0) return tooEarly(this.#history, because, place, this.#log.length)
    this.#take(open[best])
    open.splice(best, 1)
    return null
  }

  #order(): number[] {
    const { reads } = this.#calls
    const { invokeIndex } = this.#history
    const readsAt: number[][] = Array.from({ length: this.#log.length + 1 }, () => [])
    for (const [at, { least }] of reads) readsAt[Math.max(least, this.#lengthAtInvoke.get(at)!)].push(at)
    for (const list of readsAt) list.sort((a, b) => invokeIndex[a] - invokeIndex[b])
    return readsAt.flatMap((list, length) => (length === 0 ? list : [this.#log[length - 1], ...list]))
  }
}

function impossibleAnswer({ id, output }: History, at: number): Anomaly {
  return {
    type: 'impossible-answer',
    message: `operation ${id[at]} answered ${show(output[at])}, which no log of this history can answer`,
    operations: [id[at]],
  }
}

function differentPlaces({ id }: History, a: number, b: number, place: number): Anomaly {
  return {
    type: 'divergent-logs',
    message: `operations ${id[a]} and ${id[b]} saw different entries at offset ${place}, but an entry never changes`,
    operations: [id[a], id[b]],
    details: { offset: place },
  }
}

function stale({ id, input }: History, read: number, append: number, length: number): Anomaly {
  return {
    type: 'stale-read',
    message: `operation ${id[read]} saw only ${length} entries, but operation ${id[append]} had appended ${show(input[append])} at offset ${length} before it began`,
    operations: [id[append], id[read]],
  }
}

function tooEarly({ id }: History, because: number, { value, shownBy }: Place, place: number): Anomaly {
  return {
    type: 'read-before-write',
    message: `when operation ${id[because]} returned, offset ${place} must have held ${show(value)} (operation ${id[shownBy]} shows it), but no append of that value that was left had begun`,
    operations: [...new Set([id[because], id[shownBy]])],
    details: { offset: place },
  }
}
