/**
 * Version orders of registers are not in the data; they are inferred from what the user is ready to assume about each
 * key, as in Elle:
 *
 * - every version comes after the initial state (always assumed);
 * - `transactionOrder`: the database told the order in which transactions took effect;
 * - `wfrKeys`: writes follow reads: what a transaction read of a key precedes what it wrote to it;
 * - `sequentialKeys`: each process sees versions of a key in order;
 * - `linearizableKeys`: all processes together do so in real time.
 *
 * Sources are merged one by one. One that contradicts those before it is evidence (`cyclic-versions`) and is left out.
 */
import { show } from '../../../history/value.ts'
import { askRunning } from '../../budget.ts'
import type { AnomalyList } from '../anomaly-list.ts'
import { cyclicComponents } from '../cycles/components.ts'
import { GraphBuilder, WW, type Rows } from '../cycles/graph.ts'
import { FAIL, INFO, OK, operationId, type MicroOperations } from '../micro-operations.ts'
import type { RegisterVersions } from './register-versions.ts'
import { flag, type OptionSchema } from '../../options.ts'
import { uint8 } from '../../workspace.ts'

export interface VersionOrderOptions {
  readonly wfrKeys?: boolean | undefined
  readonly sequentialKeys?: boolean | undefined
  readonly linearizableKeys?: boolean | undefined
  /** Operation id → place in the order in which the database says transactions took effect. */
  readonly transactionOrder?: ReadonlyMap<number, number> | undefined
}

export const VERSION_ORDER_OPTIONS: OptionSchema<VersionOrderOptions> = {
  wfrKeys: flag("a transaction's write of a key follows its read of the key"),
  sequentialKeys: flag('each process sees the versions of a key in order'),
  linearizableKeys: flag('the versions of a key are in real-time order'),
  transactionOrder: {
    expected: 'a Map from operation id to place',
    isMet: (value) => value instanceof Map,
    about: 'operation id → place in the order in which the database says transactions took effect',
  },
}

/** An edge from one version to a later one of the same key. */
type Link = (earlier: number, later: number) => void

export interface VersionOrder {
  /** Edges between versions. */
  readonly rows: Rows
  readonly sources: readonly string[]
}

export function versionOrder(
  txns: MicroOperations,
  versions: RegisterVersions,
  options: VersionOrderOptions,
  anomalies: AnomalyList,
): VersionOrder {
  const sources: (readonly [string, (link: Link) => void])[] = [
    ['initial-state', (link) => initialFirst(txns, versions, link)],
  ]
  const { transactionOrder } = options
  if (transactionOrder !== undefined) {
    sources.push(['transaction-order', (link) => databaseOrder(txns, versions, transactionOrder, link)])
  }
  if (options.wfrKeys === true) sources.push(['wfr-keys', (link) => writesFollowReads(txns, versions, link)])
  if (options.sequentialKeys === true)
    sources.push(['sequential-keys', (link) => perProcess(txns, versions, link)])
  if (options.linearizableKeys === true) {
    sources.push(['linearizable-keys', (link) => inRealTime(txns, versions, link)])
  }
  let accepted: number[] = []
  let rows = versionRows(versions, accepted)
  const names: string[] = []
  for (const [name, infer] of sources) {
    const edges = [...accepted]
    infer((earlier, later) => {
      askRunning()
      if (earlier !== later) edges.push(earlier, later)
    })
    const merged = versionRows(versions, edges)
    const cycles = cyclicComponents(merged, null)
    if (cycles.length === 0) {
      accepted = edges
      rows = merged
      names.push(name)
      continue
    }
    for (const cycle of cycles) {
      anomalies.add('cyclic-versions', () => ({
        message: `by ${[...names, name].join(', ')}, the versions ${cycle.map((v) => show(versions.value[v])).join(', ')} of key ${show(txns.keys[versions.key[cycle[0]]])} each come before the others`,
        operations: cycle
          .filter((v) => versions.written[v] >= 0)
          .map((v) => operationId(txns, txns.transaction[versions.written[v]])),
        details: {
          key: txns.keys[versions.key[cycle[0]]],
          versions: cycle.map((v) => versions.value[v]),
          sources: [...names, name],
        },
      }))
    }
  }
  return { rows, sources: names }
}

function versionRows(versions: RegisterVersions, edges: readonly number[]): Rows {
  const graph = new GraphBuilder(versions.count, edges.length / 2 + 1)
  for (let i = 0; i < edges.length; i += 2) graph.link(edges[i], edges[i + 1], WW)
  return graph.rows()
}

function initialFirst(
  { kind, key, type, transaction }: MicroOperations,
  versions: RegisterVersions,
  link: Link,
): void {
  const done = uint8(versions.count)
  for (let m = 0; m < kind.length; m++) {
    const v = versions.version[m]
    if (v < 0 || done[v] === 1 || v === key[m] || type[transaction[m]] === FAIL) continue
    if (versions.outsideRead[m] === 0 && versions.outsideWrite[m] === 0) continue
    done[v] = 1
    link(key[m], v)
  }
}

