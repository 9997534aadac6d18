/**
 * Order as one client sees it: inside an operation, and from one of its operations to the next. Polls must go up the
 * log without leaving anything out, sends must land in the order in which they were made.
 *
 * `subscribe` and `assign` reset the position of keys the client gives up. A poll that failed is compared with the
 * position before it, and leaves that position as it was; one of unknown outcome may or may not have moved it, now or
 * later: from then on a client may leave something out, and a step back must be one from wherever it can stand. A send
 * of unknown outcome may land after later ones. A send that failed landed nowhere: a message with its value is another's.
 */
import { FAIL, INFO, OK, type History } from '../../history/history.ts'
import { show } from '../../history/value.ts'
import type { AnomalyCollector } from '../anomaly-collector.ts'
import type { Budget } from '../budget.ts'
import type { Logs } from './log.ts'
import type { Message } from './messages.ts'
import type { LogOperation } from './micro-operations.ts'

/** How far one message is from the one before it; null when a place is not known for certain. */
function distance({ certain }: Logs, from: Message, to: Message): number | null {
  const a = certain[from.number]
  const b = certain[to.number]
  return a < 0 || b < 0 ? null : b - a
}

export function checkInternalOrder(
  history: History,
  operations: readonly LogOperation[],
  logs: Logs,
  report: AnomalyCollector,
  budget: Budget,
): void {
  for (const operation of operations) {
    budget.ask()
    const look = (what: 'poll' | 'send', before: Message, after: Message): void => {
      const delta = distance(logs, before, after)
      if (delta === null || delta === 1) return
      const type = delta > 1 ? `int-${what}-skip` : `int-nonmonotonic-${what}`
      const message = () =>
        `one operation ${what === 'poll' ? 'polled' : 'sent'} ${show(before.value, 30)} and then ${show(after.value, 30)} of key ${after.key}, ${describe(logs, before, delta)}`
      report.add(type, [history.id[operation.position]], message, { key: after.key, delta })
    }
    neighbours(operation.polled, (before, after) => look('poll', before, after))
    if (operation.type !== FAIL) neighbours(operation.sends, (before, after) => look('send', before, after))
  }
}

/** Visits each message with the one of its key before it. */
function neighbours(messages: readonly Message[], visit: (before: Message, after: Message) => void): void {
  if (messages.length < 2) return
  const last = new Map<string, Message>()
  let before = messages[0]
  for (let i = 1; i < messages.length; i++) {
    const after = messages[i]
    // Messages of one key mostly come together.
    if (after.key === before.key) visit(before, after)
    else {
      last.set(before.key, before)
      const earlier = last.get(after.key)
      if (earlier !== undefined) visit(earlier, after)
    }
    before = after
  }
}

/** Unknown polls in a row that are distinguished. */
const MAX_PLACES = 8

/** A place at which a client may stand. */
interface Place {
  readonly operation: LogOperation
  readonly last: Message
}

/** What one client last did to a key: the places at which it may stand. */
type Positions = Map<string, readonly Place[]>

export function checkSessionOrder(
  history: History,
  operations: readonly LogOperation[],
  logs: Logs,
  report: AnomalyCollector,
  budget: Budget,
): void {
  const polls = new Map<number, Positions>()
  const sends = new Map<number, Positions>()
  /** Clients with a poll of unknown outcome: it may take effect at any later time and move them up. */
  const blurred = new Set<number>()
  for (const operation of operations) {
    budget.ask()
    // Without a name there is no client, and so no order.
    if (history.processes[operation.process] === null) continue
    const polled = positionsOf(polls, operation.process)
    const sent = positionsOf(sends, operation.process)
    if (operation.assigned !== null) {
      for (const positions of [polled, sent]) {
        for (const key of positions.keys()) if (!operation.assigned.has(key)) positions.delete(key)
      }
      continue
    }
    const skips = blurred.has(operation.process) ? 'maybe' : 'never'
    if (operation.polled.length > 0)
      step(history, operation, operation.polled, polled, logs, report, 'poll', skips)
    if (operation.type === INFO && operation.polls) blurred.add(operation.process)
    if (operation.sends.length > 0 && operation.type !== FAIL)
      step(history, operation, operation.sends, sent, logs, report, 'send', 'maybe')
  }
}

function positionsOf(byProcess: Map<number, Positions>, process: number): Positions {
  let positions = byProcess.get(process)
  if (positions === undefined) byProcess.set(process, (positions = new Map()))
  return positions
}

function step(
  history: History,
  operation: LogOperation,
  messages: readonly Message[],
  positions: Positions,
  logs: Logs,
  report: AnomalyCollector,
  what: 'poll' | 'send',
  skips: 'never' | 'maybe',
): void {
  for (const [key, [first, last]] of endsByKey(messages)) {
    const before = positions.get(key) ?? []
    const wrong = misstep(logs, before, first, skips)
    if (wrong !== null) {
      const { place, delta } = wrong
      const type = delta > 1 ? 'poll-skip' : `nonmonotonic-${what}`
      const ids = [history.id[place.operation.position], history.id[operation.position]]
      const message = () =>
        `a client ${what === 'poll' ? 'polled' : 'sent'} ${show(first.value, 30)} of key ${key} after ${show(place.last.value, 30)}, ${describe(logs, place.last, delta)}`
      report.add(type, ids, message, { key, delta })
    }
    if (operation.type === OK) positions.set(key, [{ operation, last }])
    else if (operation.type === INFO && what === 'poll' && before.length > 0) {
      positions.set(key, [...before, { operation, last }].slice(-MAX_PLACES))
    }
  }
}

/** The first place from which the step to a message is wrong; null if it is right from one of them, or may be. */
function misstep(
  logs: Logs,
  places: readonly Place[],
  to: Message,
  skips: 'never' | 'maybe',
): { place: Place; delta: number } | null {
  let first: { place: Place; delta: number } | null = null
  for (const place of places) {
    const delta = distance(logs, place.last, to)
    if (delta === null || delta === 1 || (delta > 1 && skips === 'maybe')) return null
    first ??= { place, delta }
  }
  return first
}

function describe(logs: Logs, from: Message, delta: number): string {
  if (delta === 0) return 'the same place in the log'
  if (delta < 0) return `${-delta} places further back in the log`
  const at = logs.index[from.number]
  return `leaving out ${show(logs.byKey.get(from.key)!.between(at, at + delta), 60)}`
}

/** Per key the first and the last message. */
function endsByKey(messages: readonly Message[]): Map<string, [first: Message, last: Message]> {
  const ends = new Map<string, [Message, Message]>()
  let current: [Message, Message] | undefined
  for (const message of messages) {
    if (current?.[0].key !== message.key) current = ends.get(message.key)
    if (current === undefined) ends.set(message.key, (current = [message, message]))
    else current[1] = message
  }
  return ends
}
