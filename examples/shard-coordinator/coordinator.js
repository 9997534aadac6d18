// @ts-check
/**
 * The coordinator as one pure state machine: `execute(command, now)` changes the records and returns the result. It
 * opens no socket or file and reads no clock; `now` comes with the command. machine.js replicates it.
 *
 * Workers hold leases of shards. Every new lease has a fence, one higher than the last: an operation with an older
 * fence comes from a worker that lost its lease, whatever that worker believes. Checks come in one order:
 *
 *   the operation's id → tenant → terminal → fence → expiry → owner → what the operation itself asks for
 *
 * The id comes first: a worker that got no answer sends the operation again, and by then its lease may be over or its
 * shard done, by that very operation. The first answer is the only right one.
 *
 * @import { Command, Cursor, Finding, Lease, LoggedOperation, Range, Result, Run, Shard } from './types.ts'
 */
import { mutant } from '../mutants.js'
import { derivedId, hashOf, rootId } from './ids.js'
import { Ledger } from './ledger.js'
import { isBefore, isIn, isRange } from './ranges.js'

export const LIMITS = {
  shardOperations: 16,
  runOperations: 8,
  children: 256,
  spawned: 1024,
  shardsPerTenant: 4096,
  shards: 16_384,
  keyChars: 256,
  tokenChars: 1024,
}

/** Leases are counted in whole ticks, so that the edge of a deadline is an instant that tests can meet. */
export const TICK_MS = 50

export const PARK_REASONS = ['permission-denied', 'not-found', 'poisoned', 'too-many-errors', 'other']
export const CURSOR_MEANINGS = ['completed', 'dispatched']
const FIRST_FENCE = 1

/** A refusal: unwinds an operation that has changed nothing yet. */
class Refused {
  /** @param {string} error @param {object} [details] */
  constructor(error, details = {}) {
    this.result = { error, ...details }
  }
}

/** @typedef {{ -readonly [K in keyof Shard]: Shard[K] } & { log: LoggedOperation[], spawned: string[] }} MutableShard */
/** @typedef {{ -readonly [K in keyof Run]: Run[K] } & { log: LoggedOperation[], claims: Record<string, number> }} MutableRun */

export class Coordinator {
  /** @type {Map<string, MutableRun>} */
  #runs = new Map()
  /** By run and id. @type {Map<string, MutableShard>} */
  #shards = new Map()
  /** The shards of every run, in the order of their keys. @type {Map<string, MutableShard[]>} */
  #shardsByRun = new Map()
  /** When the last command was executed: queries see leases as they were then. */
  #nowMs = 0
  ledger = new Ledger()
  /** What the running command changed. @type {{ shards: Set<MutableShard>, runs: Set<MutableRun>, findings: Finding[] }} */
  #changed = { shards: new Set(), runs: new Set(), findings: [] }

  /**
   * @param {Command} command one that `check` of machine.js accepts
   * @param {number} timeMs
   * @returns {{ result: Result, nowMs: number, shards: Shard[], runs: Run[], findings: Finding[] }}
   */
  execute(command, timeMs) {
    const nowMs = Math.floor(timeMs / TICK_MS) * TICK_MS
    this.#nowMs = nowMs
    this.#changed = { shards: new Set(), runs: new Set(), findings: [] }
    let result
    try {
      result = this.#perform(command, nowMs)
    } catch (refused) {
      if (!(refused instanceof Refused)) throw refused
      ;({ result } = refused)
    }
    const { shards, runs, findings } = this.#changed
    return { result, nowMs, shards: [...shards], runs: [...runs], findings }
  }

