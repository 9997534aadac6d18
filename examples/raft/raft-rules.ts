/**
 * The rules of Raft as invariants, each named after what it says. They look at traces, wires and disks after every step,
 * and most break at the moment of the mistake, long before a client could notice.
 *
 * The situations are hopes: a campaign in which no snapshot was installed has said nothing about snapshots.
 */
import { type Invariant, type InvariantContext, type PublishedEvent, type WireEvent } from 'wavetank'
import { StormSituations } from '../storm-situations.ts'
import { ClusterMirror, diskHas, type ServerMirror, type TraceLine } from './raft-mirror.ts'
import { PromiseWatch, RULES, type Rule } from './raft-promises.ts'
import type { Entry, Members } from './types.ts'

/** What a storm must have brought about before its silence means something. */
const SITUATIONS = [
  'a read waits for the first entry of a new term',
  'a successor is told to take over',
  'a leader that hears no majority steps down',
  'a pre-vote is refused',
  'a server that hears a leader ignores a candidate',
  'a session expires',
  'a server catches up before it becomes a member',
  'a server comes back',
  'a cluster sees many elections',
  'a follower truncates its log',
  'a duplicate is answered from the session table',
  'members change',
  'members change during a partition',
  'a snapshot is installed',
] as const

/** `rot`: disks may rot. A server may refuse its files, and this is called then; what a rotten disk has is not known. */
export function raftRules(bootstrap: Members, rot?: () => void): Record<Rule, Invariant> {
  const watch = new RuleWatch(bootstrap, rot)
  const invariants = RULES.map((rule) => [
    rule,
    (context: InvariantContext) => {
      watch.absorb(context)
      return watch.broken.get(rule) ?? true
    },
  ])
  return Object.fromEntries(invariants) as Record<Rule, Invariant>
}

/** Reads the events of a step once, for all rules. */
class RuleWatch {
  readonly broken = new Map<Rule, string>()
  private readonly bootstrap: Members
  private readonly rot: (() => void) | undefined
  private readonly cluster = new ClusterMirror()
  private readonly promises: PromiseWatch
  private seen = -1
  /** Partitions in force. */
  private cuts = 0
  private readonly situations = new StormSituations(SITUATIONS)

  constructor(bootstrap: Members, rot: (() => void) | undefined) {
    this.bootstrap = bootstrap
    this.rot = rot
    const breaks = (rule: Rule, how: string): void => this.breaks(rule, how)
    this.promises = new PromiseWatch({ cluster: this.cluster, bootstrap, rot: rot !== undefined, breaks })
  }

  absorb({ events, files }: InvariantContext): void {
    this.promises.files = files
    for (const event of events) {
      if (event.seq <= this.seen) return
      this.seen = event.seq
      this.take(event)
    }
  }

  private take({ name, source, data }: PublishedEvent): void {
    if (name === 'stdout') {
      const line = data as string
      if (line.startsWith('{"raft":')) this.trace(this.cluster.server(source), JSON.parse(line) as TraceLine)
    } else if (name === 'wire') this.promises.wire(data as WireEvent)
    else if (name === 'process') this.process(data as Ended)
    else if (name === 'fault') this.fault(data as CutEvent)
  }

  private breaks(rule: Rule, how: string): void {
    if (!this.broken.has(rule)) this.broken.set(rule, how)
  }

