/**
 * What an observer knows of every server: its log, role and commit index from the lines it prints with RAFT_TRACE=1, its
 * votes and acknowledgements from the wire, its promises from the synced part of its disk. No server knows of it. The
 * rules in raft-rules.ts are about this mirror, never about what a server believes of another.
 */
import type { ProcessFiles } from 'wavetank'
import { recover } from './storage.js'
import type { Entry, Members, Message, Recovered } from './types.ts'

/** One line of a server's trace. */
export interface TraceLine {
  readonly raft: string
  readonly [name: string]: any
}

/** A server's log in its memory. */
export class ServerMirror {
  readonly id: string
  term = 0
  role: 'leader' | 'other' = 'other'
  commit = 0
  snapshot: { index: number; term: number; members: Members } = { index: 0, term: 0, members: {} }
  entries: Entry[] = []
  /** Reads that were asked here: the commit index of the whole cluster then, and the round that must be answered. */
  readonly reads = new Map<number, { committed: number; round: number }>()

  constructor(id: string) {
    this.id = id
  }

  get lastIndex(): number {
    return this.snapshot.index + this.entries.length
  }

  at(index: number): Entry | undefined {
    return this.entries[index - this.snapshot.index - 1]
  }

  termAt(index: number): number | undefined {
    return index === this.snapshot.index ? this.snapshot.term : this.at(index)?.term
  }

  /** Whether it has this entry, or a snapshot in its place. */
  has(index: number, term: number): boolean {
    return index < this.snapshot.index || this.termAt(index) === term
  }

  /** The members in force before an index, and where they were changed. */
  membersBefore(index: number): { index: number; members: Members } {
    for (let at = Math.min(index - 1, this.lastIndex); at > this.snapshot.index; at--) {
      const entry = this.at(at)!
      if (entry.kind === 'members') return { index: at, members: entry.members }
    }
    return this.snapshot
  }

  get members(): Members {
    return this.membersBefore(Infinity).members
  }
}

/** What would be left of a server's promises if its power failed now; an error when its files make no sense. */
export function syncedDisk(files: ProcessFiles, server: string, bootstrap: Members): Recovered | Error {
  const bytes = (name: string): Buffer | null => files.readSynced(server, `/data/${name}`)
  try {
    return recover('/data', { log: bytes('log'), snapshot: bytes('snapshot') }, bootstrap)
  } catch (error) {
    return error as Error
  }
}

export function diskHas(disk: Recovered, index: number, term: number): boolean {
  const { snapshot, entries } = disk
  if (index <= snapshot.index) return true
  return entries[index - snapshot.index - 1]?.term === term
}

/** A question on the wire, to compare its answer with. */
export type Question = Extract<Message, { type: 'vote' | 'append' | 'snapshot' }>

/** What the cluster as a whole has done. */
export class ClusterMirror {
  readonly servers = new Map<string, ServerMirror>()
  readonly leaders = new Map<number, string>()
  /** Committed entries, with the term in which a leader committed them, by index. */
  readonly committed = new Map<number, { entry: Entry; inTerm: number }>()
  readonly applied = new Map<number, { entry: Entry; did: string }>()
  /** Where each command of each session was executed. */
  readonly executed = new Map<string, number>()
  /** Every entry that ever was in a log, by index and term, with the term of the entry before it. */
  readonly known = new Map<string, { text: string; prevTerm: number | undefined }>()
  /** Questions by `from>to type term`. */
  readonly questions = new Map<string, Question>()
  /** Votes that were answered, by voter and term. */
  readonly votes = new Map<string, string>()
  /** The newest term, and the furthest entry, that each server answered for. */
  readonly promised = new Map<string, { term: number; index: number; entryTerm: number }>()
  /** The newest round of a leader that each follower answered, by `leader term follower`. */
  readonly rounds = new Map<string, number>()
  maxCommitted = 0

  server(id: string): ServerMirror {
    let server = this.servers.get(id)
    if (server === undefined) this.servers.set(id, (server = new ServerMirror(id)))
    return server
  }
}
