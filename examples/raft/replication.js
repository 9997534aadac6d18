// @ts-check
/**
 * Replication (§3.5), commitment (§3.6), snapshots in chunks (§5), and the leader's side of leadership transfer (§3.10)
 * and check-quorum (§6.2). A leader that does not know where a follower agrees sends it one message at a time; then
 * several may be under way (§10.2.1). What was lost is sent again after the next heartbeat that the follower answers.
 *
 * @import { Progress, Raft } from './core.js'
 * @import { Message, Snapshot } from './types.ts'
 */
import { mutant } from '../mutants.js'
import { reachedByMajority } from './core.js'
import { appendAsLeader } from './election.js'
import {
  answerReads,
  becomeMemberWhenReady,
  entryApplied,
  giveUpJoining,
  refuseTransfer,
} from './requests.js'

/** Messages with entries that a follower may leave unanswered. */
const MAX_IN_FLIGHT = 8

/** @param {Raft} raft */
export function leaderTick(raft) {
  const { now, options } = raft
  const heardMs = reachedByMajority(raft.members, (id) =>
    id === raft.id ? now : progressOf(raft, id).heardMs,
  )
  if (now - heardMs >= options.electionMs) {
    raft.observe('lost-quorum', { term: raft.term })
    if (!mutant('no-check-quorum')) return raft.follow(raft.term, null)
  }
  if (raft.transfer !== null && now >= raft.transfer.untilMs) refuseTransfer(raft)
  if (raft.joining !== null && now >= raft.joining.untilMs) giveUpJoining(raft)
  if (!raft.state.isEmpty && now - raft.appendedMs >= options.clockMs) appendAsLeader(raft, { kind: 'noop' })
  if (now >= raft.heartbeatMs) broadcast(raft)
}

/** Sends every server what it lacks, or a heartbeat. A new round. @param {Raft} raft */
export function broadcast(raft) {
  raft.round++
  raft.heartbeatMs = raft.now + raft.options.heartbeatMs
  for (const id of recipients(raft)) {
    const progress = progressOf(raft, id)
    if (!sendMore(raft, id, progress)) sendHeartbeat(raft, id, progress)
  }
  advanceCommit(raft)
  answerReads(raft)
}

/** Sends every server what it lacks. @param {Raft} raft */
export function replicate(raft) {
  for (const id of recipients(raft)) sendMore(raft, id, progressOf(raft, id))
  advanceCommit(raft)
}

/** @param {Raft} raft */
function recipients(raft) {
  const ids = Object.keys(raft.members).filter((id) => id !== raft.id)
  if (raft.joining !== null && !(raft.joining.id in raft.members)) ids.push(raft.joining.id)
  return ids
}

/** @param {Raft} raft @param {string} id @returns {Progress} */
export function progressOf(raft, id) {
  let progress = raft.progress.get(id)
  if (progress === undefined) {
    const next = raft.log.lastIndex + 1
    progress = {
      next,
      match: 0,
      probing: true,
      inFlight: 0,
      sentMs: raft.now,
      heardMs: raft.now,
      round: 0,
      snapshot: null,
    }
    raft.progress.set(id, progress)
  }
  return progress
}

/** A heartbeat tells of commitment no further than the follower is known to agree. @param {Raft} raft @param {string} id @param {Progress} progress */
function sendHeartbeat(raft, id, progress) {
  const commit = mutant('heartbeat-commits-unmatched') ? raft.commit : Math.min(raft.commit, progress.match)
  raft.send(id, { type: 'heartbeat', term: raft.term, commit, round: raft.round })
}

/** Sends entries, or a part of a snapshot; false when there is nothing to send. @param {Raft} raft @param {string} id @param {Progress} progress */
function sendMore(raft, id, progress) {
  if (progress.probing) return progress.inFlight === 0 && sendOne(raft, id, progress)
  let sent = false
  while (progress.inFlight < MAX_IN_FLIGHT && progress.next <= raft.log.lastIndex) {
    sendOne(raft, id, progress)
    sent = true
    if (progress.snapshot !== null) break
  }
  return sent
}

/** @param {Raft} raft @param {string} id @param {Progress} progress */
function sendOne(raft, id, progress) {
  const { log, term, options } = raft
  const prevIndex = progress.next - 1
  const prevTerm = log.termAt(prevIndex)
  if (prevTerm === undefined) {
    sendChunk(raft, id, progress)
    return true
  }
  const entries = log.slice(progress.next, options.batchEntries)
  if (entries.length === 0 && progress.match === prevIndex) return false
  if (!progress.probing) progress.next += entries.length
  progress.inFlight++
  progress.sentMs = raft.now
  raft.send(id, {
    type: 'append',
    term,
    prevIndex,
    prevTerm,
    entries,
    commit: raft.commit,
    round: raft.round,
  })
  return true
}

