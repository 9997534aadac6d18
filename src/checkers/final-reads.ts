/**
 * Which reads show the final state. Where a workload marks them (`input: 'final'`, after the system was healed and
 * had time to settle) those count; without marks it is the last read of each node, or of each client when nodes are
 * not known, that began after every write had ended.
 */
import { OK, type History } from '../history/history.ts'
import { positionsOf } from './scope.ts'

export interface FinalRead {
  readonly position: number
  /** The node that answered, or the client that asked. */
  readonly replica: string
}

export function finalReads(history: History, writes: readonly string[], read: string): FinalRead[] {
  const reads = positionsOf(history, read).filter(
    (i) => history.type[i] === OK && history.invokeIndex[i] >= 0,
  )
  const marked = reads.filter((i) => history.input[i] === 'final')
  const last = lastWrite(history, writes)
  const candidates = marked.length > 0 ? marked : reads.filter((i) => history.invokeIndex[i] > last)
  const byReplica = new Map<string, number>()
  for (const i of candidates) {
    const replica = replicaOf(history, i)
    const before = byReplica.get(replica)
    if (before === undefined || history.invokeIndex[before] < history.invokeIndex[i])
      byReplica.set(replica, i)
  }
  return [...byReplica].map(([replica, position]) => ({ replica, position }))
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