  private trace(server: ServerMirror, line: TraceLine): void {
    const { cluster } = this
    if (this.promises.silent.has(server.id)) this.promises.silent.set(server.id, true)
    switch (line.raft) {
      case 'recovered':
        return this.recovered(server, line)
      case 'elected':
        return this.elected(server, line.term)
      case 'stepped-down':
        server.role = 'other'
        this.promises.silent.delete(server.id)
        return
      case 'votes':
        return this.votes(server, line.candidate, line.term)
      case 'append':
        return this.append(server, line)
      case 'truncate':
        return this.truncate(server, line.from, line.members)
      case 'commit':
        return this.commit(server, line)
      case 'applied':
        return this.applied(server, line.entry, line.did)
      case 'snapshot-taken':
      case 'snapshot-installed':
        return this.snapshot(server, line)
      case 'read-asked':
        server.reads.set(line.id, { committed: cluster.maxCommitted, round: line.round })
        return
      case 'read-waits':
        this.situations.occurs('a read waits for the first entry of a new term')
        return
      case 'read-served':
        return this.readServed(server, line)
      case 'hands-over': {
        if (!cluster.server(line.to).has(line.lastIndex, line.lastTerm))
          this.breaks(
            'a successor has the whole log',
            `${line.to} lacks entry ${line.lastIndex} of ${server.id}`,
          )
        return
      }
      case 'takes-over':
        this.situations.occurs('a successor is told to take over')
        return
      case 'lost-quorum':
        if (!this.promises.silent.has(server.id)) this.promises.silent.set(server.id, false)
        this.situations.occurs('a leader that hears no majority steps down')
        return
      case 'pre-vote-refused':
        this.situations.occurs('a pre-vote is refused')
        return
      case 'vote-ignored':
        this.situations.occurs('a server that hears a leader ignores a candidate')
        return
      case 'expired':
        this.situations.occurs('a session expires')
        return
      case 'joining':
        this.situations.occurs('a server catches up before it becomes a member')
    }
  }

  private readServed(server: ServerMirror, { id, index }: TraceLine): void {
    const { committed, round } = server.reads.get(id)!
    if (index < committed)
      this.breaks(
        'a read sees what was committed before it was asked',
        `${server.id} served a read at entry ${index}; entry ${committed} was committed before`,
      )
    const { term } = server
    const members = Object.keys(server.members)
    const answered = members.filter(
      (each) => each === server.id || (this.cluster.rounds.get(`${server.id} ${term} ${each}`) ?? 0) >= round,
    )
    if (2 * answered.length <= members.length)
      this.breaks(
        'a read waits until a majority has answered its leader',
        `${server.id} served a read of round ${round} in term ${term}; only ${answered.join(', ')} answered`,
      )
    if (server.termAt(index) !== term)
      this.breaks(
        'a leader answers reads only after it committed in its term',
        `${server.id} in term ${term} served a read at entry ${index} of term ${server.termAt(index)}`,
      )
  }

  private recovered(server: ServerMirror, line: TraceLine): void {
    const { term, snapshot, entries } = line as unknown as {
      term: number
      snapshot: ServerMirror['snapshot']
      entries: Entry[]
    }
    Object.assign(server, { term, snapshot, entries: [...entries], commit: snapshot.index, role: 'other' })
    server.reads.clear()
    this.promises.silent.delete(server.id)
    for (const entry of entries) this.know(server, entry)
    const promised = this.cluster.promised.get(server.id)
    if (promised === undefined) return
    this.situations.occurs('a server comes back')
    const rule = 'a server keeps its promises over a restart'
    const { index, entryTerm } = promised
    if (term < promised.term)
      this.breaks(rule, `${server.id} was in term ${promised.term}, and is in term ${term} now`)
    const vote = this.cluster.votes.get(`${server.id} ${term}`)
    if (vote !== undefined && vote !== line.vote)
      this.breaks(rule, `${server.id} voted for ${vote} in term ${term}, and knows of ${line.vote} now`)
    if (!server.has(index, entryTerm))
      this.breaks(
        rule,
        `${server.id} acknowledged entry ${index} of term ${entryTerm}, and does not have it now`,
      )
  }

  private elected(server: ServerMirror, term: number): void {
    const { cluster } = this
    const other = cluster.leaders.get(term)
    if (other !== undefined && other !== server.id)
      this.breaks('a term has at most one leader', `${other} and ${server.id} both lead in term ${term}`)
    cluster.leaders.set(term, server.id)
    server.role = 'leader'
    server.term = term
    this.situations.occurs('a cluster sees many elections', term > 3)
    const ids = Object.keys(server.members)
    const votes = ids.filter((id) => id === server.id || cluster.votes.get(`${id} ${term}`) === server.id)
    if (votes.length * 2 <= ids.length)
      this.breaks(
        'a leader has the votes of a majority',
        `${server.id} leads in term ${term} with ${votes.length} of ${ids.length} votes`,
      )
    for (const [index, { entry, inTerm }] of cluster.committed) {
      if (inTerm >= term || server.has(index, entry.term)) continue
      this.breaks(
        'a leader has all committed entries',
        `${server.id} leads in term ${term} without entry ${index}, committed in term ${inTerm}`,
      )
    }
  }