  /** @param {Command} command @param {number} now @returns {Result} */
  #perform(command, now) {
    switch (command.op) {
      case 'create-run':
        return this.#createRun(command, now)
      case 'register-shards':
        return this.#runOperation(command, now, (run) => this.#register(run, command))
      case 'complete-run':
      case 'fail-run':
      case 'cancel-run':
        return this.#runOperation(command, now, (run) => this.#terminate(run, command.op))
      case 'unpark':
        return this.#adminOperation(command, now, (shard) => this.#unpark(shard))
      case 'claim':
        return this.#claim(command, now)
      case 'acquire':
        return this.#acquire(command, now)
      case 'renew':
        return this.#renew(command, now)
      case 'record':
        return this.#record(command, now)
      case 'checkpoint':
        return this.#leased(command, now, (shard) => this.#moveCursor(shard, command.cursor))
      case 'complete':
        return this.#leased(command, now, (shard) => this.#complete(shard, command.cursor))
      case 'park':
        return this.#leased(command, now, (shard) => this.#park(shard, command.reason))
      case 'split-replace':
        return this.#leased(command, now, (shard) => this.#splitReplace(shard, command))
      default:
        return this.#leased(command, now, (shard) => this.#splitResidual(shard, command))
    }
  }

  // Runs.

  /** @param {Command} command @param {number} now */
  #createRun({ tenant, run: id, op, operation, leaseMs, cooldownMs, cursorMeans = 'completed' }, now) {
    const existing = this.#runs.get(id)
    const payload = { leaseMs, cooldownMs, cursorMeans }
    if (existing !== undefined) {
      const again = existing.tenant === tenant ? replayOf(existing.log, operation, hashOf(op, payload)) : null
      return again ?? refuse('run-exists')
    }
    /** @type {MutableRun} */
    const run = {
      id,
      tenant,
      state: 'initializing',
      leaseMs,
      cooldownMs,
      cursorMeans,
      claims: {},
      log: [],
    }
    this.#runs.set(id, run)
    return this.#logged(run, operation, op, hashOf(op, payload), now, { state: run.state })
  }

  /** Idempotency → tenant → terminal → the operation. @param {Command} command @param {number} now @param {(run: MutableRun) => object} change */
  #runOperation(command, now, change) {
    const run = this.#runs.get(command.run) ?? refuse('run-not-found')
    const { op, operation, shards } = command
    const hash = hashOf(op, { shards })
    const again = run.tenant === command.tenant ? replayOf(run.log, operation, hash) : null
    if (again !== null) return again
    if (run.tenant !== command.tenant) refuse('tenant-mismatch')
    if (isOver(run) && !mutant('run-reopened')) refuse('run-terminal')
    return this.#logged(run, operation, op, hash, now, change(run))
  }

  /** @param {MutableRun} run @param {Command} command */
  #register(run, { shards }) {
    if (run.state !== 'initializing') refuse('run-registered')
    const sorted = /** @type {Range[]} */ (shards).toSorted((a, b) => (a.start < b.start ? -1 : 1))
    const apart = sorted.every((range, at) => at === 0 || isBefore(sorted[at - 1], range))
    if (!apart || !sorted.every(isRange)) refuse('ranges-invalid')
    this.#makeRoomFor(run, sorted.length)
    sorted.forEach((range, at) => this.#addShard(run, rootId(at), null, range))
    run.state = 'active'
    return { state: run.state, shards: this.#shardsOf(run).map(({ id }) => id) }
  }

  /** @param {MutableRun} run @param {string} op */
  #terminate(run, op) {
    if (op !== 'cancel-run' && run.state === 'initializing') refuse('run-not-active')
    const finished = this.#shardsOf(run).every(({ state }) => state === 'done' || state === 'split')
    if (op === 'complete-run' && !finished) refuse('run-unfinished')
    run.state = op === 'complete-run' ? 'done' : op === 'fail-run' ? 'failed' : 'cancelled'
    return { state: run.state }
  }

  // Leases.

  /** The next free shard, by its first key. @param {Command} command @param {number} now */
  #claim(command, now) {
    const run = this.#activeRun(command)
    const waitMs = (run.claims[command.worker] ?? -Infinity) + run.cooldownMs - now
    if (waitMs > 0 && mutant('throttled-claim-counts')) this.#noteClaim(run, command.worker, now)
    if (waitMs > 0 && !mutant('no-cooldown')) refuse('throttled', { retryAfterMs: waitMs })
    const active = this.#shardsOf(run).filter(({ state }) => state === 'active')
    const free = active.filter((shard) => !isHeld(shard, now) || mutant('claim-takes-held'))
    if (free.length === 0) {
      const earliestMs = Math.min(...active.map(({ lease }) => /** @type {Lease} */ (lease).deadlineMs))
      refuse('none-available', { retryAfterMs: Number.isFinite(earliestMs) ? earliestMs - now : null })
    }
    this.#noteClaim(run, command.worker, now)
    return this.#give(run, free[mutant('claim-takes-last') ? free.length - 1 : 0], command.worker, now)
  }

  /** Remembers when a worker claimed, and forgets those whose pause is over. @param {MutableRun} run @param {string} worker @param {number} now */
  #noteClaim(run, worker, now) {
    const waiting = Object.entries(run.claims).filter(([, claimedMs]) => claimedMs + run.cooldownMs > now)
    run.claims = { ...Object.fromEntries(waiting), [worker]: now }
    this.#changed.runs.add(run)
  }

  /** @param {Command} command @param {number} now */
  #acquire(command, now) {
    const run = this.#activeRun(command)
    const shard = this.#shardOf(command)
    if (shard.state !== 'active' && !mutant('terminal-left')) refuse('shard-terminal')
    if (isHeld(shard, now)) {
      const { owner, deadlineMs } = shard.lease
      const more = mutant('refusal-names-owner') ? { owner } : {}
      refuse('lease-held', { retryAfterMs: deadlineMs - now, ...more })
    }
    return this.#give(run, shard, command.worker, now)
  }

  /** @param {MutableRun} run @param {MutableShard} shard @param {string} owner @param {number} now */
  #give(run, shard, owner, now) {
    shard.state = 'active'
    if (!mutant('fence-not-raised')) shard.fence++
    shard.lease = { owner, deadlineMs: now + run.leaseMs }
    this.#changed.shards.add(shard)
    const { id, start, end, fence, cursor } = shard
    const lease = { shard: id, fence, deadlineMs: now + run.leaseMs, leaseMs: run.leaseMs }
    const { cursorMeans } = run
    return { ...lease, range: { start, end }, cursor, cursorMeans, available: this.#available(run, now) }
  }

  /** @param {Command} command @param {number} now */
  #renew(command, now) {
    const { run, shard } = this.#held(command, now)
    shard.lease = { owner: command.worker, deadlineMs: now + run.leaseMs }
    this.#changed.shards.add(shard)
    const { fence } = shard
    return {
      fence,
      deadlineMs: now + run.leaseMs,
      leaseMs: run.leaseMs,
      available: this.#available(run, now),
    }
  }

  /** How many shards a claim could get: a hint for workers that think of splitting. @param {MutableRun} run @param {number} now */
  #available(run, now) {
    const stale = mutant('hint-forgets-expiry')
    const free = (/** @type {MutableShard} */ shard) => (stale ? shard.lease === null : !isHeld(shard, now))
    return this.#shardsOf(run).filter((shard) => shard.state === 'active' && free(shard)).length
  }

  // Operations of the holder of a lease.

  /**
   * An operation with an id: the answer of the first time, or the checks and the change.
   * @param {Command} command @param {number} now @param {(shard: MutableShard) => object} change
   */
  #leased(command, now, change) {
    const { op, operation, cursor, reason, children, at } = command
    const hash = hashOf(op, { cursor, reason, children, at })
    if (mutant('lease-before-id')) this.#held(command, now)
    const again = this.#replay(command, hash)
    if (again !== null) return again
    const { shard } = this.#held(command, now)
    const result = change(shard)
    const run = /** @type {MutableRun} */ (this.#runs.get(command.run))
    return this.#logged(shard, operation, op, hash, now, { ...result, available: this.#available(run, now) })
  }

  /** @param {Command} command @param {string} hash @returns {Result | null} */
  #replay(command, hash) {
    if (this.#runs.get(command.run)?.tenant !== command.tenant) return null
    const shard = this.#shards.get(keyOf(command.run, command.shard))
    if (shard === undefined) return null
    const again = replayOf(shard.log, command.operation, hash)
    if (again !== null || command.op !== 'split-residual' || mutant('residual-forgotten')) return again
    // The log has forgotten it, but the child is still there, under an id that follows from the operation.
    const child = derivedId(command, 'residual', 0)
    if (!shard.spawned.includes(child)) return null
    // A child never loses its first key, so the key tells whether it is the same split.
    const same = this.#shards.get(keyOf(command.run, child))?.start === command.at
    if (!same && !mutant('forgotten-conflict')) refuse('operation-conflict')
    return { shard: child, replayed: true }
  }

  /** Tenant → terminal → fence → expiry → owner. @param {Command} command @param {number} now */
  #held(command, now) {
    const run = this.#activeRun(command)
    const shard = this.#shardOf(command)
    if (shard.state !== 'active') refuse('shard-terminal')
    const { lease } = shard
    const expired = mutant('deadline-included') ? now > (lease?.deadlineMs ?? 0) : !isHeld(shard, now)
    if (expired && mutant('expiry-before-fence')) refuse('lease-expired', { deadlineMs: null, nowMs: now })
    if (shard.fence !== command.fence && !mutant('stale-fence-accepted'))
      refuse('stale-fence', { presented: command.fence, current: shard.fence })
    if (expired) refuse('lease-expired', { deadlineMs: lease?.deadlineMs ?? null, nowMs: now })
    if (lease?.owner !== command.worker && !mutant('owner-not-checked')) refuse('not-owner')
    return { run, shard }
  }

  /** @param {MutableShard} shard @param {Cursor} cursor */
  #moveCursor(shard, cursor) {
    const { key, token } = cursor
    if (key === '') refuse('cursor-missing-key')
    if (key.length > LIMITS.keyChars) refuse('cursor-key-too-large')
    if (token.length > LIMITS.tokenChars) refuse('cursor-token-too-large')
    if (shard.cursor !== null && key < shard.cursor.key && !mutant('cursor-goes-back'))
      refuse('cursor-regression')
    if (!isIn(shard, key) && !mutant('cursor-leaves-shard')) refuse('cursor-out-of-bounds')
    shard.cursor = { key, token }
    return { key }
  }

  /** @param {MutableShard} shard @param {Cursor | null} cursor null for a shard without a key */
  #complete(shard, cursor) {
    if (cursor !== null) this.#moveCursor(shard, cursor)
    shard.state = 'done'
    shard.lease = null
    return { state: shard.state }
  }

  /** @param {MutableShard} shard @param {string} reason */
  #park(shard, reason) {
    shard.state = 'parked'
    shard.parkReason = reason
    if (!mutant('park-keeps-lease')) shard.lease = null
    return { state: shard.state }
  }

  /** Only a person brings a parked shard back. @param {MutableShard} shard */
  #unpark(shard) {
    if (shard.state !== 'parked') refuse('not-parked')
    shard.state = 'active'
    shard.parkReason = null
    if (!mutant('unpark-keeps-fence')) shard.fence++
    return { state: shard.state, fence: shard.fence }
  }

  /** Children take the place of the shard. @param {MutableShard} shard @param {Command} command */
  #splitReplace(shard, command) {
    /** @type {Range[]} */
    const children = command.children
    if (children.length < 2 || children.length > LIMITS.children || !children.every(isRange))
      refuse('split-invalid')
    const whole = children[0].start === shard.start && children.at(-1)?.end === shard.end
    const joined = children.every((child, at) => at === 0 || children[at - 1].end === child.start)
    if (!whole || (!joined && !mutant('split-gaps-accepted'))) refuse('split-invalid')
    const ids = this.#spawn(shard, command, 'replace', children)
    shard.state = 'split'
    shard.lease = null
    return { shards: mutant('split-answers-all-children') ? [...shard.spawned] : ids }
  }

  /** The shard keeps what lies before a key, a child gets the rest. @param {MutableShard} shard @param {Command} command */
  #splitResidual(shard, command) {
    const { at } = command
    const scanned = shard.cursor !== null && at <= shard.cursor.key
    if (scanned || !isIn(shard, at) || at === shard.start) refuse('split-invalid')
    const start = mutant('split-skips-a-key') ? `${at}\0` : at
    const [child] = this.#spawn(shard, command, 'residual', [{ start, end: shard.end }])
    shard.end = at
    return { shard: child }
  }

  /** @param {MutableShard} shard @param {Command} command @param {string} kind @param {readonly Range[]} ranges */
  #spawn(shard, command, kind, ranges) {
    const run = /** @type {MutableRun} */ (this.#runs.get(shard.run))
    if (shard.spawned.length + ranges.length > LIMITS.spawned) refuse('resource-exhausted')
    this.#makeRoomFor(run, ranges.length)
    const ids = ranges.map((_, at) => derivedId(command, kind, at))
    if (ids.some((id) => this.#shards.has(keyOf(run.id, id)))) refuse('split-invalid')
    ids.forEach((id, at) => this.#addShard(run, id, shard.id, ranges[at]))
    shard.spawned.push(...ids)
    return ids
  }

  // The ledger.

  /** What a worker found goes into the ledger under its lease. A finding that is there already stays as it is. @param {Command} command @param {number} now */
  #record(command, now) {
    const { shard } = mutant('ledger-without-lease')
      ? { shard: this.#shardOf(command) }
      : this.#held(command, now)
    if (/** @type {string[]} */ (command.keys).some((key) => !isIn(shard, key)))
      refuse('finding-out-of-bounds')
    const { run, worker, fence } = command
    const fresh = this.ledger.record({ run, shard: shard.id, worker, fence }, command.keys)
    this.#changed.findings.push(...fresh)
    return { recorded: fresh.length, known: command.keys.length - fresh.length }
  }

  // Queries: answers from the records as they are.

  /** @param {any} query */
  query({ op, tenant, run: id, filter = 'all' }) {
    const run = this.#runs.get(id)
    if (run === undefined) return { error: 'run-not-found' }
    if (run.tenant !== tenant) return { error: 'tenant-mismatch' }
    const shards = this.#shardsOf(run)
    const { state, leaseMs, cooldownMs, cursorMeans } = run
    if (op === 'run') return { state, leaseMs, cooldownMs, cursorMeans }
    if (op === 'findings') return { findings: this.ledger.of(id) }
    if (op === 'progress') return { state, ...countsOf(shards), available: this.#available(run, this.#nowMs) }
    const shown = shards
      .map((shard) => ({ ...shard, leased: isHeld(shard, this.#nowMs) }))
      .filter((shard) => isShown(shard, filter))
    return { shards: shown.map(({ log: _log, lease: _lease, ...rest }) => rest) }
  }

  // Records.

  /** @param {Command} command */
  #activeRun({ run: id, tenant }) {
    const run = this.#runs.get(id) ?? refuse('run-not-found')
    if (run.tenant !== tenant) refuse('tenant-mismatch')
    if (isOver(run)) refuse('run-terminal')
    if (run.state === 'initializing') refuse('run-not-active')
    return run
  }

  /** @param {Command} command */
  #shardOf({ run, shard }) {
    return this.#shards.get(keyOf(run, shard)) ?? refuse('shard-not-found')
  }

  /** In the order of their keys. @param {MutableRun} run */
  #shardsOf(run) {
    return this.#shardsByRun.get(run.id) ?? []
  }

  /** @param {MutableRun} run @param {number} count */
  #makeRoomFor(run, count) {
    const ofTenant = [...this.#shards.values()].filter(
      ({ run: id }) => this.#runs.get(id)?.tenant === run.tenant,
    )
    const tooMany =
      ofTenant.length + count > LIMITS.shardsPerTenant || this.#shards.size + count > LIMITS.shards
    if (tooMany) refuse('resource-exhausted')
  }

  /** @param {MutableRun} run @param {string} id @param {string | null} parent @param {Range} range */
  #addShard(run, id, parent, { start, end }) {
    /** @type {MutableShard} */
    const shard = {
      id,
      run: run.id,
      parent,
      start,
      end,
      state: 'active',
      parkReason: null,
      fence: FIRST_FENCE,
      lease: null,
      cursor: null,
      spawned: [],
      log: [],
    }
    this.#shards.set(keyOf(run.id, id), shard)
    this.#shardsByRun.set(run.id, [...this.#shardsOf(run), shard].sort(byKey))
    this.#changed.shards.add(shard)
  }

  /** An operation of a person on a shard: no lease is asked for. @param {Command} command @param {number} now @param {(shard: MutableShard) => object} change */
  #adminOperation(command, now, change) {
    const hash = hashOf(command.op, {})
    const again = this.#replay(command, hash)
    if (again !== null) return again
    this.#activeRun(command)
    const shard = this.#shardOf(command)
    return this.#logged(shard, command.operation, command.op, hash, now, change(shard))
  }

  /**
   * @param {MutableShard | MutableRun} record @param {string} id @param {string} kind @param {string} hash
   * @param {number} timeMs @param {Result} result
   */
  #logged(record, id, kind, hash, timeMs, result) {
    const ofShard = 'fence' in record
    const most = ofShard ? LIMITS.shardOperations : LIMITS.runOperations
    record.log.push({ id, kind, hash, result, timeMs })
    if (record.log.length > most && !mutant('log-without-limit')) record.log.shift()
    if (ofShard) this.#changed.shards.add(record)
    else this.#changed.runs.add(record)
    return result
  }

  // Snapshots.

  snapshot() {
    const bare = mutant('log-not-in-snapshot')
    const shards = [...this.#shards.values()].map((shard) => (bare ? { ...shard, log: [] } : shard))
    return { nowMs: this.#nowMs, runs: [...this.#runs.values()], shards, ledger: this.ledger.snapshot() }
  }

  /** @param {any} snapshot */
  restore({ nowMs, runs, shards, ledger }) {
    this.#nowMs = nowMs
    this.#runs = new Map(runs.map((/** @type {MutableRun} */ run) => [run.id, run]))
    this.#shards = new Map(
      shards.map((/** @type {MutableShard} */ shard) => [keyOf(shard.run, shard.id), shard]),
    )
    this.#shardsByRun = new Map(
      runs.map((/** @type {MutableRun} */ { id }) => [
        id,
        shards.filter((/** @type {MutableShard} */ { run }) => run === id).sort(byKey),
      ]),
    )
    this.ledger.restore(ledger)
  }
}

