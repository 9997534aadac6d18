/**
 * Does a log like Kafka's keep what it acknowledged, once, in one order, and hand it out in that order?
 *
 * The anomalies are those of Jepsen's kafka workload: aborted reads (G1a), inconsistent offsets, lost writes, messages
 * no client has seen, duplicates, skips and steps back in polls and sends inside and between operations, reads of one's
 * own uncommitted messages, and cycles of dependency. A message that no client sent is reported too. Some are *tolerated*:
 * found and listed, but no violation, because Kafka does not promise otherwise: gaps between the sends of one
 * transaction (int-send-skip) and G0 always, G1c when write order is taken into account, skips and steps back in
 * polls when clients subscribe and may be rebalanced at any time.
 *
 * A message that was acknowledged and never polled proves nothing by itself; it makes the answer unknown, or invalid
 * with `drained`, when the workload promises that it polled every key to its end.
 */
import { FAIL, OK, type History } from '../../history/history.ts'
import { show } from '../../history/value.ts'
import { AnomalyCollector } from '../anomaly-collector.ts'
import { Budget, type BudgetOptions } from '../budget.ts'
import { checkOptions, flag, LIMIT_OPTIONS, type OptionSchema } from '../options.ts'
import { conclude, type Anomaly, type CheckResult } from '../result.ts'
import { scopeOf, weakness } from '../scope.ts'
import { findCycles } from './cycles.ts'
import { buildLogs, idsOf, type Logs } from './log.ts'
import { checkLostWrites } from './lost-writes.ts'
import type { Message, MessageTable } from './messages.ts'
import {
  LOG_FUNCTIONS,
  logOperations,
  seenBy,
  type LogOperation,
  type LogOperations,
  type Seen,
} from './micro-operations.ts'
import { checkInternalOrder, checkSessionOrder } from './order.ts'

export interface KafkaOptions extends BudgetOptions {
  /** True: the order of messages in a log counts as a dependency between their senders. */
  readonly wwDeps?: boolean
  /** True: the workload polled every key to its end, so that an unseen message is a lost one. */
  readonly drained?: boolean
  /** True: clients subscribe rather than being assigned; by default, whether any did. */
  readonly subscribe?: boolean
}

export const KAFKA_OPTIONS: OptionSchema<KafkaOptions> = {
  wwDeps: flag('the order of messages in a log counts as a dependency between their senders'),
  drained: flag('the workload polled every key to its end, so that an unseen message is a lost one'),
  subscribe: flag('clients subscribe rather than being assigned; by default, whether any did'),
  ...LIMIT_OPTIONS,
}

export interface KafkaDetails {
  readonly keys: number
  readonly messages: number
  readonly unseen: number
  readonly possiblyLost: number
  /** Key and value of the first 100. */
  readonly unseenMessages: readonly (readonly [string, unknown])[]
  /** Found, and no violation, since Kafka does not promise otherwise. */
  readonly tolerated: readonly Anomaly[]
  /** Anomalies found, by type; `anomalies` keeps the first few of each. */
  readonly counts: Readonly<Record<string, number>>
}

export function kafka(history: History, options: KafkaOptions = {}): CheckResult<KafkaDetails> {
  checkOptions('kafka', KAFKA_OPTIONS, options)
  const { wwDeps = false, drained = false, subscribe = history.functions.includes('subscribe') } = options
  const scope = scopeOf(history, LOG_FUNCTIONS)
  const weak = weakness(history, ['real-time'])
  if (weak !== null) return conclude({ checker: 'kafka', scope, checks: 0, anomalies: [], doubt: weak })
  const budget = Budget.of(options)
  const all = logOperations(history)
  const found = new AnomalyCollector()
  const search = () => examine(history, all, found, { wwDeps, drained }, budget)
  const examined = budget.within(messageCount(all.operations) * BYTES_PER_MESSAGE, search)
  const allowed = (anomaly: Anomaly) => isTolerated(anomaly.type, { wwDeps, subscribe })
  return conclude({
    checker: 'kafka',
    scope,
    checks: all.operations.reduce((sum, { type }) => (type === OK ? sum + 1 : sum), 0),
    anomalies: found.anomalies.filter((anomaly) => !allowed(anomaly)),
    doubt: examined === null ? budget.reason : examined.doubt,
    details: {
      ...examined?.details,
      tolerated: found.anomalies.filter(allowed),
      counts: found.counts,
    },
  })
}

/** What a message costs in the tables of a check, about. */
const BYTES_PER_MESSAGE = 100

function messageCount(operations: readonly LogOperation[]): number {
  return operations.reduce((sum, { sends, polled }) => sum + sends.length + polled.length, 0)
}

interface Examined {
  readonly doubt: string | null
  readonly details: Partial<KafkaDetails>
}

