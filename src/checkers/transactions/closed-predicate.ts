/**
 * Predicate reads in a closed universe, as Elle's closed-predicate workload: every version of every key is known in
 * advance, so that a predicate read also tells about what it did *not* return. The operation `init` creates keys, a map
 * from key to value; `txn` has micro-operations `['insert', k, v]`, `['w', k, v]`, `['delete', k]`, `['r', k, v]` and
 * `['rp', predicate, {k: v}]`, where a predicate is `'true'`, `['=', v]` or `['mod', m, r]`.
 *
 * A key that a predicate read does not show had, at that moment, a version that does not match; if only one of its
 * versions does not, it was that one. So predicate reads get read dependencies (wrp) and anti-dependencies (rwp) of
 * their own, and cycles through them are G-single, G-nonadjacent and G2 rather than their `-item` forms. If all
 * versions match, the read has missed a row: *predicate-read-miss*.
 *
 * In which order a key took its versions is known as far as the workload writes it at most once after its creation. Where
 * several transactions wrote a key, every order of theirs is tried (see predicate-versions.ts): one that explains
 * everything makes the history valid, and if none does it is invalid. Above {@link MOST_ORDERS} orders the answer is unknown
 * unless a likely one explains everything.
 */
import { OK, type History } from '../../history/history.ts'
import { show, valueKey } from '../../history/value.ts'
import { askRunning, type Budget } from '../budget.ts'
import { checkOptions, type OptionSchema } from '../options.ts'
import type { CheckResult } from '../result.ts'
import { AnomalyList } from './anomaly-list.ts'
import type { Explainer } from './cycles/explanation.ts'
import { GraphBuilder, RW, RWP, WR, WRP, WW } from './cycles/graph.ts'
import { canonicalModel, modelBoundary } from './lattice.ts'
import { operationId, type MicroOperations } from './micro-operations.ts'
import {
  allOrders,
  countOrders,
  entries,
  keyOf,
  likelyOrder,
  writtenKeys,
  type Key,
  type Micro,
  type Version,
} from './predicate-versions.ts'
import {
  CONSISTENCY_OPTIONS,
  judge,
  type ConsistencyOptions,
  type TransactionDetails,
  withinLimits,
} from './verdict.ts'

/** What a transaction saw of a key: a place in its versions. */
interface Observation {
  readonly key: Key
  readonly place: number
  /** The predicate by which it was read, or null for a plain read. */
  readonly predicate: unknown
}

export const CLOSED_PREDICATE_OPTIONS: OptionSchema<ConsistencyOptions> = CONSISTENCY_OPTIONS

export function closedPredicate(
  history: History,
  options: ConsistencyOptions = {},
): CheckResult<TransactionDetails> {
  checkOptions('closed-predicate', CLOSED_PREDICATE_OPTIONS, options)
  return withinLimits('closed-predicate', history, options, (limited, budget) =>
    predicated(history, limited, budget),
  )
}

function predicated(
  history: History,
  options: ConsistencyOptions,
  budget: Budget,
): CheckResult<TransactionDetails> {
  const txns = transactions(history)
  const written = writtenKeys(txns, (transaction) => body(txns, transaction))
  const repeated = written.find(({ repeated: twice }) => twice)
  if (repeated !== undefined) {
    const weakness = `key ${show(repeated.name)} is given the same value twice: reads cannot be traced to their writers`
    return judgeOrder(txns, likelyOrder(written), options, weakness)
  }
  const orders = countOrders(written)
  let first: CheckResult<TransactionDetails> | null = null
  for (const keys of orders <= MOST_ORDERS ? allOrders(written) : [likelyOrder(written)]) {
    const result = judgeOrder(txns, keys, options, null)
    if (result.verdict !== 'invalid' || orders === 1) return result
    first ??= result
    if (budget.isSpent()) return { ...first, verdict: 'unknown', anomalies: [], reason: budget.reason }
  }
  return orders <= MOST_ORDERS ? inEveryOrder(first!, options) : undecidedOrder(first!, orders)
}

/** Orders of versions that are tried one by one. */
const MOST_ORDERS = 256