  private votes(server: ServerMirror, candidate: string, term: number): void {
    const question = this.cluster.questions.get(`${candidate}>${server.id} vote ${term}`)
    if (question?.type !== 'vote') return
    const { lastIndex, lastTerm } = question
    const ownTerm = server.termAt(server.lastIndex)!
    if (lastTerm < ownTerm || (lastTerm === ownTerm && lastIndex < server.lastIndex))
      this.breaks(
        'a vote goes to a log that is as new as the voter’s',
        `${server.id} has entry ${server.lastIndex} of term ${ownTerm}, and votes for ${candidate} with entry ${lastIndex} of term ${lastTerm}`,
      )
  }

  private append(server: ServerMirror, { entry, role, term }: TraceLine): void {
    const { index } = entry as Entry
    if (index !== server.lastIndex + 1) server.entries.length = Math.max(0, index - server.snapshot.index - 1)
    if (role === 'leader' && entry.kind === 'members') this.membersChange(server, entry)
    server.entries.push(entry)
    server.term = term
    this.know(server, entry)
  }

  private know(server: ServerMirror, entry: Entry): void {
    const key = `${entry.index} ${entry.term}`
    const text = JSON.stringify(entry)
    const prevTerm = server.termAt(entry.index - 1)
    const known = this.cluster.known.get(key)
    if (known === undefined) this.cluster.known.set(key, { text, prevTerm })
    else if (known.text !== text || (prevTerm !== undefined && known.prevTerm !== prevTerm))
      this.breaks(
        'logs that agree on an entry agree on all before it',
        `${server.id} has entry ${entry.index} of term ${entry.term} after one of term ${prevTerm}, another server after one of term ${known.prevTerm}`,
      )
  }

  private truncate(server: ServerMirror, from: number, members: readonly string[]): void {
    if (server.role === 'leader')
      this.breaks('a leader only appends', `${server.id} leads and truncates its log at ${from}`)
    for (let index = from; index <= server.lastIndex; index++) {
      const committed = this.cluster.committed.get(index)
      if (committed?.entry.term === server.termAt(index))
        this.breaks('a committed entry is never truncated', `${server.id} truncates entry ${index}`)
    }
    server.entries.length = Math.max(0, from - server.snapshot.index - 1)
    const inForce = Object.keys(server.members).sort().join()
    if (inForce !== [...members].sort().join())
      this.breaks(
        'a server goes by the last members in its log',
        `${server.id} goes by ${members.join(', ')}; its log says ${inForce}`,
      )
    this.situations.occurs('a follower truncates its log')
  }

  private commit(server: ServerMirror, { index, role, term }: TraceLine): void {
    const { cluster } = this
    server.commit = index
    if (role !== 'leader') return
    const newest = server.at(index)
    if (newest === undefined) return
    if (newest.term !== term)
      this.breaks(
        'a leader commits by counting only in its own term',
        `${server.id} in term ${term} commits entry ${index} of term ${newest.term}`,
      )
    const ids = Object.keys(server.members)
    const having = ids.filter((id) => {
      const disk = this.promises.disk(id)
      return disk === null ? this.rot !== undefined : diskHas(disk, index, newest.term)
    })
    if (having.length * 2 <= ids.length)
      this.breaks(
        'a committed entry is on the disks of a majority',
        `${server.id} commits entry ${index}; of ${ids.join(', ')} only ${having.join(', ') || 'none'} have it`,
      )
    for (let at = cluster.maxCommitted + 1; at <= index; at++) {
      const entry = server.at(at)
      if (entry !== undefined) cluster.committed.set(at, { entry, inTerm: term })
    }
    cluster.maxCommitted = Math.max(cluster.maxCommitted, index)
  }

