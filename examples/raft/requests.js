// @ts-check
/**
 * What clients ask of a leader: to open a session, to order a command (§6.3), to answer a query from a state that is not
 * old (§6.4), to change the members one at a time (§4), to hand over (§3.10). Every request gets one reply or refusal.
 *
 * @import { Raft } from './core.js'
 * @import { Entry, Input } from './types.ts'
 * @import { Outcome } from './sessions.js'
 */
import { mutant } from '../mutants.js'
import { reachedByMajority } from './core.js'
import { appendAsLeader } from './election.js'
import { broadcast, handOverWhenReady, progressOf, replicate } from './replication.js'

/** How many rounds a new server may take to come up to date (§4.2.1). */
const CATCH_UP_TIMEOUTS = 10

const MESSAGES = {
  'session-expired': 'the session does not exist any more; open a new one',
  'stale-sequence': 'a later command of this session was ordered already',
}

/** @typedef {Exclude<Input, { type: 'tick' | 'message' }>} Request */

/** @param {Raft} raft @param {Request} input */
export function onRequest(raft, input) {
  const { request } = input
  if (raft.role !== 'leader') return raft.refuse(request, 'not-leader', 'this server is not the leader')
  if (input.type === 'query') return ask(raft, request, input.query)
  if (raft.transfer !== null) return raft.refuse(request, 'transferring', 'the leader is handing over')
  switch (input.type) {
    case 'register':
      return order(raft, request, { kind: 'register', ttlMs: raft.options.sessionTtlMs })
    case 'command': {
      const { session, sequence, command } = input
      return order(raft, request, { kind: 'command', session, sequence, command })
    }
    case 'add':
      return add(raft, input)
    case 'remove':
      return remove(raft, input)
    case 'transfer':
      return transfer(raft, input)
  }
}

/** @param {Raft} raft @param {number} request @param {import('./types.ts').NewEntry} entry */
function order(raft, request, entry) {
  if (raft.log.lastIndex - raft.commit >= raft.options.maxPending)
    return raft.refuse(request, 'overloaded', `${raft.options.maxPending} entries wait for commitment`)
  raft.pending.set(appendAsLeader(raft, entry), request)
  replicate(raft)
}

/** @param {Raft} raft @param {Entry} entry @param {Outcome} outcome */
export function entryApplied(raft, entry, outcome) {
  const request = raft.pending.get(entry.index)
  if (request === undefined) return
  raft.pending.delete(entry.index)
  if ('error' in outcome) raft.refuse(request, outcome.error, MESSAGES[outcome.error])
  else raft.reply(request, entry.kind === 'members' ? { members: entry.members } : outcome.value)
}

// Queries.

/** Whether this leader has committed an entry of its term, and so knows what is committed. @param {Raft} raft */
function knowsCommit(raft) {
  return raft.log.termAt(raft.commit) === raft.term
}

/** @param {Raft} raft @param {number} request @param {unknown} query */
function ask(raft, request, query) {
  const id = ++raft.readsAsked
  raft.observe('read-asked', { id, round: raft.round + 1 })
  const ready = knowsCommit(raft) || mutant('read-before-noop')
  if (!ready) raft.observe('read-waits', { id })
  const index = ready ? raft.commit : Infinity
  raft.reads.push({ id, request, query, index, round: raft.round + 1 })
  broadcast(raft)
}

/**
 * Answers the queries whose round a majority has answered: this server was still the leader after they were asked, so
 * nothing was committed elsewhere before. What is committed here is applied here.
 * @param {Raft} raft
 */
export function answerReads(raft) {
  if (raft.reads.length === 0) return
  if (knowsCommit(raft)) for (const read of raft.reads) read.index = Math.min(read.index, raft.commit)
  const round = mutant('read-without-quorum')
    ? Infinity
    : reachedByMajority(raft.members, (id) => (id === raft.id ? Infinity : progressOf(raft, id).round))
  const waiting = []
  for (const read of raft.reads) {
    if (read.round > round || read.index > raft.commit) waiting.push(read)
    else {
      raft.observe('read-served', { id: read.id, index: raft.commit })
      raft.reply(read.request, raft.state.query(read.query))
    }
  }
  raft.reads = waiting
}

// Members.