/** What the first order shows is an example: another order breaks the same models by other anomalies. */
function inEveryOrder(
  first: CheckResult<TransactionDetails>,
  { consistencyModels = ['strict-serializable'] }: ConsistencyOptions,
): CheckResult<TransactionDetails> {
  const { not, alsoNot } = modelBoundary(
    consistencyModels.map((model) => `${canonicalModel(model)}-cycle-exists`),
  )
  return {
    ...first,
    method: `${first.method}; in every possible order of versions`,
    details: { ...first.details, not, alsoNot },
  }
}

function undecidedOrder(
  first: CheckResult<TransactionDetails>,
  orders: number,
): CheckResult<TransactionDetails> {
  const reason = `several transactions wrote the same key: the likely order of versions explains nothing, and there are ${orders} others`
  return {
    ...first,
    verdict: 'unknown',
    anomalies: [],
    reason,
    details: { ...first.details, not: [], alsoNot: [] },
  }
}

/** The verdict if the keys took their versions in this order; with a weakness only what holds in any order counts. */
function judgeOrder(
  txns: MicroOperations,
  keys: ReadonlyMap<string, Key>,
  options: ConsistencyOptions,
  weakness: string | null,
): CheckResult<TransactionDetails> {
  const anomalies = new AnomalyList()
  let observations: Observation[][] = []
  for (let t = 0; t < txns.count; t++) {
    askRunning()
    observations.push(observe(txns, keys, t, anomalies))
  }
  const known = weakness === null ? keys : new Map<string, Key>()
  if (weakness !== null) observations = observations.map(() => [])
  return judge(
    {
      checker: 'closed-predicate',
      method: 'versions known in advance, cycles of dependencies',
      txns,
      graph: dependencies(txns, known, observations),
      anomalies,
      explain: explainer(known, observations),
      weakness,
    },
    options,
  )
}

/** All `init` and `txn` operations; their micro-operations are interpreted here. */
function transactions(history: History): MicroOperations {
  const wanted = history.functions.map((f) => f === 'txn' || f === 'init')
  const position: number[] = []
  for (let i = 0; i < history.length; i++) if (wanted[history.f[i]]) position.push(i)
  return {
    history,
    count: position.length,
    position: Int32Array.from(position),
    type: Uint8Array.from(position, (i) => history.type[i]),
    start: new Int32Array(position.length + 1),
    transaction: new Int32Array(0),
    kind: new Uint8Array(0),
    key: new Int32Array(0),
    keys: [],
    value: [],
    malformed: [],
    malformedCount: 0,
    ignored: history.length - position.length,
  }
}

function body({ history, position }: MicroOperations, t: number): readonly Micro[] {
  const i = position[t]
  const value = history.type[i] === OK ? (history.output[i] ?? history.input[i]) : history.input[i]
  if (history.functions[history.f[i]] === 'init') {
    return entries(value).map(([key, initial]): Micro => ['insert', key, initial])
  }
  return Array.isArray(value) ? value.filter((micro): micro is Micro => Array.isArray(micro)) : []
}

/** Place of what was read: a value, or null for a key that is not there. -1 where it cannot be told. */
function placeOf(key: Key, value: unknown): number {
  if (value !== null && value !== undefined) {
    return key.versions.findIndex(
      (version) => version.kind === 'value' && valueKey(version.value) === valueKey(value),
    )
  }
  const absent = key.versions.flatMap(({ kind }, place) => (kind === 'value' ? [] : [place]))
  return absent.length === 1 ? absent[0] : -1
}

function matches(predicate: unknown, version: Version): boolean {
  if (version.kind !== 'value') return false
  if (predicate === 'true' || predicate === true) return true
  if (!Array.isArray(predicate)) return false
  const [kind, a, b] = predicate as readonly unknown[]
  if (kind === '=') return valueKey(a) === valueKey(version.value)
  if (kind !== 'mod' || typeof version.value !== 'number' || typeof a !== 'number') return false
  return ((version.value % a) + a) % a === b
}

