/** Raft cores over a network in memory: messages are delivered in order, unless a test cuts links; disks are records. */
import { DEFAULTS, Raft } from './core.js'
import { KvMachine } from './kv-machine.js'
import type {
  Effect,
  Entry,
  Input,
  Members,
  RaftOptions,
  Recovered,
  RequestInput,
  Snapshot,
} from './types.ts'

interface Disk {
  term: number
  vote: string | null
  snapshot: Snapshot
  entries: Entry[]
}

export interface Answer {
  readonly value?: any
  readonly refusal?: Extract<Effect, { type: 'refuse' }>['refusal']
}

export class TestCluster {
  readonly cores = new Map<string, Raft>()
  readonly seen: { id: string; name: string; data: any }[] = []
  now = 0
  private readonly disks = new Map<string, Disk>()
  private readonly answers = new Map<number, Answer>()
  private readonly options: RaftOptions
  private readonly cuts = new Set<string>()
  private queue: { from: string; to: string; message: any }[] = []
  private requests = 0

  constructor(ids: readonly string[], options: Partial<RaftOptions> = {}, joiners: readonly string[] = []) {
    this.options = { ...DEFAULTS, electionMs: 100, heartbeatMs: 20, trailingEntries: 0, ...options }
    const members: Members = Object.fromEntries(ids.map((id) => [id, { peer: `${id}:1`, api: `${id}:2` }]))
    for (const id of ids) this.begin(id, members)
    for (const id of joiners) this.begin(id, {})
  }

  core(id: string): Raft {
    return this.cores.get(id)!
  }

  get leader(): Raft | undefined {
    const leaders = [...this.cores.values()].filter(({ role }) => role === 'leader')
    return leaders.sort((a, b) => b.term - a.term)[0]
  }

  disk(id: string): Disk {
    return this.disks.get(id)!
  }

  cut(...ids: string[]): void {
    for (const id of ids) this.cuts.add(id)
  }

  heal(): void {
    this.cuts.clear()
  }

  /** The process ends and starts again with what its disk has. */
  restart(id: string): void {
    this.start(id, structuredClone(this.disk(id)))
  }

  /** Lets time pass, a millisecond at a time. */
  run(ms: number): void {
    for (let end = this.now + ms; this.now < end;) {
      this.now++
      for (const [id, core] of this.cores) if (this.now >= core.deadlineMs) this.give(id, { type: 'tick' })
      this.deliver()
    }
  }

  /** Lets time pass until something is so. */
  until(condition: () => boolean, limitMs = 5000): void {
    for (const end = this.now + limitMs; !condition();) {
      if (this.now >= end) throw new Error(`not within ${limitMs} ms`)
      this.run(1)
    }
  }

  electLeader(): Raft {
    this.until(() => this.leader !== undefined && this.leader.commit === this.leader.log.lastIndex)
    return this.leader!
  }

  /** Asks a server; the answer is filled in when it comes. */
  ask(id: string, input: RequestInput): () => Answer | undefined {
    const request = ++this.requests
    this.give(id, { ...input, request })
    return () => this.answers.get(request)
  }

  /** Asks the leader and waits for the answer. */
  get(input: RequestInput): any {
    const answer = this.ask(this.electLeader().id, input)
    this.until(() => answer() !== undefined)
    return answer()!.value ?? answer()!.refusal
  }

  give(id: string, input: Input): void {
    const effects = this.core(id).step(input, this.now)
    for (const effect of effects) this.write(id, effect)
    for (const effect of effects) {
      if (effect.type === 'send') this.queue.push({ from: id, to: effect.to, message: effect.message })
      else if (effect.type === 'reply') this.answers.set(effect.request, { value: effect.value })
      else if (effect.type === 'refuse') this.answers.set(effect.request, { refusal: effect.refusal })
    }
  }

  deliver(): void {
    while (this.queue.length > 0) this.deliverOne()
  }

  /** Loses everything that is on its way. */
  dropAll(): void {
    this.queue = []
  }

  deliverOne(): void {
    const { from, to, message } = this.queue.shift()!
    if (this.cuts.has(from) || this.cuts.has(to) || !this.cores.has(to)) return
    this.give(to, { type: 'message', from, message: structuredClone(message) })
  }

  private begin(id: string, members: Members): void {
    const snapshot = { index: 0, term: 0, timeMs: 0, members, data: '' }
    this.disks.set(id, { term: 0, vote: null, snapshot, entries: [] })
    this.start(id, this.disk(id))
  }

  private start(id: string, recovered: Recovered): void {
    let draws = id.charCodeAt(id.length - 1) * 0.37
    const random = (): number => (draws = (draws * 1.7 + 0.31) % 1)
    const observe = (name: string, data: unknown): void => void this.seen.push({ id, name, data })
    const machine = new KvMachine()
    this.cores.set(id, new Raft({ id, options: this.options, machine, random, observe }, recovered, this.now))
  }

  private write(id: string, effect: Effect): void {
    const disk = this.disk(id)
    if (effect.type === 'persist') {
      const { term, vote, from, entries = [] } = effect.record
      Object.assign(disk, { term, vote })
      if (from !== undefined) disk.entries.splice(from - disk.snapshot.index - 1, Infinity, ...entries)
    } else if (effect.type === 'snapshot') {
      const { term, vote, snapshot, entries } = effect
      Object.assign(disk, { term, vote, snapshot, entries: [...entries] })
    }
  }
}
