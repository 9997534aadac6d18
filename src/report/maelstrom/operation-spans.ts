/**
 * What a Maelstrom test's pictures are drawn from: operations with their beginning and end, and the periods in which a
 * fault was in force.
 */
import type { LoggedOperation } from '../../maelstrom/running/operation-log.ts'

export interface OperationSpan {
  /** The process, or the nemesis. */
  readonly process: LoggedOperation['process']
  readonly f: string
  readonly invoke: LoggedOperation
  /** Null: the test ended before. */
  readonly complete: LoggedOperation | null
}

export interface FaultPeriod {
  readonly fault: string
  readonly fromSeconds: number
  /** Infinity: until the end of the test. */
  readonly toSeconds: number
}

const NANOSECONDS = 1e9

export function secondsOf({ time }: LoggedOperation): number {
  return time / NANOSECONDS
}

/** Operations of clients in the order in which they began. */
export function operationSpans(operations: readonly LoggedOperation[]): OperationSpan[] {
  const open = new Map<LoggedOperation['process'], number>()
  const spans: OperationSpan[] = []
  for (const operation of operations) {
    const { process, f, type } = operation
    if (process === 'nemesis') continue
    if (type === 'invoke') {
      open.set(process, spans.push({ process, f, invoke: operation, complete: null }) - 1)
      continue
    }
    const at = open.get(process)
    if (at === undefined) continue
    spans[at] = { ...spans[at], complete: operation }
    open.delete(process)
  }
  return spans
}

/** How each fault begins and ends in the history. */
const ENDS: Readonly<Record<string, { readonly fault: string; readonly end: string }>> = {
  'start-partition': { fault: 'partition', end: 'stop-partition' },
  kill: { fault: 'kill', end: 'start' },
  pause: { fault: 'pause', end: 'resume' },
}

/** From the moment in which a fault was asked for to that in which its end was complete. */
export function faultPeriods(operations: readonly LoggedOperation[]): FaultPeriod[] {
  const periods: FaultPeriod[] = []
  for (const [begin, { fault, end }] of Object.entries(ENDS)) {
    let from: number | null = null
    let to = Number.POSITIVE_INFINITY
    for (const operation of operations) {
      if (operation.process !== 'nemesis') continue
      if (operation.f === begin && (from === null || to !== Number.POSITIVE_INFINITY)) {
        if (from !== null) periods.push({ fault, fromSeconds: from, toSeconds: to })
        from = secondsOf(operation)
        to = Number.POSITIVE_INFINITY
      }
      // The nemesis writes the end twice, when it begins and when it is done: the last one counts.
      if (operation.f === end && from !== null) to = secondsOf(operation)
    }
    if (from !== null) periods.push({ fault, fromSeconds: from, toSeconds: to })
  }
  return periods.sort((a, b) => a.fromSeconds - b.fromSeconds || (a.fault < b.fault ? -1 : 1))
}