function databaseOrder(
  txns: MicroOperations,
  versions: RegisterVersions,
  order: ReadonlyMap<number, number>,
  link: Link,
): void {
  const { kind, key, type, transaction } = txns
  const perKey = new Map<number, { place: number; version: number }[]>()
  for (let m = 0; m < kind.length; m++) {
    const place = order.get(operationId(txns, transaction[m]))
    if (versions.outsideWrite[m] === 0 || type[transaction[m]] === FAIL || place === undefined) continue
    const list = perKey.get(key[m]) ?? []
    list.push({ place, version: versions.version[m] })
    perKey.set(key[m], list)
  }
  for (const list of perKey.values()) {
    list.sort((a, b) => a.place - b.place)
    for (let i = 1; i < list.length; i++) link(list[i - 1].version, list[i].version)
  }
}

function writesFollowReads(
  { kind, key, type, transaction }: MicroOperations,
  versions: RegisterVersions,
  link: Link,
): void {
  const { before, version, outsideRead, outsideWrite } = versions
  for (let m = 0; m < kind.length; m++) {
    if (outsideWrite[m] === 0 || before[m] < 0 || type[transaction[m]] !== OK) continue
    let first = before[m]
    while (before[first] >= 0) first = before[first]
    if (outsideRead[first] === 1 && version[first] !== key[m]) link(version[first], version[m])
  }
}

/**
 * What a transaction shows of each key it touches: the version it saw first (its read, or what it wrote) and the one
 * it left. Of an unknown transaction only writes count. Calls `touch(key, first, last)` once per key.
 */
function touches(
  txns: MicroOperations,
  versions: RegisterVersions,
  t: number,
  touch: (key: number, first: number, last: number) => void,
): void {
  const { start, key } = txns
  const { before, version, outsideRead, outsideWrite } = versions
  for (let m = start[t]; m < start[t + 1]; m++) {
    if (outsideWrite[m] === 1) {
      let first = m
      while (before[first] >= 0) first = before[first]
      const read = outsideRead[first] === 1 && version[first] !== key[m]
      touch(key[m], read ? version[first] : version[m], version[m])
    } else if (outsideRead[m] === 1 && !writesLater(txns, versions, m)) {
      touch(key[m], version[m], version[m])
    }
  }
}

function writesLater(
  { start, key, transaction }: MicroOperations,
  versions: RegisterVersions,
  m: number,
): boolean {
  for (let w = m + 1; w < start[transaction[m] + 1]; w++) {
    if (key[w] === key[m] && versions.outsideWrite[w] === 1) return true
  }
  return false
}

function perProcess(txns: MicroOperations, versions: RegisterVersions, link: Link): void {
  const { history } = txns
  const last: Map<number, number>[] = history.processes.map(() => new Map<number, number>())
  for (const t of inCompletionOrder(txns)) {
    const process = history.process[txns.position[t]]
    if (history.processes[process] === null) continue
    const seen = last[process]
    touches(txns, versions, t, (k, first, left) => {
      const earlier = seen.get(k)
      if (earlier !== undefined) link(earlier, first)
      seen.set(k, left)
    })
  }
}

function inCompletionOrder({ history, position, count, type }: MicroOperations): number[] {
  const order: number[] = []
  for (let t = 0; t < count; t++) if (type[t] === OK) order.push(t)
  return order.sort((a, b) => history.completeIndex[position[a]] - history.completeIndex[position[b]])
}

/** Per key a sweep over the events of the transactions that touch it, with the frontier of completed ones. */
function inRealTime(txns: MicroOperations, versions: RegisterVersions, link: Link): void {
  const { history, type } = txns
  interface Interval {
    readonly invoked: number
    readonly completed: number
    readonly first: number
    readonly last: number
  }
  const perKey: Interval[][] = txns.keys.map(() => [])
  for (let t = 0; t < txns.count; t++) {
    if (type[t] === FAIL) continue
    const invoked = history.invokeIndex[txns.position[t]]
    const completed = type[t] === INFO ? -1 : history.completeIndex[txns.position[t]]
    touches(txns, versions, t, (k, first, last) => perKey[k].push({ invoked, completed, first, last }))
  }
  for (const intervals of perKey) {
    const events: { readonly at: number; readonly begins: boolean; readonly interval: Interval }[] = []
    for (const interval of intervals) {
      if (interval.invoked >= 0) events.push({ at: interval.invoked, begins: true, interval })
      if (interval.completed >= 0) events.push({ at: interval.completed, begins: false, interval })
    }
    events.sort((a, b) => a.at - b.at)
    let frontier: Interval[] = []
    for (const { begins, interval } of events) {
      if (begins) for (const earlier of frontier) link(earlier.last, interval.first)
      else {
        frontier = frontier.filter(({ completed }) => completed > interval.invoked)
        frontier.push(interval)
      }
    }
  }
}
