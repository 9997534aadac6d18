// @ts-check
/**
 * The log of one server as it is in memory: a snapshot's last index and term, and the entries after some index at or
 * before it. It knows which configuration of members is in force at every index, because a configuration counts from
 * the moment it is in the log, committed or not, and must go when its entry is truncated.
 *
 * @import { Entry, Members, Snapshot } from './types.ts'
 */
import { mutant } from '../mutants.js'

export class Log {
  /** @type {Snapshot} */
  snapshot
  /** Index and term of the entry before the first one kept. */
  #baseIndex
  #baseTerm
  /** @type {Entry[]} */
  #entries = []
  /** Where members changed, in order; the first is the snapshot's. @type {{ index: number, members: Members }[]} */
  #memberChanges

  /** @param {Snapshot} snapshot @param {readonly Entry[]} entries */
  constructor(snapshot, entries) {
    this.snapshot = snapshot
    this.#baseIndex = snapshot.index
    this.#baseTerm = snapshot.term
    this.#memberChanges = [{ index: snapshot.index, members: snapshot.members }]
    for (const entry of entries) this.append(entry)
  }

  get firstIndex() {
    return this.#baseIndex + 1
  }

  get lastIndex() {
    return this.#baseIndex + this.#entries.length
  }

  get lastTerm() {
    return this.#entries.at(-1)?.term ?? this.#baseTerm
  }

  get lastTimeMs() {
    return this.#entries.at(-1)?.timeMs ?? this.snapshot.timeMs
  }

  /** The members in force, and the index that put them in force. */
  get members() {
    return /** @type {{ index: number, members: Members }} */ (this.#memberChanges.at(-1))
  }

  /** The term of an entry; undefined where the log has none. @param {number} index */
  termAt(index) {
    return index === this.#baseIndex ? this.#baseTerm : this.at(index)?.term
  }

  /** @param {number} index @returns {Entry | undefined} */
  at(index) {
    return this.#entries[index - this.#baseIndex - 1]
  }

  /** Up to `count` entries from an index on. @param {number} from @param {number} [count] */
  slice(from, count = Infinity) {
    const start = from - this.#baseIndex - 1
    return this.#entries.slice(start, start + count)
  }

  /** @param {Entry} entry */
  append(entry) {
    if (entry.index !== this.lastIndex + 1) throw new Error(`entry ${entry.index} after ${this.lastIndex}`)
    this.#entries.push(entry)
    if (entry.kind === 'members') this.#memberChanges.push({ index: entry.index, members: entry.members })
  }

  /** Removes the entries from an index on. @param {number} from */
  truncate(from) {
    this.#entries.length = from - this.#baseIndex - 1
    if (mutant('members-not-rolled-back')) return
    while (this.#memberChanges.length > 1 && this.members.index >= from) this.#memberChanges.pop()
  }

  /** The members in force at an index that is not before the snapshot. @param {number} index */
  membersAt(index) {
    return (this.#memberChanges.findLast((change) => change.index <= index) ?? this.#memberChanges[0]).members
  }

  /** The first index of the run of entries with the term of this one. @param {number} index */
  firstOfTerm(index) {
    const term = this.termAt(index)
    let first = index
    while (first > this.firstIndex && this.termAt(first - 1) === term) first--
    return first
  }

  /** Takes a snapshot for the entries up to its index; the last `trailing` of them stay. @param {Snapshot} snapshot @param {number} trailing */
  compact(snapshot, trailing) {
    const members = this.#memberChanges.filter((change) => change.index > snapshot.index)
    this.#memberChanges = [{ index: snapshot.index, members: snapshot.members }, ...members]
    this.snapshot = snapshot
    const newBase = Math.max(this.#baseIndex, snapshot.index - trailing)
    const newTerm = /** @type {number} */ (this.termAt(newBase))
    this.#entries = this.slice(newBase + 1)
    this.#baseIndex = newBase
    this.#baseTerm = newTerm
  }

  /** Takes a leader's snapshot: what follows it stays if the log agrees with it, and goes if not. @param {Snapshot} snapshot */
  install(snapshot) {
    const agrees = this.termAt(snapshot.index) === snapshot.term
    const rest = agrees ? this.slice(snapshot.index + 1) : []
    const kept = new Log(snapshot, rest)
    this.snapshot = snapshot
    this.#baseIndex = kept.#baseIndex
    this.#baseTerm = kept.#baseTerm
    this.#entries = kept.#entries
    this.#memberChanges = kept.#memberChanges
  }
}
