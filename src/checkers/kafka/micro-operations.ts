/**
 * Operations on logs as their clients saw them. `send`, `poll` and `txn` carry a list of micro-operations:
 * `['send', key, value]`, with `[offset, value]` once the offset is known, and `['poll', { key: [[offset, value], …] }]`.
 * `subscribe` and `assign` carry the keys that a client polls from then on. Keys are compared as text, since that is
 * what they are in a JSON map.
 */
import { OK, type History } from '../../history/history.ts'
import { keyText } from '../../history/value.ts'
import { MessageTable, type Message } from './messages.ts'

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

export interface LogOperations {
  readonly operations: readonly LogOperation[]
  readonly messages: MessageTable
}

export function logOperations(history: History): LogOperations {
  const kinds = history.functions.map((f) => (LOG_FUNCTIONS as readonly string[]).indexOf(f))
  const operations: LogOperation[] = []
  const messages = new MessageTable()
  for (let position = 0; position < history.length; position++) {
    const kind = kinds[history.f[position]]
    if (kind < 0) continue
    const type = history.type[position]
    const process = history.process[position]
    const value = history.output[position] ?? history.input[position]
    const asked = sendsIn(history.input[position], messages)
    const assigns = kind >= 3
    operations.push({
      position,
      type,
      process,
      sends: assigns ? NONE : sendsIn(value, messages),
      asked,
      polled: assigns ? NONE : polledIn(value, messages),
      polls: !assigns && polls(value),
      assigned: assigns ? new Set(list(value).map(keyText)) : null,
    })
  }
  return { operations, messages }
}

const NONE: readonly Message[] = []

function polls(value: unknown): boolean {
  return list(value).some((micro) => Array.isArray(micro) && micro[0] === 'poll')
}

function sendsIn(value: unknown, messages: MessageTable): readonly Message[] {
  let sends: Message[] | null = null
  for (const micro of list(value)) {
    if (!Array.isArray(micro) || micro[0] !== 'send' || micro.length < 3) continue
    const ofKey = messages.ofKey(keyText(micro[1]))
    const sent: unknown = micro[2]
    ;(sends ??= []).push(isPair(sent) ? ofKey.message(sent[1], sent[0]) : ofKey.message(sent, null))
  }
  return sends ?? NONE
}

function polledIn(value: unknown, messages: MessageTable): readonly Message[] {
  let polled: Message[] | null = null
  for (const micro of list(value)) {
    if (!Array.isArray(micro) || micro[0] !== 'poll' || typeof micro[1] !== 'object' || micro[1] === null)
      continue
    const seen = micro[1] as Readonly<Record<string, unknown>>
    for (const key of Object.keys(seen)) {
      const ofKey = messages.ofKey(key)
      for (const pair of list(seen[key]))
        if (isPair(pair)) (polled ??= []).push(ofKey.message(pair[1], pair[0]))
    }
  }
  return polled ?? NONE
}

function isPair(value: unknown): value is [number | null, unknown] {
  return Array.isArray(value) && value.length === 2 && (typeof value[0] === 'number' || value[0] === null)
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** By the number of a message: 1 if an ok poll has seen it. */
export type Seen = Uint8Array

export function seenBy(operations: readonly LogOperation[], messages: MessageTable): Seen {
  const seen = new Uint8Array(messages.numbers)
  for (const { type, polled } of operations) {
    if (type === OK) for (const { number } of polled) seen[number] = 1
  }
  return seen
}
