// @ts-check
/**
 * Raft as one pure state machine: `step(input, now)` takes a tick, a message or a client's request and returns effects.
 * It opens no socket or file and reads no clock, so the same inputs always give the same effects. It follows Diego
 * Ongaro's dissertation, "Consensus: Bridging Theory and Practice" (2014); section numbers below are its own.
 *
 * The rule for the shell that performs the effects: first make every `persist` and `snapshot` of a batch durable, then send its
 * messages and replies. With that rule a server may treat its own log as durable at once, because nothing it concludes
 * from it leaves the server earlier.
 *
 * - election.js: pre-vote, votes, leader stickiness, leadership transfer (§3.4, §3.10, §4.2.3, §9.6);
 * - replication.js: appending, committing, snapshots in chunks (§3.5, §3.6, §5);
 * - requests.js: commands, linearizable reads, membership changes (§4, §6.3, §6.4).
 *
 * @import { Effect, Entry, Input, Members, Observe, RaftOptions, Recovered, Refusal, StateMachine } from './types.ts'
 */
import { mutant } from '../mutants.js'
import { electionTick, onTimeoutNow, onVote, onVoteReply } from './election.js'
import { Log } from './log.js'
import {
  onAppend,
  onAppendReply,
  onHeartbeat,
  onHeartbeatReply,
  onSnapshot,
  onSnapshotReply,
  leaderTick,
} from './replication.js'
import { abandonRequests, onRequest } from './requests.js'
import { Sessions } from './sessions.js'

/** @type {RaftOptions} */
export const DEFAULTS = {
  electionMs: 2000,
  heartbeatMs: 500,
  snapshotEntries: 1000,
  trailingEntries: 100,
  chunkChars: 65_536,
  batchEntries: 100,
  maxPending: 1000,
  sessionTtlMs: 60_000,
  clockMs: 15_000,
}

/**
 * What a leader knows of another server.
 * @typedef {object} Progress
 * @property {number} next the next entry to send
 * @property {number} match entries up to this one are on its disk
 * @property {boolean} probing it is not known where the logs agree: one message at a time
 * @property {number} inFlight messages with entries or chunks that it has not answered
 * @property {number} sentMs when the last of them was sent
 * @property {number} heardMs when it last answered
 * @property {number} round the newest round of messages that it answered
 * @property {{ index: number, offset: number } | null} snapshot the snapshot that is being sent
 */

export class Raft {
  /** @type {'follower' | 'pre-candidate' | 'candidate' | 'leader'} */
  role = 'follower'
  /** @type {string | null} */
  leader = null
  commit = 0
  now = 0
  /** When an election begins unless a leader is heard before. */
  electionMs = 0
  /** When a leader was last heard; the lease of leader stickiness begins here. */
  leaderHeardMs = -Infinity
  /** @type {Set<string>} */
  votes = new Set()
  /** @type {Map<string, Progress>} */
  progress = new Map()
  heartbeatMs = 0
  /** Every broadcast of a leader has a number, so that an answer proves when this server was still the leader. */
  round = 0
  /** Requests by the index of their entry. @type {Map<number, number>} */
  pending = new Map()
  /** @type {{ id: number, request: number, query: unknown, index: number, round: number }[]} */
  reads = []
  /** @type {{ to: string, request: number, untilMs: number, sent: boolean } | null} */
  transfer = null
  /** A server that is being brought up to date before it becomes a member. @type {{ id: string, member: import('./types.ts').Member, request: number, untilMs: number, target: number, roundMs: number } | null} */
  joining = null
  /** A snapshot that is arriving. @type {{ index: number, term: number, text: string } | null} */
  arriving = null
  /** Cluster time and local time when this server became the leader. */
  clock = { timeMs: 0, nowMs: 0 }
  /** When this server last appended an entry as the leader. */
  appendedMs = 0
  readsAsked = 0

  /** @type {Effect[]} */
  #effects = []
  /** The first entry that was changed in this step. */
  #changedFrom = Infinity
  #stateChanged = false

