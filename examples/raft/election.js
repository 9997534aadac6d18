// @ts-check
/**
 * Elections (§3.4), with pre-votes (§9.6) and leader stickiness (§4.2.3): a server asks first whether it could win, in a
 * term that it does not enter yet, and servers that hear a leader say no. So a server that comes back from a partition
 * cannot depose a leader that works. A leader can also hand over (§3.10): it tells a follower that has the whole log to
 * stand at once.
 *
 * @import { Raft } from './core.js'
 * @import { Message } from './types.ts'
 */
import { mutant } from '../mutants.js'
import { majorityOf } from './core.js'
import { broadcast, progressOf } from './replication.js'

/** No leader was heard for an election timeout. @param {Raft} raft */
export function electionTick(raft) {
  raft.electionMs = raft.now + raft.electionTimeout()
  raft.leader = null // clients must not be sent to a leader that is gone, not even by a server that was removed
  if (!mayStand(raft)) return
  raft.role = 'pre-candidate'
  raft.votes = new Set()
  askForVotes(raft, { type: 'pre-vote', term: raft.term + 1 })
}

/**
 * A member may stand. So may a server whose removal is not committed: it may be the only one that has the entry which
 * removes it (§4.2.2).
 * @param {Raft} raft
 */
function mayStand(raft) {
  if (raft.id in raft.members) return true
  const { index, members } = raft.log.members
  return index > raft.commit && Object.keys(members).length > 0
}

/** @param {Raft} raft @param {boolean} transfer */
function stand(raft, transfer) {
  raft.role = 'candidate'
  raft.leader = null
  raft.votes = new Set()
  raft.electionMs = raft.now + raft.electionTimeout()
  raft.voteFor(raft.id, raft.term + 1)
  raft.observe('stands', { term: raft.term, transfer })
  askForVotes(raft, { type: 'vote', term: raft.term, transfer })
}

/** @param {Raft} raft @param {{ type: 'pre-vote', term: number } | { type: 'vote', term: number, transfer: boolean }} question */
function askForVotes(raft, question) {
  const { lastIndex, lastTerm } = raft.log
  for (const id of Object.keys(raft.members)) {
    if (id !== raft.id) raft.send(id, { ...question, lastIndex, lastTerm })
  }
  countVote(raft, raft.id)
}

/** @param {Raft} raft @param {string} from @param {Extract<Message, { type: 'pre-vote' | 'vote' }>} message */
export function onVote(raft, from, message) {
  const { log } = raft
  const upToDate =
    message.lastTerm > log.lastTerm ||
    (message.lastTerm === log.lastTerm && message.lastIndex >= log.lastIndex) ||
    mutant('stale-log-elected')
  if (message.type === 'pre-vote') {
    const granted = upToDate && message.term > raft.term && !raft.hearsLeader
    if (!granted) raft.observe('pre-vote-refused', { from, term: message.term })
    raft.send(from, { type: 'pre-vote-reply', term: granted ? message.term : raft.term, granted })
    return
  }
  const free = raft.vote === null || raft.vote === from || mutant('votes-twice')
  const granted = free && upToDate
  if (granted) {
    raft.observe('votes', { candidate: from, term: raft.term })
    raft.voteFor(from, raft.term)
    raft.electionMs = raft.now + raft.electionTimeout()
  }
  raft.send(from, { type: 'vote-reply', term: raft.term, granted })
}

/** @param {Raft} raft @param {string} from @param {Extract<Message, { type: 'pre-vote-reply' | 'vote-reply' }>} message */
export function onVoteReply(raft, from, message) {
  if (!message.granted) return
  if (message.type === 'pre-vote-reply') {
    if (raft.role === 'pre-candidate' && message.term === raft.term + 1) countVote(raft, from)
  } else if (raft.role === 'candidate' && message.term === raft.term) countVote(raft, from)
}

/** @param {Raft} raft @param {string} from */
function countVote(raft, from) {
  if (from in raft.members) raft.votes.add(from)
  if (raft.votes.size < majorityOf(Object.keys(raft.members).length)) return
  if (raft.role === 'candidate') lead(raft)
  else if (mutant('pre-vote-counts-as-vote')) {
    raft.voteFor(raft.id, raft.term + 1)
    lead(raft)
  } else stand(raft, false)
}

/** @param {Raft} raft */
function lead(raft) {
  const { log } = raft
  raft.role = 'leader'
  raft.leader = raft.id
  raft.votes.clear()
  raft.progress = new Map()
  for (const id of Object.keys(raft.members)) progressOf(raft, id)
  raft.clock = { timeMs: log.lastTimeMs, nowMs: raft.now }
  raft.observe('elected', { term: raft.term })
  if (mutant('leader-drops-uncommitted') && log.lastIndex > raft.commit) raft.truncate(raft.commit + 1)
  // An entry of the new term: only with it can entries of older terms be committed (§3.6.2), only after it is
  // committed does this server know what is (§6.4), and only then may members change.
  appendAsLeader(raft, { kind: 'noop' })
  broadcast(raft)
}

/**
 * Appends an entry in this server's term, with cluster time: the last entry's time and what has gone by since.
 * @param {Raft} raft
 * @param {import('./types.ts').NewEntry} entry
 */
export function appendAsLeader(raft, entry) {
  const timeMs = raft.clock.timeMs + Math.max(0, Math.floor(raft.now - raft.clock.nowMs))
  const index = raft.log.lastIndex + 1
  raft.appendedMs = raft.now
  raft.appendEntry({ index, term: raft.term, timeMs, ...entry })
  return index
}

/** The leader asks this server to take over. @param {Raft} raft @param {string} from */
export function onTimeoutNow(raft, from) {
  if (raft.role !== 'follower' || raft.leader !== from || !mayStand(raft)) return
  raft.observe('takes-over', { from, term: raft.term + 1 })
  stand(raft, true)
}
