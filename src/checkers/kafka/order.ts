/**
 * Order as one client sees it: inside an operation, and from one of its operations to the next. Polls must go up the
 * log without leaving anything out, sends must land in the order in which they were made.
 *
 * `subscribe` and `assign` reset the position of keys the client gives up. A poll that failed is compared with the
 * position before it, and leaves that position as it was; one of unknown outcome may or may not have moved it, now or
 * later: from then on a client may leave something out, and a step back must be one from wherever it can stand. A send
 * of unknown outcome may land after later ones.
 */
import { INFO, OK, type History } from '../../history/history.ts'
import { show } from '../../history/value.ts'
import type { AnomalyCollector } from '../anomaly-collector.ts'
import type { Budget } from '../budget.ts'
import type { KeyLog, Logs } from './log.ts'
import type { LogOperation, Message } from './micro-operations.ts'

/** How far one message is from the one before it; null when a place is not known for certain. */
function distance(log: KeyLog | undefined, from: Message, to: Message): number | null {
  const [a, b] = [log?.certainIndexOf(from.id) ?? -1, log?.certainIndexOf(to.id) ?? -1]
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
    const id = [history.id[operation.position]]
    for (const [what, messages] of [
      ['poll', operation.polled],
      ['send', operation.sends],
    ] as const) {
      if (messages.length < 2) continue
      for (const [key, ofKey] of byKey(messages)) {
        const log = logs.get(key)
        for (let i = 1; i < ofKey.length; i++) {
          const delta = distance(log, ofKey[i - 1], ofKey[i])
          if (delta === null || delta === 1) continue
          const [before, after] = [show(ofKey[i - 1].value, 30), show(ofKey[i].value, 30)]
          const kind = delta > 1 ? 'skip' : 'nonmonotonic'
          const type = kind === 'skip' ? `int-${what}-skip` : `int-nonmonotonic-${what}`
          const message = () =>
            `one operation ${what === 'poll' ? 'polled' : 'sent'} ${before} and then ${after} of key ${key}, ${describe(log!, ofKey[i - 1], delta)}`
          report.add(type, id, message, { key, delta })
        }
      }
    }
  }
}

/** Unknown polls in a row that are told apart. */
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
    step(history, operation, operation.polled, polled, logs, report, 'poll', skips)
    if (operation.type === INFO && operation.polls) blurred.add(operation.process)
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
  if (messages.length === 0) return
  for (const [key, ofKey] of byKey(messages)) {
    const log = logs.get(key)
    const first = ofKey[0]
    const before = positions.get(key) ?? []
    const wrong = before.map((place) => ({ ...place, delta: distance(log, place.last, first) }))
    const bad = wrong.filter(({ delta }) => delta !== null && (delta < 1 || (delta > 1 && skips === 'never')))
    if (bad.length > 0 && bad.length === before.length) {
      const { operation: earlier, last, delta } = bad[0]
      const type = delta! > 1 ? 'poll-skip' : `nonmonotonic-${what}`
      const ids = [history.id[earlier.position], history.id[operation.position]]
      const message = () =>
        `a client ${what === 'poll' ? 'polled' : 'sent'} ${show(first.value, 30)} of key ${key} after ${show(last.value, 30)}, ${describe(log!, last, delta!)}`
      report.add(type, ids, message, { key, delta })
    }
    const place = { operation, last: ofKey.at(-1)! }
    if (operation.type === OK) positions.set(key, [place])
    else if (operation.type === INFO && what === 'poll' && before.length > 0) {
      positions.set(key, [...before, place].slice(-MAX_PLACES))
    }
  }
}

function describe(log: KeyLog, from: Message, delta: number): string {
  if (delta === 0) return 'the same place in the log'
  if (delta < 0) return `${-delta} places further back in the log`
  const at = log.indexOf(from.id)
  return `leaving out ${show(log.between(at, at + delta), 60)}`
}

function byKey(messages: readonly Message[]): Map<string, Message[]> {
  const groups = new Map<string, Message[]>()
  let key: string | null = null
  let group: Message[] = []
  for (const message of messages) {
    // Messages of one key mostly come together.
    if (message.key !== key) {
      key = message.key
      const known = groups.get(key)
      if (known === undefined) groups.set(key, (group = []))
      else group = known
    }
    group.push(message)
  }
  return groups
}