/** @param {Raft} raft @param {string} id @param {Progress} progress */
function sendChunk(raft, id, progress) {
  const { data, ...snapshot } = raft.log.snapshot
  if (progress.snapshot?.index !== snapshot.index) progress.snapshot = { index: snapshot.index, offset: 0 }
  const { offset } = progress.snapshot
  const chunk = data.slice(offset, offset + raft.options.chunkChars)
  const done = offset + chunk.length === data.length
  progress.probing = true
  progress.inFlight = 1
  progress.sentMs = raft.now
  raft.send(id, { type: 'snapshot', term: raft.term, snapshot, offset, chunk, done })
}

// The follower.

/** @param {Raft} raft @param {string} from */
function hearLeader(raft, from) {
  if (raft.role !== 'follower') raft.follow(raft.term, from)
  raft.leader = from
  raft.leaderHeardMs = raft.now
  raft.electionMs = raft.now + raft.electionTimeout()
}

/** @param {Raft} raft @param {string} from @param {Extract<Message, { type: 'append' }>} message */
export function onAppend(raft, from, message) {
  hearLeader(raft, from)
  const { log, term } = raft
  const { prevIndex, prevTerm, round } = message
  const ours = log.termAt(prevIndex)
  const known = prevIndex < log.firstIndex - 1 // compacted, so committed, so the same
  const agrees = known || ours === prevTerm || (mutant('conflict-by-index-only') && ours !== undefined)
  if (!agrees) {
    const hint = ours === undefined ? log.lastIndex + 1 : log.firstOfTerm(prevIndex)
    raft.send(from, { type: 'append-reply', term, ok: false, prevIndex, hint, round })
    return
  }
  for (const entry of message.entries) {
    if (entry.index < log.firstIndex) continue
    const present = log.termAt(entry.index)
    if (present === entry.term) continue
    if (present !== undefined) raft.truncate(entry.index)
    raft.appendEntry(entry)
  }
  const match = prevIndex + message.entries.length
  if (mutant('append-truncates') && log.lastIndex > match && match >= log.snapshot.index)
    raft.truncate(match + 1)
  commitTo(raft, Math.min(message.commit, match))
  raft.send(from, { type: 'append-reply', term, ok: true, match, round })
}

/** @param {Raft} raft @param {string} from @param {Extract<Message, { type: 'heartbeat' }>} message */
export function onHeartbeat(raft, from, message) {
  hearLeader(raft, from)
  commitTo(raft, Math.min(message.commit, raft.log.lastIndex))
  raft.send(from, { type: 'heartbeat-reply', term: raft.term, round: message.round })
}

/** @param {Raft} raft @param {string} from @param {Extract<Message, { type: 'snapshot' }>} message */
export function onSnapshot(raft, from, message) {
  hearLeader(raft, from)
  const { snapshot, offset, chunk, done } = message
  const { index, term } = snapshot
  const reply = (/** @type {number} */ received, /** @type {boolean} */ installed) =>
    raft.send(from, { type: 'snapshot-reply', term: raft.term, index, offset: received, done: installed })
  if (index <= raft.commit) return reply(0, true) // what it says is here already
  if (offset === 0) raft.arriving = { index, term, text: '' }
  const { arriving } = raft
  if (arriving === null || arriving.index !== index || arriving.term !== term) return reply(0, false)
  if (offset !== arriving.text.length) return reply(arriving.text.length, false)
  arriving.text += chunk
  if (!done) return reply(arriving.text.length, false)
  raft.arriving = null
  install(raft, { ...snapshot, data: arriving.text })
  reply(0, true)
}

/** @param {Raft} raft @param {Snapshot} snapshot */
function install(raft, snapshot) {
  raft.log.install(snapshot)
  raft.state.restore(snapshot.data)
  raft.commit = snapshot.index
  raft.snapshotChanged('installed')
}

// The leader hears back.

/** @param {Raft} raft @param {string} from @param {number} round @returns {Progress | null} */
function hearFollower(raft, from, round) {
  if (raft.role !== 'leader') return null
  const progress = raft.progress.get(from)
  if (progress === undefined) return null
  progress.heardMs = raft.now
  progress.round = Math.max(progress.round, round)
  return progress
}

/** @param {Raft} raft @param {string} from @param {Extract<Message, { type: 'append-reply' }>} message */
export function onAppendReply(raft, from, message) {
  const progress = hearFollower(raft, from, message.round)
  if (progress === null) return
  if (message.ok) {
    progress.inFlight = progress.probing ? 0 : Math.max(0, progress.inFlight - 1)
    progress.probing = false
    matched(raft, from, progress, message.match)
  } else if (
    progress.probing ? message.prevIndex === progress.next - 1 : message.prevIndex > progress.match
  ) {
    probeFrom(progress, Math.min(message.hint, message.prevIndex))
    sendMore(raft, from, progress)
  }
  answerReads(raft)
}

