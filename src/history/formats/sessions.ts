/**
 * Histories that are sessions of register transactions, without real time: what dbcop, AWDIT and PolySI read. A
 * session becomes a process; its transactions follow each other; between sessions there is no order. A read of `0` or
 * nothing sees the initial state, which is null here, unless a transaction wrote a 0 to that key.
 */
import type { History } from '../history.ts'
import type { HistoryBuilder } from '../history-builder.ts'
import { OK, type Outcome } from '../operation.ts'
import { keyText } from '../value.ts'

/** `['r' | 'w', key, value]`. */
export type RegisterEvent = readonly [string, unknown, unknown]

const NONE: ReadonlySet<unknown> = new Set()

export function addTransaction(
  builder: HistoryBuilder,
  session: number | string,
  events: readonly RegisterEvent[],
  outcome: Outcome = 'ok',
  /** Keys whose 0 is a value like any other. */
  zeroWritten: ReadonlySet<unknown> = NONE,
): void {
  const asked = events.map(([f, key, value]) => (f === 'r' ? [f, key, null] : [f, key, value]))
  const seen = events.map(([f, key, value]) => [
    f,
    key,
    f === 'r' && value === 0 && !zeroWritten.has(key) ? null : value,
  ])
  builder.event({ type: 'invoke', process: session, f: 'txn', value: asked })
  builder.event({ type: outcome, process: session, f: 'txn', value: outcome === 'ok' ? seen : null })
}

/** The sessions of a history: per process its committed transactions, with 0 for the initial state. */
export function sessionsOf(history: History): Map<number | string | null, RegisterEvent[][]> {
  const sessions = new Map<number | string | null, RegisterEvent[][]>()
  for (let i = 0; i < history.length; i++) {
    const output = history.output[i]
    if (history.type[i] !== OK || !isEvents(output)) continue
    const process = history.processes[history.process[i]]
    let transactions = sessions.get(process)
    if (transactions === undefined) sessions.set(process, (transactions = []))
    transactions.push(output.map(([f, key, value]) => [f, key, value ?? 0]))
  }
  return sessions
}

/** A key or value as the text formats write it. */
export function eventText(value: unknown): string {
  return typeof value === 'bigint' ? String(value) : keyText(value)
}

/** A list of `["r" | "w", key, value]`. */
export function isEvents(value: unknown): value is RegisterEvent[] {
  return Array.isArray(value) && value.every(isEvent)
}

function isEvent(value: unknown): boolean {
  return Array.isArray(value) && value.length === 3 && (value[0] === 'r' || value[0] === 'w')
}
