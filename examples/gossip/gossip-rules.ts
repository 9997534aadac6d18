/**
 * The rules of SWIM and Lifeguard, checked step by step from what members send each other (a tap on their UDP port) and
 * from the lines they print with `--trace on`. The rules hold in any weather; a member does not know that it is watched.
 *
 * A tap shows what is sent, not what arrives. So each rule allows what *may* have been heard: it never blames a member
 * for a packet that was lost.
 */
import type { Invariant, PublishedEvent, WireEvent } from 'wavetank'
import { lineOf, type Line, type MemberLine } from './gossip-lines.ts'

export const INTERVAL_MS = 200
const PROBE_TIMEOUT_MS = INTERVAL_MS / 2
/** Clusters of at most 10: the logarithm in SWIM's time-out is 1. */
const SUSPICION_MIN_MS = 4 * INTERVAL_MS
const CONFIRMATIONS = 3
const WORST_HEALTH = 9
/** Timers of Node go in whole milliseconds, and lines are seen a moment after they were decided. */
const CLOCK_MS = 3

interface Rumour {
  readonly id: string
  readonly status?: MemberLine['status']
  readonly incarnation: number
  readonly accuser?: string
}

interface Packet {
  readonly type: 'ping' | 'ping-req' | 'ack' | 'nack' | 'gossip'
  readonly from: string
  readonly sequence: number
  readonly to?: string
  readonly target?: { readonly id: string }
  readonly rumours: readonly Rumour[]
}

export const tap = {
  port: 7946,
  protocol: 'udp' as const,
  decode: () => (bytes: Uint8Array) => {
    const packet = JSON.parse(new TextDecoder().decode(bytes)) as Packet
    // Gossip of messages alone says nothing about the rules.
    return packet.type === 'gossip' && packet.rumours.every(({ status }) => status === undefined)
      ? []
      : [packet]
  },
}

/** What is known of one process since its boot. */
class Observer {
  incarnation = -1
  health = 1
  /** Member → what it is believed to be, and since when. */
  readonly beliefs = new Map<string, { status: MemberLine['status']; sinceMs: number; key: string }>()
}

interface Question {
  /** Ids that this packet was meant for: after a restart the same number is used again. */
  readonly targets: Set<string>
  /** Helpers that were asked: hosts. */
  readonly helpers: Set<string>
  atMs: number
}

const observers = new Map<string, Observer>()
/** `host>host sequence` → pings. */
const pings = new Map<string, Question>()
/** `host sequence id` → when the host last sent this member a ping of this number. */
const pingedMs = new Map<string, number>()
/** `host>host sequence` → requests to one helper. */
const requests = new Map<string, Question>()
/** `host sequence` → all requests for one probe. */
const probes = new Map<string, Question>()
/** `host sequence` → ids that sent an acknowledgement there, with their hosts. */
const acks = new Map<string, Map<string, string>>()
/** `host id` → ids of members that acknowledged something to this host. */
const ackedTo = new Map<string, Set<string>>()
/** `host id incarnation`: a packet with this death was sent there. */
const deathsSent = new Set<string>()
/** `id incarnation` → who accused it. */
const accusers = new Map<string, Set<string>>()

function at<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  let value = map.get(key)
  if (value === undefined) map.set(key, (value = make()))
  return value
}

const question = (): Question => ({ targets: new Set(), helpers: new Set(), atMs: 0 })

export const RULES = [
  'an acknowledgement answers a ping to its sender',
  'a probe succeeds by its own acknowledgement',
  'helpers are asked before an accusation',
  'who is accused or unanswered doubts itself',
  'a refutation raises the incarnation',
  'a suspect has its time before it is held for dead',
  'every start numbers its pings from a place of its own',
] as const

export type Rule = (typeof RULES)[number]

type Breaks = (rule: Rule, how: string) => void

function sees({ from, to, message }: WireEvent, nowMs: number, breaks: Breaks): void {
  const packet = message as Packet
  for (const { id, status, incarnation, accuser } of packet.rumours) {
    if (status === 'dead') deathsSent.add(`${to} ${id} ${incarnation}`)
    if (status === 'suspect')
      at(accusers, `${id} ${incarnation}`, () => new Set()).add(accuser ?? packet.from)
  }
  const { sequence } = packet
  if (packet.type === 'ping') {
    numbered(from, sequence, breaks)
    at(pings, `${from}>${to} ${sequence}`, question).targets.add(packet.to!)
    pingedMs.set(`${from} ${sequence} ${packet.to!}`, nowMs)
  }
  if (packet.type === 'ping-req') {
    const asked = at(requests, `${from}>${to} ${sequence}`, question)
    asked.targets.add(packet.target!.id)
    const probe = at(probes, `${from} ${sequence} ${packet.target!.id}`, question)
    probe.helpers.add(to)
    probe.atMs = nowMs
  }
  if (packet.type === 'ack') {
    const direct = pings.get(`${to}>${from} ${sequence}`)?.targets.has(packet.from) ?? false
    const relayed = [...(requests.get(`${to}>${from} ${sequence}`)?.targets ?? [])]
    const heard = ackedTo.get(from)
    if (!direct && !relayed.some((id) => heard?.has(id)))
      breaks(RULES[0], `${packet.from} acknowledges ping ${sequence} of ${to}, which was not meant for it`)
    at(acks, `${to} ${sequence}`, () => new Map<string, string>()).set(packet.from, from)
    at(ackedTo, to, () => new Set()).add(packet.from)
  }
}

/** Hosts that have started, and have sent no ping since. */
const silent = new Set<string>()
/** `host sequence`: a start whose first ping had this number. */
const firstPings = new Set<string>()

