/**
 * A cycle in words: why each transaction comes before the next, and so, in the end, before itself.
 */
import type { Anomaly } from '../../result.ts'
import type { FoundCycle } from './cycle-search.ts'
import type { Component } from './component.ts'
import { KIND_NAMES, PROCESS, REALTIME } from './graph.ts'
import { operationId, type MicroOperations } from '../micro-operations.ts'

export interface StepReason {
  readonly because: string
  readonly key?: unknown
  readonly value?: unknown
  readonly next?: unknown
}

/** Why transaction a comes before b by an edge of a kind, in words that use the two names. */
export type Explainer = (
  a: number,
  b: number,
  kind: number,
  nameA: string,
  nameB: string,
) => StepReason | null

/** One edge of a cycle as it is reported and drawn. */
export interface CycleStep extends StepReason {
  /** Operation ids. */
  readonly from: number
  readonly to: number
  readonly kind: string
}

/** `details` of a cycle's anomaly. */
export interface CycleDetails {
  readonly cycle: readonly CycleStep[]
  readonly transactions: readonly {
    readonly name: string
    readonly operation: number
    readonly value: unknown
  }[]
}

export function explainCycle(
  txns: MicroOperations,
  graph: Component,
  cycle: FoundCycle,
  explain: Explainer,
): Omit<Anomaly, 'type'> {
  const members = cycle.vertices.map((v) => graph.members[v])
  const name = (i: number): string => `T${(i % members.length) + 1}`
  const steps = members.map((a, i): CycleStep => {
    const b = members[(i + 1) % members.length]
    const kind = cycle.labels[i]
    const reason =
      kind === REALTIME
        ? realtimeReason(txns, a, b, name(i), name(i + 1))
        : kind === PROCESS
          ? processReason(txns, a, name(i), name(i + 1))
          : (explain(a, b, kind, name(i), name(i + 1)) ?? { because: 'their versions say so' })
    return {
      from: operationId(txns, a),
      to: operationId(txns, b),
      kind: KIND_NAMES.get(kind) ?? String(kind),
      ...reason,
    }
  })
  const sentences = steps.map(
    ({ because }, i) =>
      `${i === steps.length - 1 ? 'However, ' : ''}${name(i)} < ${name(i + 1)}, because ${because}`,
  )
  const lets = members.map((t, i) => `${name(i)} = operation ${operationId(txns, t)}`)
  const details: CycleDetails = {
    cycle: steps,
    transactions: members.map((t, i) => ({
      name: name(i),
      operation: operationId(txns, t),
      value: txns.history.output[txns.position[t]] ?? txns.history.input[txns.position[t]],
    })),
  }
  return {
    message: `Let ${lets.join(', ')}. ${sentences.join('. ')}: a contradiction.`,
    operations: members.map((t) => operationId(txns, t)),
    details,
  }
}

function realtimeReason(
  { history, position }: MicroOperations,
  a: number,
  b: number,
  nameA: string,
  nameB: string,
) {
  const gap = history.invokeTime[position[b]] - history.completeTime[position[a]]
  const when = gap > 0 ? `${gap} µs before` : 'before'
  return { because: `${nameA} was over ${when} ${nameB} began` }
}

function processReason({ history, position }: MicroOperations, a: number, nameA: string, nameB: string) {
  const process = history.processes[history.process[position[a]]]
  return { because: `process ${String(process)} ran ${nameA} before ${nameB}` }
}