  private applied(server: ServerMirror, entry: Entry, did: string): void {
    const { applied, executed } = this.cluster
    const { index } = entry
    const before = applied.get(index)
    if (before === undefined) applied.set(index, { entry, did })
    else if (JSON.stringify(before.entry) !== JSON.stringify(entry))
      this.breaks('servers apply the same entries', `${server.id} applies another entry ${index}`)
    else if (before.did !== did)
      this.breaks(
        'servers apply the same entries',
        `entry ${index}: ${server.id} says '${did}', another server '${before.did}'`,
      )
    if (did === 'answered-again') this.situations.occurs('a duplicate is answered from the session table')
    if (did === 'executed' && entry.kind === 'command') {
      const command = `${entry.session}.${entry.sequence}`
      const where = executed.get(command) ?? index
      executed.set(command, where)
      if (where !== index)
        this.breaks(
          'a command is executed once',
          `command ${command} is executed at ${where} and at ${index}`,
        )
    }
    if (entry.kind === 'members') {
      this.situations.occurs('members change')
      this.situations.occurs('members change during a partition', this.cuts > 0)
    }
  }

  private membersChange(server: ServerMirror, entry: Extract<Entry, { kind: 'members' }>): void {
    const before = server.membersBefore(entry.index)
    const old = Object.keys(before.members)
    const changed = [
      ...old.filter((id) => !(id in entry.members)),
      ...Object.keys(entry.members).filter((id) => !old.includes(id)),
    ]
    if (changed.length > 1 || before.index > server.commit)
      this.breaks(
        'members change one at a time',
        `${server.id} changes ${changed.join(', ')} at entry ${entry.index}; the change at ${before.index} is not committed`,
      )
    if (server.termAt(server.commit) !== entry.term)
      this.breaks(
        'members change only after the leader committed in its term',
        `${server.id} changes members in term ${entry.term}, its last committed entry is of term ${server.termAt(server.commit)}`,
      )
  }

  private snapshot(server: ServerMirror, line: TraceLine): void {
    const { index, term, members, entries } = line as unknown as ServerMirror['snapshot'] & {
      entries: Entry[]
    }
    let expected = this.bootstrap
    for (let at = index; at > 0; at--) {
      const entry = this.cluster.applied.get(at)?.entry
      if (entry?.kind !== 'members') continue
      expected = entry.members
      break
    }
    if (Object.keys(expected).sort().join() !== Object.keys(members).sort().join())
      this.breaks(
        'a snapshot has the members of its last entry',
        `${server.id}: ${Object.keys(members).join(', ')} at ${index}, not ${Object.keys(expected).join(', ')}`,
      )
    Object.assign(server, { snapshot: { index, term, members }, entries: [...entries] })
    if (line.raft !== 'snapshot-installed') return
    server.commit = index
    for (const entry of entries) this.know(server, entry)
    this.situations.occurs('a snapshot is installed')
  }

  private process({ process, change, code, signal, ordered }: Ended): void {
    if (change !== 'exit') return
    this.promises.silent.delete(process)
    this.cluster.server(process).role = 'other'
    // 0: asked to; 4: its disk failed, and it is started again.
    const refused = code === 3 && this.rot !== undefined
    if (refused) this.rot?.()
    if (!ordered && code !== 0 && code !== 4 && !refused)
      this.breaks('a server ends only for a reason', `${process} ends with ${code ?? signal}`)
  }

  private fault({ change, fault }: CutEvent): void {
    this.situations.fault()
    if (fault.family === 'partition') this.cuts += change === 'begin' ? 1 : -1
  }
}

interface Ended {
  readonly process: string
  readonly change: string
  readonly code: number | null
  readonly signal: string | null
  readonly ordered: boolean
}

interface CutEvent {
  readonly change: 'begin' | 'end'
  readonly fault: { readonly family: string }
}
