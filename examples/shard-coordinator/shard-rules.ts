/**
 * The rules of the coordinator as invariants, each named after what it says. They read what the state machine did, from
 * the lines that servers print with COORDINATOR_TRACE=1, and compare every change with the records before it. What a
 * worker believes does not count.
 *
 * The first server that applies an entry says what it did; every other server must say the same.
 */
import type { Invariant, InvariantContext } from 'wavetank'
import { LIMITS } from './coordinator.js'
import { hashOf, isDerived } from './ids.js'
import { isIn } from './ranges.js'
import { LEASED, orderProblem, undocumented } from './shard-refusals.ts'
import type { Command, Finding, LoggedOperation, Range, Result, Run, Shard, Step } from './types.ts'

export const RULES = [
  'an old fence is refused',
  'an expired lease does nothing',
  'checks come in their order',
  'a refusal says what is documented, and no more',
  'what is refused or answered again changes nothing',
  'only the holder of a lease works on its shard',
  'a terminal shard stays as it is',
  'a shard has at most one lease at a time',
  'the fence of a shard rises with every new holder',
  'a shard that is unparked has a new fence',
  'a repeated operation gets its first answer',
  'an operation id stands for one operation',
  'a cursor never goes back',
  'a cursor stays inside its shard',
  'the children of a split cover their parent exactly',
  'the answer to a split names its children',
  'a record is whole',
  'a run that is over stays as it is',
  'a worker waits between two claims',
  'a claim gets the first free shard',
  'the hint says how many shards are free',
  'a finding names a lease that was given',
  'a finding has the fence of its shard',
  'no finding comes after the end of its shard',
  'the fences of the ledger never fall',
  'a finding is recorded once',
  'cluster time does not run ahead of real time',
  'servers agree on every entry',
  'a server ends only for a reason',
] as const

export type Rule = (typeof RULES)[number]

/** Called for every step, with the shard as it was before. */
export type OnStep = (step: Step, shard: Shard | undefined) => void

export function shardRules(onStep: OnStep = () => {}): Record<Rule, Invariant> {
  const watch = new RuleWatch(onStep)
  const invariants = RULES.map((rule, at) => [
    rule,
    (context: InvariantContext) => {
      if (at === 0) watch.absorb(context) // the first rule reads the events for all
      return watch.broken.get(rule) ?? true
    },
  ])
  return Object.fromEntries(invariants) as Record<Rule, Invariant>
}

/** Operations with a claim to a shard. */
const TAKING = new Set(['claim', 'acquire'])

export class RuleWatch {
  readonly broken = new Map<Rule, string>()
  private readonly shards = new Map<string, Shard>()
  private readonly runs = new Map<string, Run>()
  private readonly findings = new Set<string>()
  /** The owner of every fence of every shard. */
  private readonly given = new Map<string, string>()
  /** The newest fence of the ledger, by shard. */
  private readonly ledgerFences = new Map<string, number>()
  /** The child of every residual split, also when the log has forgotten the split. */
  private readonly residuals = new Map<string, { at: string; child: string }>()
  /** When each worker of each run last got a shard by a claim. */
  private readonly claims = new Map<string, number>()
  private readonly said = new Map<number, string>()
  private newest = 0
  private readonly onStep: OnStep

  constructor(onStep: OnStep = () => {}) {
    this.onStep = onStep
  }

  absorb({ events, nowMs }: InvariantContext): void {
    for (const { name, data, source } of events) {
      if (name === 'stdout') this.line(source, data as string, nowMs)
      else if (name === 'process') this.ended(data as Ended)
    }
  }

  /** A line of a server. */
  line(server: string, text: string, realMs = Infinity): void {
    if (!text.startsWith('{"index":')) return
    const index = parseInt(text.slice('{"index":'.length), 10)
    const before = this.said.get(index)
    if (before !== undefined) {
      if (before !== text)
        this.breaks(
          'servers agree on every entry',
          `entry ${index}: ${server} says ${text}, another server ${before}`,
        )
      return
    }
    this.said.set(index, text)
    if (index < this.newest) return
    this.newest = index
    const step = JSON.parse(text) as Step
    if (step.nowMs > realMs)
      this.breaks('cluster time does not run ahead of real time', `${step.nowMs} ms, really ${realMs} ms`)
    this.step(step)
  }

