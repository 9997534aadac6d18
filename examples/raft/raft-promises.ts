/**
 * The names of all rules, and those about promises: what a server answers on the wire must be on its disk, in the part
 * that survives a power loss, at the moment of the answer.
 */
import type { InvariantContext, WireEvent } from 'wavetank'
import { syncedDisk, type ClusterMirror, type Question } from './raft-mirror.ts'
import type { Members, Message, Recovered } from './types.ts'

export const RULES = [
  'a term has at most one leader',
  'a leader has the votes of a majority',
  'a server votes once in a term',
  'a vote goes to a log that is as new as the voter’s',
  'what is synced is whole',
  'a vote is on the disk before it is answered',
  'an entry is on the disk before it is acknowledged',
  'an answer has the term of its question',
  'a server keeps its promises over a restart',
  'a leader only appends',
  'logs that agree on an entry agree on all before it',
  'a committed entry is never truncated',
  'a leader has all committed entries',
  'a leader commits by counting only in its own term',
  'a committed entry is on the disks of a majority',
  'servers apply the same entries',
  'a command is executed once',
  'members change one at a time',
  'a server goes by the last members in its log',
  'members change only after the leader committed in its term',
  'a snapshot has the members of its last entry',
  'a read sees what was committed before it was asked',
  'a leader answers reads only after it committed in its term',
  'a read waits until a majority has answered its leader',
  'a successor has the whole log',
  'a leader that hears no majority steps down',
  'a server ends only for a reason',
] as const

export type Rule = (typeof RULES)[number]

interface Given {
  readonly cluster: ClusterMirror
  readonly bootstrap: Members
  readonly rot: boolean
  readonly breaks: (rule: Rule, how: string) => void
}

export class PromiseWatch {
  files!: InvariantContext['files']
  /**
   * Leaders that said they hear no majority, until they say that they stepped down, which is the next thing that they say;
   * with whether they said anything else since. Only then have they not: a real one may stand still between the two.
   */
  readonly silent = new Map<string, boolean>()
  private readonly cluster: ClusterMirror
  private readonly bootstrap: Members
  private readonly rot: boolean
  private readonly breaks: Given['breaks']

  constructor({ cluster, bootstrap, rot, breaks }: Given) {
    this.cluster = cluster
    this.bootstrap = bootstrap
    this.rot = rot
    this.breaks = breaks
  }

  /** What would be left of a server if its power failed now. */
  disk(server: string): Recovered | null {
    const disk = syncedDisk(this.files, server, this.bootstrap)
    if (!(disk instanceof Error)) return disk
    if (!this.rot) this.breaks('what is synced is whole', `${server}: ${disk.message}`)
    return null
  }

  wire({ from, to, message }: WireEvent): void {
    const sent = message as Message
    switch (sent.type) {
      case 'vote':
      case 'append':
      case 'snapshot':
        this.cluster.questions.set(`${from}>${to} ${sent.type} ${sent.term}`, sent)
        return
      case 'heartbeat':
        if (this.silent.get(from) === true)
          this.breaks('a leader that hears no majority steps down', `${from} leads on in term ${sent.term}`)
        return
      case 'vote-reply':
        if (sent.granted) this.voteAnswered(from, to, sent.term)
        return
      case 'heartbeat-reply':
        this.roundAnswered(from, to, sent)
        return
      case 'append-reply':
        this.roundAnswered(from, to, sent)
        if (sent.ok) this.appendAnswered(from, to, sent)
        return
      case 'snapshot-reply':
        if (sent.done) this.appendAnswered(from, to, { term: sent.term, match: sent.index })
    }
  }

  private roundAnswered(
    follower: string,
    leader: string,
    { term, round }: { term: number; round: number },
  ): void {
    const { rounds } = this.cluster
    const key = `${leader} ${term} ${follower}`
    rounds.set(key, Math.max(rounds.get(key) ?? 0, round))
  }

  private voteAnswered(voter: string, candidate: string, term: number): void {
    const { votes, questions, promised } = this.cluster
    const key = `${voter} ${term}`
    const before = votes.get(key)
    if (before !== undefined && before !== candidate)
      this.breaks(
        'a server votes once in a term',
        `${voter} votes for ${before} and ${candidate} in term ${term}`,
      )
    votes.set(key, candidate)
    if (!questions.has(`${candidate}>${voter} vote ${term}`))
      this.breaks(
        'an answer has the term of its question',
        `${voter} votes for ${candidate} in term ${term}, unasked`,
      )
    const disk = this.disk(voter)
    if (disk === null ? !this.rot : disk.term < term || (disk.term === term && disk.vote !== candidate))
      this.breaks(
        'a vote is on the disk before it is answered',
        `${voter} votes for ${candidate} in term ${term}; its disk has term ${disk?.term}, vote ${disk?.vote}`,
      )
    const old = promised.get(voter) ?? { term: 0, index: 0, entryTerm: 0 }
    promised.set(voter, { ...old, term: Math.max(old.term, term) })
  }

  private appendAnswered(
    follower: string,
    leader: string,
    { term, match }: { term: number; match: number },
  ): void {
    const { questions, promised } = this.cluster
    const asked = (type: Question['type']): boolean => questions.has(`${leader}>${follower} ${type} ${term}`)
    if (!asked('append') && !asked('snapshot'))
      this.breaks(
        'an answer has the term of its question',
        `${follower} answers ${leader} in term ${term}, unasked`,
      )
    const old = promised.get(follower)
    if (match === 0 || (old?.term === term && match <= old.index)) return
    const disk = this.disk(follower)
    if (disk !== null && disk.term > term) return // it has gone on since
    if (disk === null && this.rot) return
    const entryTerm = disk === null ? undefined : termOn(disk, match)
    if (entryTerm === undefined) {
      this.breaks(
        'an entry is on the disk before it is acknowledged',
        `${follower} acknowledges entry ${match} to ${leader}; its disk does not have it`,
      )
      return
    }
    promised.set(follower, { term, index: match, entryTerm })
  }
}

function termOn(disk: Recovered, index: number): number | undefined {
  const { snapshot, entries } = disk
  return index <= snapshot.index ? snapshot.term : entries[index - snapshot.index - 1]?.term
}