/** @param {Raft} raft @param {string} from @param {Extract<Message, { type: 'heartbeat-reply' }>} message */
export function onHeartbeatReply(raft, from, message) {
  const progress = hearFollower(raft, from, message.round)
  if (progress === null) return
  // What was sent before the last heartbeat and is not answered is taken for lost.
  const lost = progress.inFlight > 0 && raft.now - progress.sentMs >= raft.options.heartbeatMs
  if (lost) probeFrom(progress, progress.probing ? progress.next : progress.match + 1)
  sendMore(raft, from, progress)
  answerReads(raft)
}

/** @param {Raft} raft @param {string} from @param {Extract<Message, { type: 'snapshot-reply' }>} message */
export function onSnapshotReply(raft, from, message) {
  const progress = hearFollower(raft, from, 0)
  if (progress?.snapshot?.index !== message.index) return
  progress.inFlight = 0
  if (message.done) {
    progress.snapshot = null
    progress.probing = false
    matched(raft, from, progress, message.index)
  } else {
    progress.snapshot.offset = message.offset
    sendChunk(raft, from, progress)
  }
}

/** Asks a follower from an index on, with one message at a time. @param {Progress} progress @param {number} next */
function probeFrom(progress, next) {
  progress.next = Math.max(progress.match + 1, next)
  progress.probing = true
  progress.inFlight = 0
}

/** A follower's disk agrees with this log up to `match`. @param {Raft} raft @param {string} id @param {Progress} progress @param {number} match */
function matched(raft, id, progress, match) {
  progress.match = Math.max(progress.match, match)
  progress.next = Math.max(progress.next, progress.match + 1)
  advanceCommit(raft)
  if (raft.role !== 'leader') return // it committed its own removal
  if (!sendMore(raft, id, progress)) handOverWhenReady(raft)
  becomeMemberWhenReady(raft)
}

/** Commits what a majority has, if it is of this term (§3.6.2): older entries follow with it. @param {Raft} raft */
export function advanceCommit(raft) {
  const countsItself = mutant('removed-leader-counts') ? { ...raft.members, [raft.id]: true } : raft.members
  const index = reachedByMajority(/** @type {any} */ (countsItself), (id) =>
    id === raft.id ? raft.log.lastIndex : progressOf(raft, id).match,
  )
  if (index <= raft.commit) return
  if (raft.log.termAt(index) !== raft.term && !mutant('commits-old-term')) return
  commitTo(raft, index)
}

/** @param {Raft} raft @param {number} index */
function commitTo(raft, index) {
  if (index <= raft.commit) return
  raft.observe('commit', { index, role: raft.role, term: raft.term })
  while (raft.commit < index) {
    raft.commit++
    const entry = raft.log.at(raft.commit)
    if (entry === undefined) throw new Error(`entry ${raft.commit} is committed but not in the log`)
    entryApplied(raft, entry, raft.state.apply(entry))
  }
  if (raft.commit - raft.log.snapshot.index >= raft.options.snapshotEntries) takeSnapshot(raft)
  leaveWhenRemoved(raft)
}

/** @param {Raft} raft */
function takeSnapshot(raft) {
  const { log, commit: index } = raft
  const entry = /** @type {import('./types.ts').Entry} */ (log.at(index))
  const members = mutant('snapshot-forgets-members') ? log.snapshot.members : log.membersAt(index)
  const { term, timeMs } = entry
  log.compact({ index, term, timeMs, members, data: raft.state.snapshot() }, raft.options.trailingEntries)
  raft.snapshotChanged('taken')
}

/** A leader that is no member any more leads until its removal is committed (§4.2.2). @param {Raft} raft */
function leaveWhenRemoved(raft) {
  if (raft.role !== 'leader' || raft.id in raft.members || raft.log.members.index > raft.commit) return
  broadcast(raft) // the others learn that it is committed
  raft.follow(raft.term, null)
}

/** Tells the successor to stand when it has the whole log. @param {Raft} raft */
export function handOverWhenReady(raft) {
  const { transfer, log } = raft
  if (transfer === null || transfer.sent) return
  const { match } = progressOf(raft, transfer.to)
  if (match < log.lastIndex && !mutant('transfer-without-catching-up')) return
  transfer.sent = true
  raft.observe('hands-over', { to: transfer.to, lastIndex: log.lastIndex, lastTerm: log.lastTerm })
  raft.send(transfer.to, { type: 'timeout-now', term: raft.term })
}