/** Why members cannot change now; null when they can. @param {Raft} raft @param {number} request */
function changeRefused(raft, request) {
  if (!knowsCommit(raft) && !mutant('change-before-noop')) {
    // Without this wait two leaders can each change the members in a way the other does not see (Ongaro, raft-dev
    // mailing list, July 2015).
    raft.refuse(request, 'not-ready', 'the leader has not committed an entry of its term yet')
    return true
  }
  const pending = raft.log.members.index > raft.commit && !mutant('two-changes-at-once')
  if (pending || raft.joining !== null) {
    raft.refuse(request, 'change-pending', 'another change of members is not committed yet')
    return true
  }
  return false
}

/** @param {Raft} raft @param {Extract<Input, { type: 'add' }>} input */
function add(raft, { request, id, member }) {
  if (id in raft.members) return raft.refuse(request, 'no-change', `${id} is a member already`)
  if (changeRefused(raft, request)) return
  raft.progress.delete(id)
  const untilMs = raft.now + CATCH_UP_TIMEOUTS * raft.options.electionMs
  raft.joining = { id, member, request, untilMs, target: raft.log.lastIndex, roundMs: raft.now }
  raft.observe('joining', { id, peer: member.peer })
  replicate(raft)
  becomeMemberWhenReady(raft)
}

/**
 * A new server becomes a member when it has caught up so quickly that what it still lacks is less than an election
 * timeout's worth (§4.2.1); a member that lags would be a gap in the majority.
 * @param {Raft} raft
 */
export function becomeMemberWhenReady(raft) {
  const { joining } = raft
  if (joining === null || progressOf(raft, joining.id).match < joining.target) return
  if (raft.now - joining.roundMs >= raft.options.electionMs) {
    joining.target = raft.log.lastIndex
    joining.roundMs = raft.now
    return
  }
  raft.joining = null
  changeMembers(raft, joining.request, { ...raft.members, [joining.id]: joining.member })
}

/** @param {Raft} raft */
export function giveUpJoining(raft) {
  const { joining } = raft
  if (joining === null) return
  raft.joining = null
  raft.progress.delete(joining.id)
  raft.refuse(joining.request, 'catch-up-timeout', `${joining.id} did not come up to date in time`)
}

/** @param {Raft} raft @param {Extract<Input, { type: 'remove' }>} input */
function remove(raft, { request, id }) {
  if (!(id in raft.members)) return raft.refuse(request, 'no-change', `${id} is no member`)
  if (Object.keys(raft.members).length === 1)
    return raft.refuse(request, 'no-change', 'the last member cannot be removed')
  if (changeRefused(raft, request)) return
  const rest = Object.entries(raft.members).filter(([each]) => each !== id)
  changeMembers(raft, request, Object.fromEntries(rest))
}

/** @param {Raft} raft @param {number} request @param {import('./types.ts').Members} members */
function changeMembers(raft, request, members) {
  raft.pending.set(appendAsLeader(raft, { kind: 'members', members }), request)
  raft.observe('members', { members: Object.keys(members) })
  replicate(raft)
}

// Transfer.

/** @param {Raft} raft @param {Extract<Input, { type: 'transfer' }>} input */
function transfer(raft, { request, to }) {
  const others = Object.keys(raft.members).filter((id) => id !== raft.id)
  const successor = to ?? others.sort((a, b) => progressOf(raft, b).match - progressOf(raft, a).match)[0]
  if (successor === raft.id) return raft.reply(request, { successor })
  if (successor === undefined || !(successor in raft.members))
    return raft.refuse(request, 'unknown-member', `${to ?? 'another server'} is no member`)
  raft.transfer = { to: successor, request, untilMs: raft.now + raft.options.electionMs, sent: false }
  replicate(raft)
  handOverWhenReady(raft)
}

/** The successor did not take over in time; this server goes on. @param {Raft} raft */
export function refuseTransfer(raft) {
  const { transfer } = raft
  if (transfer === null) return
  raft.transfer = null
  raft.refuse(transfer.request, 'transfer-timeout', `${transfer.to} did not take over in time`)
}

/** This server is no leader any more: what was asked of it has no answer here. @param {Raft} raft */
export function abandonRequests(raft) {
  const message = 'this server is not the leader any more; the outcome is unknown'
  for (const request of raft.pending.values()) raft.refuse(request, 'leadership-lost', message)
  for (const { request } of raft.reads) raft.refuse(request, 'leadership-lost', message)
  raft.pending.clear()
  raft.reads = []
  giveUpJoining(raft)
  const { transfer } = raft
  raft.transfer = null
  if (transfer === null) return
  if (transfer.sent) raft.reply(transfer.request, { successor: transfer.to })
  else raft.refuse(transfer.request, 'leadership-lost', message)
}
