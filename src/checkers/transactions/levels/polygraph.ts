/**
 * Serializability, snapshot isolation and prefix consistency of register histories as acyclicity (Papadimitriou's
 * polygraphs 1979; Cobra, OSDI 2020; PolySI, VLDB 2023; Viper, EuroSys 2023).
 *
 * For serializability a transaction is one vertex. For the others it has two, its snapshot and its commit, the first
 * before the second, and
 *
 * - what a transaction reads from, or follows in its session, commits before its snapshot;
 * - a transaction that overwrites what another read commits after the reader's snapshot;
 * - of two writers of a key one commits before the other's snapshot (snapshot isolation: first committer wins) or just
 *   before its commit (prefix consistency).
 *
 * What is known goes into the graph. Which of two writers of a key came first is a choice, with all that follows for
 * the readers of each; the search makes it where it matters (strong-levels.ts).
 */
import { askRunning } from '../../budget.ts'
import { GraphBuilder, PROCESS, REALTIME, RW, WR, WW } from '../cycles/graph.ts'
import { timeline } from '../cycles/timeline.ts'
import { INITIAL, type ReadsFrom } from './reads-from.ts'

export type StrongLevel = 'serializable' | 'snapshot-isolation' | 'prefix'

export interface PolygraphOptions {
  readonly level: StrongLevel
  /** Whether the transactions of a session follow each other. */
  readonly sessions: boolean
  /** Whether what was over before something else began must come before it. */
  readonly realTime: boolean
}

/** Two writers of a key, in either order. */
export interface WriterPair {
  readonly key: number
  readonly first: number
  readonly second: number
}

export class Polygraph {
  readonly history: ReadsFrom
  readonly options: PolygraphOptions
  readonly known: GraphBuilder
  /** Vertices of transactions; relays and moments come after them. */
  readonly vertices: number
  /** Per key its writers. */
  readonly writers: ReadonlyMap<number, readonly number[]>
  readonly #readers: ReadonlyMap<number, ReadonlyMap<number, readonly number[]>>

  constructor(history: ReadsFrom, options: PolygraphOptions) {
    this.history = history
    this.options = options
    const vertices = options.level === 'serializable' ? history.count : history.count * 2
    this.vertices = vertices
    this.known = new GraphBuilder(vertices, history.readKey.length * 2 + vertices * 3)
    this.writers = writersByKey(history)
    this.#readers = readersByKey(history)
    this.#addKnown()
  }

  /** Vertex at which a transaction takes its snapshot. */
  snapshot(t: number): number {
    return this.options.level === 'serializable' ? t : 2 * t
  }

  /** Vertex at which it takes effect. */
  commit(t: number): number {
    return this.options.level === 'serializable' ? t : 2 * t + 1
  }

  /** Transaction of a vertex, or -1 for a relay or a moment. */
  transactionOf(vertex: number): number {
    const t = this.options.level === 'serializable' ? vertex : vertex >> 1
    return t < this.history.count ? t : -1
  }

  /** Vertex before which every earlier writer of a key that t writes has committed. */
  loser(t: number): number {
    return this.options.level === 'prefix' ? this.commit(t) : this.snapshot(t)
  }

  /** Calls `link` for what follows if, of two writers of a key, `first` comes before `second`. */
  consequences(
    key: number,
    first: number,
    second: number,
    link: (from: number, to: number, kind: number) => void,
  ): void {
    link(this.commit(first), this.loser(second), WW)
    for (const reader of this.readersOf(key, first)) {
      if (reader !== second) link(this.snapshot(reader), this.commit(second), RW)
    }
  }

  /** Transactions that read a key from a source. */
  readersOf(key: number, source: number): readonly number[] {
    return this.#readers.get(key)?.get(source) ?? NO_READERS
  }

  #addKnown(): void {
    const { history, known } = this
    const { count, previous, readStart, readSource } = history
    for (let t = 0; t < count; t++) {
      if (this.options.level !== 'serializable') known.link(2 * t, 2 * t + 1, PROCESS)
      if (this.options.sessions && previous[t] >= 0)
        known.link(this.commit(previous[t]), this.snapshot(t), PROCESS)
      for (let r = readStart[t]; r < readStart[t + 1]; r++) {
        if (readSource[r] !== INITIAL) known.link(this.commit(readSource[r]), this.snapshot(t), WR)
      }
    }
    for (const [key, sources] of this.#readers) {
      const first = sources.get(INITIAL)
      const writers = this.writers.get(key)
      if (first === undefined || writers === undefined) continue
      known.linkAll(
        first.map((t) => this.snapshot(t)),
        writers.map((t) => this.commit(t)),
        RW,
      )
    }
    if (this.options.realTime) this.#addRealTime()
  }

  #addRealTime(): void {
    const { history, known } = this
    const line = timeline(history.txns, history.txns.count)
    const number = new Int32Array(history.txns.count).fill(-1)
    for (let t = 0; t < history.count; t++) number[history.transaction[t]] = t
    const moments = known.addVertices(line.length)
    for (let t = 0; t < history.count; t++) {
      const moment = line.slot[history.transaction[t]]
      if (moment >= 0) known.link(this.commit(t), moments + moment, REALTIME)
    }
    for (let m = 0; m < line.length; m++) {
      if (m > 0) known.link(moments + m - 1, moments + m, REALTIME)
      for (let i = line.first[m]; i < line.first[m + 1]; i++) {
        const t = number[line.invoked[i]]
        if (t >= 0) known.link(moments + m, this.snapshot(t), REALTIME)
      }
    }
  }
}

const NO_READERS: readonly number[] = []

function writersByKey({ count, writeStart, writeKey }: ReadsFrom): Map<number, number[]> {
  const writers = new Map<number, number[]>()
  for (let t = 0; t < count; t++) {
    askRunning()
    for (let w = writeStart[t]; w < writeStart[t + 1]; w++) {
      const list = writers.get(writeKey[w])
      if (list === undefined) writers.set(writeKey[w], [t])
      else list.push(t)
    }
  }
  return writers
}

/** Key → source → readers, each once and in ascending order. */
function readersByKey({
  count,
  readStart,
  readKey,
  readSource,
}: ReadsFrom): Map<number, Map<number, number[]>> {
  const readers = new Map<number, Map<number, number[]>>()
  for (let t = 0; t < count; t++) {
    askRunning()
    for (let r = readStart[t]; r < readStart[t + 1]; r++) {
      let sources = readers.get(readKey[r])
      if (sources === undefined) readers.set(readKey[r], (sources = new Map()))
      const list = sources.get(readSource[r])
      if (list === undefined) sources.set(readSource[r], [t])
      else if (list.at(-1) !== t) list.push(t)
    }
  }
  return readers
}