  /**
   * @param {object} given
   * @param {string} given.id
   * @param {RaftOptions} given.options
   * @param {StateMachine} given.machine
   * @param {() => number} given.random in 0 … 1
   * @param {Observe} [given.observe]
   * @param {Recovered} recovered
   * @param {number} now
   */
  constructor({ id, options, machine, random, observe = () => {} }, recovered, now) {
    this.id = id
    this.options = options
    this.random = random
    this.observe = observe
    this.state = new Sessions(machine, observe)
    this.term = recovered.term
    this.vote = recovered.vote
    this.log = new Log(recovered.snapshot, recovered.entries)
    this.commit = recovered.snapshot.index
    if (recovered.snapshot.index > 0) this.state.restore(recovered.snapshot.data)
    this.now = now
    this.electionMs = now + this.electionTimeout()
    const { index, term, members } = recovered.snapshot
    observe('recovered', {
      term: this.term,
      vote: this.vote,
      snapshot: { index, term, members },
      entries: recovered.entries,
    })
  }

  /** The members in force. */
  get members() {
    return this.log.members.members
  }

  /** When `step` wants a tick. */
  get deadlineMs() {
    if (this.role !== 'leader') return this.electionMs
    const { transfer, joining } = this
    return Math.min(this.heartbeatMs, transfer?.untilMs ?? Infinity, joining?.untilMs ?? Infinity)
  }

  /**
   * @param {Input} input
   * @param {number} now milliseconds of a clock that never goes back
   * @returns {Effect[]} in the order in which they are to be performed
   */
  step(input, now) {
    this.now = now
    if (input.type === 'tick') this.#tick()
    else if (input.type === 'message') this.#receive(input.from, input.message)
    else onRequest(this, input)
    return this.#takeEffects()
  }

