/**
 * Which reads show the final state. Where a workload marks them (`input: 'final'`, after the system was healed and
 * had time to settle) those count; without marks it is the last read of each node, or of each client when nodes are
 * not known, that began after every write had ended. Where reads are of single keys, it is the last one of each key.
 */
import { OK, type History } from '../history/history.ts'
import { show } from '../history/value.ts'
import { positionsOf } from './scope.ts'

export interface FinalRead {
  readonly position: number
  /** The node that answered, or the client that asked. */
  readonly replica: string
  /** Number of the key that was read; that of null for a read of everything. */
  readonly key: number
}

export function finalReads(history: History, writes: readonly string[], read: string): FinalRead[] {
  const reads = positionsOf(history, read).filter(
    (i) => history.type[i] === OK && history.invokeIndex[i] >= 0,
  )
  const marked = reads.filter((i) => history.input[i] === 'final')
  const last = lastWrite(history, writes)
  const candidates = marked.length > 0 ? marked : reads.filter((i) => history.invokeIndex[i] > last)
  const latest = new Map<string, FinalRead>()
  for (const position of candidates) {
    const replica = replicaOf(history, position)
    const key = history.key[position]
    const name = `${key} ${replica}`
    const before = latest.get(name)
    if (before === undefined || history.invokeIndex[before.position] < history.invokeIndex[position])
      latest.set(name, { position, replica, key })
  }
  return [...latest.values()]
}

/** Final reads of different keys show different things, and are not to be compared. */
export function byKeyRead(finals: readonly FinalRead[]): FinalRead[][] {
  const groups = new Map<number, FinalRead[]>()
  for (const final of finals) {
    const group = groups.get(final.key)
    if (group === undefined) groups.set(final.key, [final])
    else group.push(final)
  }
  return [...groups.values()]
}

/** ` of key "x"`, nothing for a read of everything. */
export function ofKeyRead(history: History, { key }: FinalRead): string {
  const name = history.keys[key]
  return name === null ? '' : ` of key ${show(name)}`
}

/**
 * Replicas that have no final read: nodes that some operation names, and replicas whose read was marked as final and did
 * not succeed. What they hold is not known, so that "every replica has it" is not shown.
 */
export function withoutFinalRead(
  history: History,
  finals: readonly FinalRead[],
  functions: readonly string[],
  read: string,
): string[] {
  const wanted = new Set(functions.map((f) => history.functionIndex(f)))
  const reads = history.functionIndex(read)
  const replicas = new Set<string>()
  for (let i = 0; i < history.length; i++) {
    const named = history.node[i] >= 0 && wanted.has(history.f[i])
    const marked = history.f[i] === reads && history.input[i] === 'final'
    if (named || marked) replicas.add(replicaOf(history, i))
  }
  for (const { replica } of finals) replicas.delete(replica)
  return [...replicas]
}

/** Index of the last event of any of these functions; -1 without any. */
function lastWrite(history: History, writes: readonly string[]): number {
  let last = -1
  for (const f of writes) {
    for (const i of positionsOf(history, f)) {
      last = Math.max(last, history.invokeIndex[i], history.completeIndex[i])
    }
  }
  return last
}

function replicaOf(history: History, i: number): string {
  const node = history.node[i]
  return node >= 0 ? `node ${history.nodes[node]}` : `process ${history.processes[history.process[i]]}`
}