function observe(
  txns: MicroOperations,
  keys: ReadonlyMap<string, Key>,
  t: number,
  anomalies: AnomalyList,
): Observation[] {
  const seen: Observation[] = []
  if (txns.type[t] !== OK) return seen
  for (const [f, first, result] of body(txns, t)) {
    if (f === 'r') {
      const key = keys.get(keyOf(first))
      const place = key === undefined ? -1 : placeOf(key, result)
      if (key !== undefined && place >= 0) seen.push({ key, place, predicate: null })
    } else if (f === 'rp') {
      const shown = new Map(entries(result).map(([name, value]) => [keyOf(name), value]))
      for (const [name, key] of keys) {
        const place = shown.has(name) ? placeOf(key, shown.get(name)) : hidden(txns, t, key, first, anomalies)
        if (place >= 0) seen.push({ key, place, predicate: first })
      }
    }
  }
  return seen
}

/** Which version a predicate read that did not show the key has seen, if only one is possible. */
function hidden(
  txns: MicroOperations,
  t: number,
  key: Key,
  predicate: unknown,
  anomalies: AnomalyList,
): number {
  const unmatched = key.versions.flatMap((version, place) => (matches(predicate, version) ? [] : [place]))
  if (key.maybe.some((version) => !matches(predicate, version))) return -1
  if (unmatched.length === 0) {
    anomalies.add('predicate-read-miss', () => ({
      message: `operation ${operationId(txns, t)} read by predicate ${show(predicate)} and missed key ${show(key.name)}, all of whose versions match`,
      operations: [operationId(txns, t)],
      details: { key: key.name, predicate },
    }))
  }
  return unmatched.length === 1 ? unmatched[0] : -1
}

type Visit = (from: number, to: number, kind: number, key: Key, place: number, predicate: unknown) => void

/** Every dependency: from, to, kind, and the version it is about. */
function eachDependency(
  keys: ReadonlyMap<string, Key>,
  observations: readonly (readonly Observation[])[],
  visit: Visit,
): void {
  for (const key of keys.values()) {
    for (let place = 1; place < key.versions.length; place++) {
      if (key.writers[place - 1] >= 0) visit(key.writers[place - 1], key.writers[place], WW, key, place, null)
    }
  }
  observations.forEach((seen, t) => {
    for (const { key, place, predicate } of seen) {
      const item = predicate === null
      if (key.writers[place] >= 0) visit(key.writers[place], t, item ? WR : WRP, key, place, predicate)
      const last = item ? Math.min(place + 2, key.versions.length) : key.versions.length
      for (let later = place + 1; later < last; later++) {
        const changes =
          item || matches(predicate, key.versions[place]) !== matches(predicate, key.versions[later])
        if (changes) visit(t, key.writers[later], item ? RW : RWP, key, later, predicate)
      }
    }
  })
}

function dependencies(
  txns: MicroOperations,
  keys: ReadonlyMap<string, Key>,
  observations: readonly (readonly Observation[])[],
): GraphBuilder {
  const graph = new GraphBuilder(txns.count)
  eachDependency(keys, observations, (from, to, kind) => graph.link(from, to, kind))
  return graph
}

function explainer(
  keys: ReadonlyMap<string, Key>,
  observations: readonly (readonly Observation[])[],
): Explainer {
  const describe = (version: Version): string =>
    version.kind === 'value' ? show(version.value) : version.kind === 'unborn' ? 'not there yet' : 'deleted'
  return (a, b, kind, nameA, nameB) => {
    let because: string | null = null
    let about: unknown = null
    eachDependency(keys, observations, (from, to, edge, key, place, predicate) => {
      if (because !== null || from !== a || to !== b || edge !== kind) return
      about = key.name
      const what = `key ${show(key.name)} ${describe(key.versions[place])}`
      const by = predicate === null ? '' : ` by predicate ${show(predicate)}`
      if (kind === WW) because = `${nameB} made ${what} after ${nameA} wrote the version before`
      else if (kind === WR || kind === WRP) because = `${nameB} read${by} ${what}, which ${nameA} made it`
      else
        because = `${nameA} read${by} key ${show(key.name)} before ${nameB} made it ${describe(key.versions[place])}`
    })
    return because === null ? null : { because, key: about }
  }
}