function examine(
  history: History,
  { operations: all, messages }: LogOperations,
  found: AnomalyCollector,
  { wwDeps, drained }: { wwDeps: boolean; drained: boolean },
  budget: Budget,
): Examined {
  const sent = sendCounts(all, messages)
  checkOrigins(history, all, sent, found, budget)
  const allSeen = seenBy(all, messages)
  const allLogs = buildLogs(all, messages, allSeen, budget)
  checkPlaces(allLogs, sent, found)
  // Where a message was sent twice, nothing about order and loss follows from its value.
  const retried = sent.reduce((sum, count) => (count > 1 ? sum + 1 : sum), 0)
  const operations = retried === 0 ? all : all.map((operation) => withoutRetries(operation, sent))
  const seen = retried === 0 ? allSeen : seenBy(operations, messages)
  const logs = retried === 0 ? allLogs : buildLogs(operations, messages, seen, budget)
  const possiblyLost = checkLostWrites(history, operations, logs, seen, found, drained, budget)
  checkInternalOrder(history, operations, logs, found, budget)
  checkSessionOrder(history, operations, logs, found, budget)
  findCycles(history, operations, logs, seen, found, { wwDeps }, budget)
  const unseen = unseenMessages(operations, seen)
  if (drained) {
    for (const { operation, message } of unseen) {
      const text = () => `${show(message.value)} of key ${message.key} was acknowledged and never polled`
      found.add('unseen', idsOf(history, [operation]), text, { key: message.key })
    }
  }
  return {
    doubt: doubtOf(unseen.length, possiblyLost, retried),
    details: {
      keys: logs.byKey.size,
      messages: [...logs.byKey.values()].reduce((sum, log) => sum + log.offsets.size, 0),
      unseen: unseen.length,
      possiblyLost,
      unseenMessages: unseen.slice(0, 100).map(({ message }) => [message.key, message.value] as const),
    },
  }
}

function doubtOf(unseen: number, possiblyLost: number, retried: number): string | null {
  if (possiblyLost > 0) {
    return `${possiblyLost} messages were never polled although later ones were; polls of unknown outcome may have seen them`
  }
  if (unseen > 0) return `${unseen} acknowledged messages were never polled`
  return retried === 0
    ? null
    : `${retried} messages were sent more than once: what was polled cannot be traced to one send`
}

function isTolerated(type: string, { wwDeps, subscribe }: { wwDeps: boolean; subscribe: boolean }): boolean {
  if (type === 'int-send-skip' || type.startsWith('G0')) return true
  if (wwDeps && type.startsWith('G1c')) return true
  return subscribe && (type === 'poll-skip' || type === 'nonmonotonic-poll')
}

/** By number: how often each message was sent by operations that may have happened. A retry is a second send. */
type SendCounts = Int32Array

function sendCounts(operations: readonly LogOperation[], messages: MessageTable): SendCounts {
  const counts = new Int32Array(messages.numbers)
  for (const { type, sends, asked } of operations) {
    if (type !== FAIL) for (const { number } of sends.length > 0 ? sends : asked) counts[number]++
  }
  return counts
}

function withoutRetries(operation: LogOperation, sent: SendCounts): LogOperation {
  const once = ({ number }: Message) => sent[number] < 2
  const { sends, asked, polled } = operation
  return {
    ...operation,
    sends: sends.filter(once),
    asked: asked.filter(once),
    polled: polled.filter(once),
  }
}

/** Each polled message must have a sender that has committed and is not the poller itself. */
function checkOrigins(
  history: History,
  operations: readonly LogOperation[],
  sent: SendCounts,
  found: AnomalyCollector,
  budget: Budget,
): void {
  const senders = Array.from<LogOperation | undefined>({ length: sent.length })
  for (const operation of operations) {
    for (const messages of [operation.sends, operation.asked]) {
      for (const { number } of messages) {
        const before = senders[number]
        if (before === undefined || before.type === FAIL) senders[number] = operation
      }
    }
  }
  for (const reader of operations) {
    budget.ask()
    if (reader.type !== OK) continue
    for (const { key, number, value } of reader.polled) {
      const sender = senders[number]
      if (sender === undefined) {
        const text = () => `a poll saw ${show(value)} of key ${key}, which no client sent`
        found.add('unexpected', idsOf(history, [reader]), text, { key })
      } else if (sender === reader && sent[number] < 2) {
        const text = () => `a transaction polled ${show(value)} of key ${key}, which it had sent itself`
        found.add('precommitted-read', idsOf(history, [reader]), text, { key })
      } else if (sender.type === FAIL) {
        const text = () => `a poll saw ${show(value)} of key ${key}, but sending it failed`
        found.add('G1a', idsOf(history, [sender, reader]), text, { key })
      }
    }
  }
}

function checkPlaces({ byKey, placeCount }: Logs, sent: SendCounts, found: AnomalyCollector): void {
  for (const { key, offsets } of byKey.values()) {
    const scattered = new Map<number, Message[]>()
    for (const [offset, there] of offsets) {
      for (const message of there) {
        if (placeCount[message.number] <= Math.max(1, sent[message.number])) continue
        const places = scattered.get(message.number)
        if (places === undefined) scattered.set(message.number, [message])
        else places.push(message)
      }
      if (there.length < 2) continue
      const values = there.map(({ value }) => value)
      const text = () => `offset ${offset} of key ${key} has different values: ${show(values)}`
      found.add('inconsistent-offsets', [], text, { key, offset, values })
    }
    for (const places of scattered.values()) {
      const { value } = places[0]
      const at = places.map(({ offset }) => offset!).sort((a, b) => a - b)
      const text = () => `${show(value)} is at several offsets of key ${key}: ${at.join(', ')}`
      found.add('duplicate', [], text, { key, value, offsets: at })
    }
  }
}

function unseenMessages(
  operations: readonly LogOperation[],
  seen: Seen,
): { operation: LogOperation; message: Message }[] {
  const unseen: { operation: LogOperation; message: Message }[] = []
  for (const operation of operations) {
    if (operation.type !== OK) continue
    for (const message of operation.sends) if (seen[message.number] === 0) unseen.push({ operation, message })
  }
  return unseen
}