/** Numbers begin at random among 2^31, so two starts that begin with the same one did not draw it. */
function numbered(host: string, sequence: number, breaks: Breaks): void {
  if (!silent.delete(host)) return
  const key = `${host} ${sequence}`
  if (firstPings.has(key)) breaks(RULES[6], `two starts of ${host} begin with ping ${sequence}`)
  firstPings.add(key)
}

interface Context {
  readonly host: string
  readonly nowMs: number
  readonly lifeguard: boolean
  readonly breaks: Breaks
}

function probed(line: Extract<Line, { type: 'probe' }>, { host, nowMs, lifeguard, breaks }: Context): void {
  const { observer, target, sequence, acknowledged, health } = line
  const own = at(observers, host, () => new Observer())
  const asked = probes.get(`${host} ${sequence} ${target}`)
  if (acknowledged) {
    const answers = acks.get(`${host} ${sequence}`) ?? new Map<string, string>()
    if (![...answers].some(([id, from]) => id === target || asked?.helpers.has(from)))
      breaks(
        RULES[1],
        `${observer} takes ping ${sequence} to ${target} for answered; no acknowledgement of it was sent`,
      )
  } else {
    // Those who were known when the probe began; who became known later may have come too late to help.
    const begunMs = pingedMs.get(`${host} ${sequence} ${target}`) ?? -1
    const others = [...own.beliefs].filter(
      ([id, { status, sinceMs }]) =>
        id !== observer && id !== target && (status === 'alive' || status === 'suspect') && sinceMs < begunMs,
    )
    if (others.length > 0 && asked === undefined)
      breaks(
        RULES[2],
        `${observer} gives up ping ${sequence} to ${target}; it asked none of ${others.map(([id]) => id).join(', ')}`,
      )
    else if (asked !== undefined && nowMs - asked.atMs < INTERVAL_MS - PROBE_TIMEOUT_MS - CLOCK_MS)
      breaks(
        RULES[2],
        `${observer} gives up ping ${sequence} to ${target} ${Math.round(nowMs - asked.atMs)} ms after it asked others`,
      )
  }
  const least = acknowledged ? Math.max(1, own.health - 1) : Math.min(WORST_HEALTH, own.health + 1)
  if (lifeguard && (acknowledged ? health !== least : health < least))
    breaks(
      RULES[3],
      `${observer} had health ${own.health} and has ${health} after a probe that ${acknowledged ? 'succeeded' : 'failed'}`,
    )
  own.health = health
}

function refuted(line: Extract<Line, { type: 'refute' }>, { host, lifeguard, breaks }: Context): void {
  const own = at(observers, host, () => new Observer())
  const { observer, health } = line
  if (lifeguard && health !== Math.min(WORST_HEALTH, own.health + 1))
    breaks(RULES[3], `${observer} refutes an accusation and its health stays at ${health}`)
  own.health = health
}

function believes(line: MemberLine, { host, nowMs, lifeguard, breaks }: Context): void {
  const own = at(observers, host, () => new Observer())
  const { observer, id, incarnation, status } = line
  const key = `${id} ${incarnation}`
  if (id === observer && status === 'alive') {
    if (incarnation <= own.incarnation)
      breaks(RULES[4], `${observer} says again that it is alive at incarnation ${incarnation}`)
    own.incarnation = incarnation
  }
  const before = own.beliefs.get(id)
  own.beliefs.set(id, { status, sinceMs: nowMs, key })
  if (status !== 'dead' || id === observer || deathsSent.has(`${host} ${key}`)) return
  if (before?.status !== 'suspect' || before.key !== key) {
    breaks(
      RULES[5],
      `${observer} holds ${id} for dead at incarnation ${incarnation} without having suspected it`,
    )
    return
  }
  const known = new Set(accusers.get(key)).add(observer)
  const leastMs = lifeguard ? suspicionMs(Math.min(CONFIRMATIONS, known.size - 1)) : SUSPICION_MIN_MS
  if (nowMs - before.sinceMs < leastMs - CLOCK_MS)
    breaks(
      RULES[5],
      `${observer} holds ${id} for dead ${Math.round(nowMs - before.sinceMs)} ms after it suspected it; ` +
        `with ${known.size} ${known.size === 1 ? 'accuser' : 'accusers'} it must wait ${Math.round(leastMs)} ms`,
    )
}

/** Lifeguard's time-out: from six times the least down to it, by the logarithm of the confirmations. */
function suspicionMs(confirmations: number): number {
  const share = Math.log(confirmations + 1) / Math.log(CONFIRMATIONS + 1)
  return SUSPICION_MIN_MS * (6 - 5 * share)
}

/** The rules as invariants. One pass over the events judges all of them. */
export function gossipRules(lifeguard: boolean): Record<Rule, Invariant> {
  const broken = new Map<Rule, string>()
  const breaks: Breaks = (rule, how) => {
    if (!broken.has(rule)) broken.set(rule, how)
  }
  const take = ({ name, source, timeUs, data }: PublishedEvent): void => {
    const nowMs = timeUs / 1000
    if (name === 'process') {
      observers.delete(source)
      silent.add(source)
    }
    if (name === 'wire') sees(data as WireEvent, nowMs, breaks)
    const line = name === 'stdout' ? lineOf(data as string) : null
    if (line === null) return
    const context = { host: source, nowMs, lifeguard, breaks }
    if (line.type === 'member') believes(line, context)
    if (line.type === 'probe') probed(line, context)
    if (line.type === 'refute') refuted(line, context)
  }
  const rules = RULES.map((rule, index): [Rule, Invariant] => [
    rule,
    ({ events }) => {
      if (index === 0) for (const published of events) take(published)
      return broken.get(rule) ?? true
    },
  ])
  return Object.fromEntries(rules) as Record<Rule, Invariant>
}