  private breaks(rule: Rule, how: string): void {
    if (!this.broken.has(rule)) this.broken.set(rule, how)
  }

  private step(step: Step): void {
    const { command, result } = step
    const shard = this.shards.get(`${command.run}/${command.shard}`)
    const done = result.error === undefined && result.replayed !== true
    if (shard !== undefined) this.repeated(step, shard)
    this.refused(step, shard)
    if (done && LEASED.has(command.op) && shard !== undefined) this.leased(step, shard)
    if (done && command.op === 'claim') this.claimed(step)
    for (const run of step.runs) this.runChanged(step, run)
    if (done && command.op.startsWith('split-') && shard !== undefined) this.split(step, shard)
    for (const each of step.shards) this.shardChanged(step, each)
    this.ledger(step, shard)
    if (done && typeof result.available === 'number') this.hint(step)
    this.onStep(step, shard)
  }

  private refused(step: Step, shard: Shard | undefined): void {
    const { command, result, shards, runs, findings } = step
    const order = orderProblem(step, this.runs.get(command.run), shard)
    // Only a coordinator that does not look at the fence asks who the owner of an old lease is.
    const unfenced = result.error === 'not-owner' && shard?.fence !== command.fence
    if (order !== null)
      this.breaks(
        unfenced ? 'an old fence is refused' : 'checks come in their order',
        `${told(command)}: ${order}`,
      )
    const extra = undocumented(step)
    if (extra !== null)
      this.breaks('a refusal says what is documented, and no more', `${told(command)}: ${extra}`)
    const changed = [...shards, ...runs, ...findings].length
    if (changed > 0 && (result.error !== undefined || result.replayed === true))
      this.breaks('what is refused or answered again changes nothing', `${told(command)}: ${result.error}`)
  }

  /** S5: what a log says was done is not done again, and an id is not used for something else. */
  private repeated({ command, result }: Step, shard: Shard): void {
    if (this.runs.get(command.run)?.tenant !== command.tenant) return
    const first = shard.log.find(({ id }) => id === command.operation)
    if (first === undefined) {
      if (command.op === 'split-residual') this.forgotten(command, result)
      return
    }
    if (isSame(first, command)) {
      const { replayed, ...again } = result
      if (replayed !== true || JSON.stringify(again) !== JSON.stringify(first.result))
        this.breaks(
          'a repeated operation gets its first answer',
          `${told(command)}: ${JSON.stringify(result)}`,
        )
    } else if (result.error !== 'operation-conflict')
      this.breaks('an operation id stands for one operation', `${told(command)}: ${JSON.stringify(result)}`)
  }

  /** A residual split that is not in the log: the first of its id, or one that the log has forgotten. */
  private forgotten(command: Command, result: Result): void {
    const first = this.residuals.get(told(command))
    if (first === undefined) {
      if (result.error === undefined)
        this.residuals.set(told(command), { at: command.at, child: result.shard })
    } else if (command.at !== first.at) {
      if (result.error !== 'operation-conflict')
        this.breaks(
          'an operation id stands for one operation',
          `${told(command)} at ${first.at}, then at ${command.at}: ${JSON.stringify(result)}`,
        )
    } else if (result.shard !== first.child)
      this.breaks(
        'a repeated operation gets its first answer',
        `${told(command)}: not the child ${first.child}`,
      )
  }

  /** L1, L2: what the holder of a lease did. */
  private leased({ command, nowMs }: Step, { fence, lease, state }: Shard): void {
    const what = `${told(command)} with fence ${command.fence}`
    if (lease !== null && nowMs >= lease.deadlineMs)
      this.breaks(
        'an expired lease does nothing',
        `${what} at ${nowMs}; the lease ended at ${lease.deadlineMs}`,
      )
    if (command.op === 'record') return // the rules of the ledger say the rest
    if (command.fence !== fence) this.breaks('an old fence is refused', `${what}; the shard has ${fence}`)
    if (lease?.owner !== command.worker)
      this.breaks(
        'only the holder of a lease works on its shard',
        `${what} by ${command.worker}, not ${lease?.owner}`,
      )
    if (state !== 'active') this.breaks('a terminal shard stays as it is', `${what}; the shard is ${state}`)
  }

