/**
 * What a gossip cluster promises, read from the lines its members print: each belief that changes and each message that
 * arrives. The members do not know that they are watched.
 */
import { alwaysAtMost, situation, type Invariant } from 'wavetank'
import { lineOf, type MemberLine } from './gossip-lines.ts'

interface Belief {
  readonly incarnation: number
  readonly status: MemberLine['status']
}

/** Observer → member → belief. A member that boots again begins with nothing. */
const beliefs = new Map<string, Map<string, Belief>>()

/** With equal incarnations only worse news is news; a better word needs a higher incarnation. */
export const newsOverridesByTheRules: Invariant = ({ events }) => {
  for (const published of events) {
    if (published.name === 'process') {
      beliefs.delete(published.source)
      continue
    }
    const line = published.name === 'stdout' ? lineOf(published.data as string) : null
    if (line?.type !== 'member') continue
    const { observer, id, incarnation, status } = line
    let view = beliefs.get(observer)
    if (view === undefined) beliefs.set(observer, (view = new Map()))
    const before = view.get(id)
    view.set(id, { incarnation, status })
    if (before === undefined) continue
    if (incarnation < before.incarnation)
      return `${observer} believed ${id} ${before.status} at incarnation ${before.incarnation}, and now an older word, ${status} at ${incarnation}`
    const order = ['alive', 'suspect', 'dead', 'left']
    if (incarnation === before.incarnation && order.indexOf(status) < order.indexOf(before.status))
      return `${observer} believes ${id} ${status} again at incarnation ${incarnation}, at which it was ${before.status}`
  }
  return true
}

/** The highest incarnation that each member gave itself. */
const given = new Map<string, number>()

/** Only a member raises its own incarnation. */
export const incarnationsAreOnesOwn: Invariant = ({ events }) => {
  for (const { data } of events.fresh('stdout')) {
    const line = lineOf(data)
    if (line?.type !== 'member') continue
    const { observer, id, incarnation } = line
    const own = given.get(id) ?? 0
    if (observer === id) given.set(id, Math.max(own, incarnation))
    else if (incarnation > own)
      return `${observer} heard of ${id} at incarnation ${incarnation}; it never had more than ${own}`
  }
  return true
}

let anyFault = false

/** Without a fault, no member is ever held for dead. */
export const noDeathWithoutFault: Invariant = ({ events }) => {
  for (const published of events) {
    if (published.name === 'fault') anyFault = true
    if (published.name === 'process') {
      const { change, ordered } = published.data as { change: string; ordered: boolean }
      if (change === 'exit' && ordered) anyFault = true
    }
    if (anyFault || published.name !== 'stdout') continue
    const line = lineOf(published.data as string)
    if (line?.type === 'member' && line.status === 'dead') return `${line.observer} holds ${line.id} for dead`
  }
  return true
}

/** Observer and message. */
const delivered = new Set<string>()

/** A member delivers a message once, between two boots. */
export const deliversOnce: Invariant = ({ events }) => {
  for (const published of events) {
    if (published.name === 'process') {
      for (const key of delivered) if (key.startsWith(`${published.source} `)) delivered.delete(key)
      continue
    }
    const line = published.name === 'stdout' ? lineOf(published.data as string) : null
    if (line?.type !== 'deliver') continue
    const key = `${line.observer} ${line.id}`
    if (delivered.has(key)) return `${line.observer} delivers ${line.id} twice`
    delivered.add(key)
  }
  return true
}

const GOSSIP_INTERVAL_US = 200_000

/** Message → when it began, and how many have heard it. */
const spreading = new Map<string, { readonly sinceUs: number; heard: number }>()

/** Rounds that messages took to reach all, in a run without faults so far. */
const rounds: number[] = []

/**
 * Without faults a message reaches all in a number of rounds that grows with the logarithm of the cluster. That is a
 * statement about most messages: rumours are sent a limited number of times to random members, and the few that miss a
 * member wait for anti-entropy. So the promise is about the median of a run; the report has its highest value.
 */
export function spreadsInLogarithmicRounds(members: () => number): Invariant {
  return ({ events }) => {
    for (const { data, timeUs } of events.fresh('stdout')) {
      const line = lineOf(data)
      if (line?.type === 'member') noteSituations(line)
      if (line?.type !== 'deliver' || anyFault) continue
      const message = spreading.get(line.id) ?? { sinceUs: timeUs, heard: 0 }
      spreading.set(line.id, message)
      message.heard++
      if (message.heard === members()) rounds.push((timeUs - message.sinceUs) / GOSSIP_INTERVAL_US)
    }
    return true
  }
}

/** A median of fewer says little. */
const ENOUGH_MESSAGES = 5

const MEDIAN_ROUNDS = 'rounds to reach all, median'

/** At the end of a run: the median of the rounds against ceil(log2 n), and one for the phases of the members' timers. */
export function checkRounds(members: number): void {
  if (anyFault || rounds.length < ENOUGH_MESSAGES) return
  const median = rounds.sort((a, b) => a - b)[Math.floor(rounds.length / 2)]
  alwaysAtMost(Math.ceil(median), Math.ceil(Math.log2(members)) + 1, MEDIAN_ROUNDS)
}

const suspectedBy = new Map<string, Set<string>>()

/** What a storm should bring about; without faults none of it may occur. */
function noteSituations({ observer, id, status, incarnation }: MemberLine): void {
  if (!anyFault) return
  const suspects = suspectedBy.get(observer) ?? new Set()
  suspectedBy.set(observer, suspects)
  const situations = {
    'a member is held for dead': status === 'dead',
    'a member leaves': status === 'left',
    'a suspect refutes in time': status === 'alive' && suspects.has(id) && observer !== id,
    'a member refutes an accusation': status === 'alive' && incarnation > 0 && observer === id,
  }
  for (const [name, occurs] of Object.entries(situations)) situation(name, occurs)
  if (status === 'suspect') suspects.add(id)
}
