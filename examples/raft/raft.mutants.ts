/**
 * The mutants of Raft: one guard removed each, by a switch in the source (../mutants.js). Each has the least level that
 * shows it and the rule that must catch it. `npm run mutants -- --system raft` runs them.
 */
import { simulation, type LevelName, type Simulation } from 'wavetank'
import { raftCluster } from './raft-cluster.ts'
import type { RaftClient } from './client.js'

export interface Mutant {
  readonly name: string
  readonly level: LevelName
  /** The invariant, checker or detector that may catch it. */
  readonly rules: readonly string[]
  readonly simulation: string
}

export const MUTANTS: Mutant[] = []
/** Those that show only where disks rot. */
const ROTTEN = new Set(['checksum-ignored'])

function mutant(name: string, level: LevelName, ...rules: string[]): Simulation<RaftClient> {
  MUTANTS.push({ name, level, rules, simulation: `raft ${name}` })
  return simulation(
    `raft ${name}`,
    raftCluster(ROTTEN.has(name) ? { mutant: name, rot: () => {} } : { mutant: name }),
  )
}

// Elections.
export const votesTwice = mutant(
  'votes-twice',
  'stormy',
  'a server votes once in a term',
  'a term has at most one leader',
)
export const staleLogElected = mutant(
  'stale-log-elected',
  'stormy',
  'a vote goes to a log that is as new as the voter’s',
)
export const preVoteCounts = mutant(
  'pre-vote-counts-as-vote',
  'sunny',
  'a leader has the votes of a majority',
)
export const termNotAdopted = mutant('term-not-adopted', 'sunny', 'an answer has the term of its question')
export const staleMessageAccepted = mutant(
  'stale-message-accepted',
  'stormy',
  'an answer has the term of its question',
)
export const noCheckQuorum = mutant('no-check-quorum', 'stormy', 'a leader that hears no majority steps down')
export const transferWithoutCatchingUp = mutant(
  'transfer-without-catching-up',
  'stormy',
  'a successor has the whole log',
)

// The log.
export const appendTruncates = mutant(
  'append-truncates',
  'stormy',
  'a committed entry is never truncated',
  'an entry is on the disk before it is acknowledged',
)
export const conflictByIndexOnly = mutant(
  'conflict-by-index-only',
  'stormy',
  'logs that agree on an entry agree on all before it',
)
export const leaderDropsUncommitted = mutant('leader-drops-uncommitted', 'stormy', 'a leader only appends')
export const heartbeatCommitsUnmatched = mutant(
  'heartbeat-commits-unmatched',
  'stormy',
  'servers apply the same entries',
)

// Commitment.
export const commitsOldTerm = mutant(
  'commits-old-term',
  'stormy',
  'a leader commits by counting only in its own term',
)
export const halfIsAMajority = mutant(
  'half-is-a-majority',
  'stormy',
  'a leader has the votes of a majority',
  'a committed entry is on the disks of a majority',
)
export const removedLeaderCounts = mutant(
  'removed-leader-counts',
  'stormy',
  'a committed entry is on the disks of a majority',
)

// The disk.
export const voteBeforeSync = mutant(
  'vote-before-sync',
  'sunny',
  'a vote is on the disk before it is answered',
)
export const appendBeforeSync = mutant(
  'append-before-sync',
  'sunny',
  'an entry is on the disk before it is acknowledged',
)
export const folderNotSynced = mutant(
  'folder-not-synced',
  'sunny',
  'a vote is on the disk before it is answered',
  'an entry is on the disk before it is acknowledged',
)
export const snapshotNotSynced = mutant('snapshot-not-synced', 'stormy', 'what is synced is whole')
export const checksumIgnored = mutant(
  'checksum-ignored',
  'radioactive',
  'a server keeps its promises over a restart',
  'logs that agree on an entry agree on all before it',
  'servers apply the same entries',
  'a server ends only for a reason',
)

// Members.
export const twoChangesAtOnce = mutant('two-changes-at-once', 'stormy', 'members change one at a time')
export const changeBeforeNoop = mutant(
  'change-before-noop',
  'stormy',
  'members change only after the leader committed in its term',
)
export const membersNotRolledBack = mutant(
  'members-not-rolled-back',
  'stormy',
  'a server goes by the last members in its log',
)
export const snapshotForgetsMembers = mutant(
  'snapshot-forgets-members',
  'sunny',
  'a snapshot has the members of its last entry',
)

// Reads and sessions.
export const readWithoutQuorum = mutant(
  'read-without-quorum',
  'sunny',
  'a read waits until a majority has answered its leader',
)
export const readBeforeNoop = mutant(
  'read-before-noop',
  'stormy',
  'a leader answers reads only after it committed in its term',
  'a read sees what was committed before it was asked',
)
export const duplicateApplied = mutant('duplicate-applied', 'sunny', 'a command is executed once')
export const sessionsNotInSnapshot = mutant(
  'sessions-not-in-snapshot',
  'stormy',
  'servers apply the same entries',
  'a command is executed once',
)
export const sessionsExpireByClock = mutant(
  'sessions-expire-by-clock',
  'stormy',
  'servers apply the same entries',
)