  /** S1, S2, S3, S5, S6 of records. */
  private shardChanged({ command, nowMs }: Step, after: Shard): void {
    const key = keyOf(after)
    const before = this.shards.get(key)
    this.shards.set(key, after)
    this.whole(after)
    if (after.cursor !== null && !isIn(after, after.cursor.key))
      this.breaks('a cursor stays inside its shard', `${after.cursor.key} in [${after.start}, ${after.end})`)
    if (before === undefined) return
    const taken = TAKING.has(command.op)
    if (taken) this.given.set(`${key} ${after.fence}`, command.worker)
    if (before.state !== 'active' && JSON.stringify(stable(before)) !== JSON.stringify(stable(after))) {
      const unparked = before.state === 'parked' && command.op === 'unpark'
      if (!unparked)
        this.breaks('a terminal shard stays as it is', `${told(command)}: it was ${before.state}`)
      else if (after.fence <= before.fence)
        this.breaks('a shard that is unparked has a new fence', `it keeps ${after.fence}`)
    }
    if (taken && before.lease !== null && nowMs < before.lease.deadlineMs)
      this.breaks(
        'a shard has at most one lease at a time',
        `${command.worker} gets ${key} at ${nowMs}; ${before.lease.owner} has it until ${before.lease.deadlineMs}`,
      )
    const rise = after.fence - before.fence
    if (rise !== (taken || (command.op === 'unpark' && after.fence !== before.fence) ? 1 : 0))
      this.breaks(
        'the fence of a shard rises with every new holder',
        `${told(command)}: ${before.fence} → ${after.fence}`,
      )
    if (before.cursor !== null && (after.cursor === null || after.cursor.key < before.cursor.key))
      this.breaks('a cursor never goes back', `${before.cursor.key} → ${after.cursor?.key}`)
  }

  /** The ten things that hold for every record. */
  private whole(shard: Shard): void {
    const { state, lease, log, spawned, parent, id } = shard
    const problems = {
      'a park reason without being parked, or the reverse':
        (shard.parkReason !== null) !== (state === 'parked'),
      'half a lease': lease !== null && (lease.owner === '' || !Number.isFinite(lease.deadlineMs)),
      'a lease of a terminal shard': state !== 'active' && lease !== null,
      'a fence below the first': shard.fence < 1,
      'too many operations': log.length > LIMITS.shardOperations,
      'split without children': state === 'split' && spawned.length === 0,
      'a parent without a derived id, or the reverse': (parent !== null) !== isDerived(id),
      'a child without a derived id': !spawned.every(isDerived),
      'an operation twice': new Set(log.map((each) => each.id)).size !== log.length,
      'too many children': spawned.length > LIMITS.spawned,
    }
    for (const [problem, there] of Object.entries(problems))
      if (there) this.breaks('a record is whole', `${keyOf(shard)}: ${problem}`)
  }

  /** S4, S7: parts that are exactly the whole. */
  private split({ command, shards, result }: Step, before: Shard): void {
    const after = shards.find(({ id }) => id === before.id)
    const fresh = shards.filter(
      ({ parent, id }) => parent === before.id && !this.shards.has(`${command.run}/${id}`),
    )
    const rest: Range[] = after?.state === 'active' ? [after] : []
    const parts = [...rest, ...fresh].sort((a, b) => (a.start < b.start ? -1 : 1))
    const exact =
      fresh.length > 0 &&
      fresh.every(({ id }) => after?.spawned.includes(id)) &&
      parts[0].start === before.start &&
      parts.at(-1)!.end === before.end &&
      parts.every((part, at) => at === 0 || parts[at - 1].end === part.start)
    const named = command.op === 'split-replace' ? result.shards : [result.shard]
    const unnamed = fresh.length !== named.length || !fresh.every(({ id }) => named.includes(id))
    if (unnamed)
      this.breaks('the answer to a split names its children', `${named} for ${fresh.map(({ id }) => id)}`)
    const shown = parts.map(({ start, end }) => JSON.stringify([start, end])).join(' ')
    if (!exact)
      this.breaks(
        'the children of a split cover their parent exactly',
        `[${before.start}, ${before.end}) → ${shown}`,
      )
  }