  #tick() {
    if (this.role === 'leader') leaderTick(this)
    else if (this.now >= this.electionMs) electionTick(this)
  }

  /** @param {string} from @param {import('./types.ts').Message} message */
  #receive(from, message) {
    if (message.term > this.term && !this.#isHypothetical(message)) {
      // A server that hears a leader ignores candidates (§4.2.3), unless that leader asked for the election.
      if (message.type === 'vote' && !message.transfer && this.hearsLeader) {
        this.observe('vote-ignored', { from, term: message.term })
        return
      }
      if (mutant('term-not-adopted')) this.follow(this.term, null)
      else this.follow(message.term, null)
    }
    if (message.term < this.term && !mutant('stale-message-accepted')) {
      this.#answerStale(from, message)
      return
    }
    switch (message.type) {
      case 'pre-vote':
      case 'vote':
        return onVote(this, from, message)
      case 'pre-vote-reply':
      case 'vote-reply':
        return onVoteReply(this, from, message)
      case 'append':
        return onAppend(this, from, message)
      case 'append-reply':
        return onAppendReply(this, from, message)
      case 'heartbeat':
        return onHeartbeat(this, from, message)
      case 'heartbeat-reply':
        return onHeartbeatReply(this, from, message)
      case 'snapshot':
        return onSnapshot(this, from, message)
      case 'snapshot-reply':
        return onSnapshotReply(this, from, message)
      case 'timeout-now':
        return onTimeoutNow(this, from)
    }
  }

  /** A pre-vote and the consent to one speak of a term that has not begun. @param {import('./types.ts').Message} message */
  #isHypothetical(message) {
    return message.type === 'pre-vote' || (message.type === 'pre-vote-reply' && message.granted)
  }

  /** An old leader or candidate learns the term from the answer; old answers are of no use. @param {string} from @param {import('./types.ts').Message} message */
  #answerStale(from, message) {
    const { term } = this
    switch (message.type) {
      case 'pre-vote':
        return this.send(from, { type: 'pre-vote-reply', term, granted: false })
      case 'vote':
        return this.send(from, { type: 'vote-reply', term, granted: false })
      case 'append':
      case 'heartbeat':
      case 'snapshot':
        return this.send(from, { type: 'heartbeat-reply', term, round: 0 })
    }
  }

  /** Whether a leader was heard so recently that there can be no need for another. */
  get hearsLeader() {
    return this.role === 'leader' || this.now < this.leaderHeardMs + this.options.electionMs
  }

  electionTimeout() {
    return Math.floor(this.options.electionMs * (1 + this.random()))
  }

  /** Becomes a follower, in this term or a later one. @param {number} term @param {string | null} leader */
  follow(term, leader) {
    const stepsDown = this.role === 'leader'
    if (term > this.term) {
      this.term = term
      this.vote = null
      this.#stateChanged = true
    }
    this.role = 'follower'
    this.leader = leader
    this.votes.clear()
    this.electionMs = this.now + this.electionTimeout()
    if (!stepsDown) return
    this.observe('stepped-down', { term })
    abandonRequests(this)
    this.progress.clear()
  }

  /** @param {string | null} candidate @param {number} term */
  voteFor(candidate, term) {
    this.term = term
    this.vote = candidate
    this.#stateChanged = true
  }

  // The log: every change goes through these, so that a step knows what it must persist.

  /** @param {Entry} entry */
  appendEntry(entry) {
    this.log.append(entry)
    this.#changedFrom = Math.min(this.#changedFrom, entry.index)
    this.observe('append', { entry, role: this.role, term: this.term, commit: this.commit })
  }

  /** @param {number} from */
  truncate(from) {
    this.log.truncate(from)
    this.observe('truncate', { from, members: Object.keys(this.members) })
    this.#changedFrom = Math.min(this.#changedFrom, from)
  }

  /** The log of this server begins with another snapshot now; the disk must too. @param {'taken' | 'installed'} how */
  snapshotChanged(how) {
    const { snapshot } = this.log
    const { index, term, members } = snapshot
    this.observe(`snapshot-${how}`, { index, term, members, entries: this.log.slice(index + 1) })
    this.#effects.push({
      type: 'snapshot',
      snapshot,
      term: this.term,
      vote: this.vote,
      entries: this.log.slice(index + 1),
    })
    this.#changedFrom = Infinity
    this.#stateChanged = false
  }

  // Effects.

  /** @param {string} to @param {import('./types.ts').Message} message */
  send(to, message) {
    this.#effects.push({ type: 'send', to, message })
  }

  /** @param {number} request @param {unknown} value */
  reply(request, value) {
    this.#effects.push({ type: 'reply', request, value })
  }

  /** @param {number} request @param {Refusal['code']} code @param {string} message */
  refuse(request, code, message) {
    const id = this.leader
    const api = id === null ? undefined : this.members[id]?.api
    const leader = id === null || api === undefined ? null : { id, api }
    this.#effects.push({ type: 'refuse', request, refusal: { code, message, leader } })
  }

  /** @returns {Effect[]} */
  #takeEffects() {
    const effects = this.#effects
    this.#effects = []
    if (this.#changedFrom === Infinity && !this.#stateChanged) return effects
    const { term, vote } = this
    const from = this.#changedFrom
    const record = from === Infinity ? { term, vote } : { term, vote, from, entries: this.log.slice(from) }
    this.#changedFrom = Infinity
    this.#stateChanged = false
    return [...effects, { type: 'persist', record }]
  }
}

/** How many of `count` servers are a majority. @param {number} count */
export function majorityOf(count) {
  return mutant('half-is-a-majority') ? Math.ceil(count / 2) : Math.floor(count / 2) + 1
}

/** The greatest value that a majority of members has reached. @param {Members} members @param {(id: string) => number} valueOf */
export function reachedByMajority(members, valueOf) {
  const values = Object.keys(members).map(valueOf)
  values.sort((a, b) => b - a)
  return values[majorityOf(values.length) - 1] ?? -Infinity
}
