/**
 * Operations on logs as their clients saw them. `send`, `poll` and `txn` carry a list of micro-operations:
 * `['send', key, value]`, with `[offset, value]` once the offset is known, and `['poll', { key: [[offset, value], …] }]`.
 * `subscribe` and `assign` carry the keys that a client polls from then on. Keys are compared as text, since that is
 * what they are in a JSON map.
 */
import { OK, type History } from '../../history/history.ts'
import { keyText, valueKey, type ValueKey } from '../../history/value.ts'

export interface Message {
  readonly key: string
  readonly value: unknown
  /** Stands for the value in maps. */
  readonly id: ValueKey
  /** Null when nobody was told. */
  readonly offset: number | null
}

export interface LogOperation {
  readonly position: number
  readonly type: number
  readonly process: number
  readonly sends: readonly Message[]
  /** What it wanted to send: an invocation may say other values than its completion. */
  readonly asked: readonly Message[]
  /** In the order in which they were seen, over all polls of the operation. */
  readonly polled: readonly Message[]
  /** Whether it polled at all; what it saw may be unknown. */
  readonly polls: boolean
  /** Keys that the client has from now on; null for operations that change nothing about that. */
  readonly assigned: ReadonlySet<string> | null
}

export const LOG_FUNCTIONS = ['send', 'poll', 'txn', 'subscribe', 'assign'] as const

export function logOperations(history: History): LogOperation[] {
  const kinds = history.functions.map((f) => (LOG_FUNCTIONS as readonly string[]).indexOf(f))
  const operations: LogOperation[] = []
  for (let i = 0; i < history.length; i++) {
    const kind = kinds[history.f[i]]
    if (kind < 0) continue
    const value = history.output[i] ?? history.input[i]
    const base = { position: i, type: history.type[i], process: history.process[i] }
    const asked = messages(history.input[i]).sends
    if (kind >= 3) {
      const assigned = new Set(list(value).map(keyText))
      operations.push({ ...base, sends: [], asked, polled: [], polls: false, assigned })
    } else operations.push({ ...base, ...messages(value), asked, polls: polls(value), assigned: null })
  }
  return operations
}

function polls(value: unknown): boolean {
  return list(value).some((micro) => Array.isArray(micro) && micro[0] === 'poll')
}

function messages(value: unknown): { sends: Message[]; polled: Message[] } {
  const sends: Message[] = []
  const polled: Message[] = []
  for (const micro of list(value)) {
    if (!Array.isArray(micro)) continue
    if (micro[0] === 'send' && micro.length >= 3) sends.push(sent(keyText(micro[1]), micro[2]))
    if (micro[0] !== 'poll' || typeof micro[1] !== 'object' || micro[1] === null) continue
    for (const [key, pairs] of Object.entries(micro[1] as object)) {
      for (const pair of list(pairs)) if (isPair(pair)) polled.push(message(key, pair[1], pair[0]))
    }
  }
  return { sends, polled }
}

function sent(key: string, value: unknown): Message {
  return isPair(value) ? message(key, value[1], value[0]) : message(key, value, null)
}

function message(key: string, value: unknown, offset: number | null): Message {
  return { key, value, id: valueKey(value), offset }
}

function isPair(value: unknown): value is [number | null, unknown] {
  return Array.isArray(value) && value.length === 2 && (typeof value[0] === 'number' || value[0] === null)
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Values per key that ok polls have seen. */
export function seenBy(operations: readonly LogOperation[]): Map<string, Set<ValueKey>> {
  const seen = new Map<string, Set<ValueKey>>()
  let last: string | null = null
  let values = new Set<ValueKey>()
  for (const { type, polled } of operations) {
    if (type !== OK) continue
    for (const { key, id } of polled) {
      if (key !== last) {
        last = key
        const known = seen.get(key)
        if (known === undefined) seen.set(key, (values = new Set()))
        else values = known
      }
      values.add(id)
    }
  }
  return seen
}