  /** S8. */
  private runChanged({ command }: Step, after: Run): void {
    const before = this.runs.get(after.id)
    this.runs.set(after.id, after)
    const over = before !== undefined && before.state !== 'initializing' && before.state !== 'active'
    if (over && before.state !== after.state)
      this.breaks('a run that is over stays as it is', `${told(command)}: ${before.state} → ${after.state}`)
  }

  /** S9, and that no free shard waits behind another. */
  private claimed({ command, nowMs, result }: Step): void {
    const { run: id, worker } = command
    const last = this.claims.get(`${id} ${worker}`)
    const pauseMs = this.runs.get(id)?.cooldownMs ?? 0
    if (last !== undefined && nowMs < last + pauseMs)
      this.breaks('a worker waits between two claims', `${worker} claims at ${last} and at ${nowMs}`)
    this.claims.set(`${id} ${worker}`, nowMs)
    const first = this.free(id, nowMs).sort((a, b) => (a.start < b.start ? -1 : 1))[0] as Shard | undefined
    if (first !== undefined && result.range.start > first.start)
      this.breaks('a claim gets the first free shard', `${result.shard}, not ${first.id}`)
  }

  /** The active shards of a run without a lease in force. */
  private free(id: string, nowMs: number): Shard[] {
    return [...this.shards.values()].filter(
      ({ run, state, lease }) =>
        run === id && state === 'active' && (lease === null || nowMs >= lease.deadlineMs),
    )
  }

  private hint({ command, nowMs, result }: Step): void {
    const { length } = this.free(command.run, nowMs)
    if (length !== result.available)
      this.breaks('the hint says how many shards are free', `${result.available}, not ${length}`)
  }

  /** C1 to C4, and that nothing is recorded twice. */
  private ledger({ findings }: Step, shard: Shard | undefined): void {
    for (const finding of findings) {
      const key = `${finding.run}/${finding.shard}`
      if (this.given.get(`${key} ${finding.fence}`) !== finding.worker)
        this.breaks('a finding names a lease that was given', named(finding))
      if (shard?.state !== 'active')
        this.breaks('no finding comes after the end of its shard', `${named(finding)}: it is ${shard?.state}`)
      else if (finding.fence !== shard.fence)
        this.breaks('a finding has the fence of its shard', `${named(finding)}: the shard has ${shard.fence}`)
      if (finding.fence < (this.ledgerFences.get(key) ?? 0))
        this.breaks('the fences of the ledger never fall', named(finding))
      this.ledgerFences.set(key, finding.fence)
      const where = `${finding.run}/${finding.key}`
      if (this.findings.has(where)) this.breaks('a finding is recorded once', named(finding))
      this.findings.add(where)
    }
  }

  /** A process started or ended. */
  ended({ process, change, code, signal, ordered }: Ended): void {
    // 0: asked to; 4: its disk failed, and it is started again.
    if (change === 'exit' && !ordered && code !== 0 && code !== 4)
      this.breaks('a server ends only for a reason', `${process} ends with ${code ?? signal}`)
  }
}

/** The same id with the same payload. */
function isSame(first: LoggedOperation, { op, cursor, reason, children, at }: Command): boolean {
  return first.kind === op && first.hash === hashOf(op, { cursor, reason, children, at })
}

function keyOf({ run, id }: Shard): string {
  return `${run}/${id}`
}

/** What may not change; a replayed operation changes nothing at all. */
function stable({ state, fence, start, end, cursor, spawned }: Shard): object {
  return { state, fence, start, end, cursor, spawned }
}

function told({ op, run, shard, operation }: Command): string {
  return `${op} of ${run}/${shard}${operation === undefined ? '' : ` (${operation})`}`
}

function named({ run, key, shard, fence, worker }: Finding): string {
  return `${run}/${key} by ${worker}, shard ${shard}, fence ${fence}`
}

interface Ended {
  readonly process: string
  readonly change: string
  readonly code: number | null
  readonly signal: string | null
  readonly ordered: boolean
}