/** @param {string} error @param {object} [details] @returns {never} */
function refuse(error, details) {
  throw new Refused(error, details)
}

/** The answer of the first time; null when there was none. @param {readonly LoggedOperation[]} log @param {string} id @param {string} hash */
function replayOf(log, id, hash) {
  const first = log.find((each) => each.id === id)
  if (first === undefined) return null
  if (first.hash !== hash && !mutant('conflict-not-noticed')) refuse('operation-conflict')
  return { .../** @type {object} */ (first.result), replayed: true }
}

/** By first key; shards with the same first key by id. @param {MutableShard} a @param {MutableShard} b */
function byKey(a, b) {
  if (a.start !== b.start) return a.start < b.start ? -1 : 1
  return a.id < b.id ? -1 : 1
}

/** @param {string} run @param {string} shard */
function keyOf(run, shard) {
  return `${run}/${shard}`
}

/** @param {MutableShard} shard @param {number} now @returns {shard is MutableShard & { lease: Lease }} */
function isHeld(shard, now) {
  return shard.lease !== null && now < shard.lease.deadlineMs
}

/** @param {MutableRun} run */
function isOver({ state }) {
  return state === 'done' || state === 'failed' || state === 'cancelled'
}

/** @param {MutableShard & { leased: boolean }} shard @param {string} filter */
function isShown({ state, leased, parent }, filter) {
  if (filter === 'active' || filter === 'parked') return state === filter
  if (filter === 'available') return state === 'active' && !leased
  return filter === 'all' || parent === null
}

/** @param {readonly MutableShard[]} shards */
function countsOf(shards) {
  const counts = { active: 0, done: 0, split: 0, parked: 0 }
  for (const { state } of shards) counts[state]++
  return counts
}
