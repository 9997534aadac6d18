/**
 * What a node did against the protocol: garbage on stdout, a message to no node, a malformed or second reply, an exit of
 * its own, committed offsets that it forgets or makes up. Faults are counted by kind; the first few of each are kept with their text.
 */
export type NodeFaultKind =
  | 'not-started'
  | 'no-init'
  | 'exited'
  | 'malformed-message'
  | 'line-too-long'
  | 'floods-stdout'
  | 'wrong-source'
  | 'unknown-destination'
  | 'malformed-reply'
  | 'second-reply'
  | 'reads-no-stdin'
  | 'stopped-answering'
  | 'unexpected-commit'
  | 'lost-commit'

export interface NodeFault {
  readonly kind: NodeFaultKind
  readonly node: string
  readonly text: string
}

/** Maelstrom itself ends the test on these; the others pass it silently, or show as exceptions only. */
export const FATAL_FAULTS: ReadonlySet<NodeFaultKind> = new Set(['not-started', 'no-init', 'exited'])

const KEPT_PER_KIND = 8

export class NodeFaults {
  readonly kept: NodeFault[] = []
  readonly counts = new Map<NodeFaultKind, number>()

  add(kind: NodeFaultKind, node: string, text: string): void {
    const count = (this.counts.get(kind) ?? 0) + 1
    this.counts.set(kind, count)
    if (count <= KEPT_PER_KIND) this.kept.push({ kind, node, text })
  }
}
