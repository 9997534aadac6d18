/**
 * `locks`, of Node 24 and later: what `navigator.locks` asks for, held by the threads of one process together. Follows the
 * Web Locks API (w3c.github.io/web-locks) as src/node_locks.cc has it: requests are granted in order, those for shared
 * locks together; a thread grants only its own, and wakes the others; a callback that throws at once keeps its lock.
 */
import { types } from 'node:util'
import { current } from '../../process/current.ts'
import type { Binding } from '../../library/internals.ts'
import type { RunningProcess } from '../../process/running-process.ts'
import { closed } from '../binding.ts'

interface LockInfo {
  readonly name: string
  readonly mode: string
  readonly clientId: string
}

interface LockRequest {
  readonly owner: RunningProcess
  readonly info: LockInfo
  readonly steals: boolean
  readonly ifAvailable: boolean
  readonly callback: (lock: LockInfo | null) => unknown
  readonly released: PromiseParts
}

interface PromiseParts {
  readonly promise: Promise<unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (reason: unknown) => void
}

const STOLEN = 'LOCK_STOLEN'
const tables = new WeakMap<RunningProcess, LockTable>()

export function locks(process: RunningProcess): Binding {
  let table = tables.get(process.main)
  if (table === undefined) tables.set(process.main, (table = new LockTable()))
  return closed('locks', {
    request: (
      name: string,
      clientId: string,
      mode: string,
      steals: boolean,
      ifAvailable: boolean,
      callback: LockRequest['callback'],
    ) => {
      const info = { name, mode, clientId }
      return table.request({ owner: current(), info, steals, ifAvailable, callback, released: parts() })
    },
    query: async () => table.snapshot(current()),
  })
}

/** A promise whose rejection is handled elsewhere. */
function parts(): PromiseParts {
  const { promise, resolve, reject } = withResolvers()
  promise.then(undefined, () => {})
  return { promise, resolve, reject }
}

function withResolvers(): PromiseParts {
  let resolve!: PromiseParts['resolve']
  let reject!: PromiseParts['reject']
  const promise = new Promise<unknown>((...settle) => ([resolve, reject] = settle))
  return { promise, resolve, reject }
}

class LockTable {
  private held: LockRequest[] = []
  private pending: LockRequest[] = []
  private readonly owners = new WeakSet<RunningProcess>()

  request(request: LockRequest): Promise<unknown> {
    const { owner } = request
    if (!this.owners.has(owner)) {
      this.owners.add(owner)
      owner.natives.add({ close: () => this.forget(owner) })
    }
    if (request.steals) this.pending.unshift(request)
    else this.pending.push(request)
    this.grant(owner)
    return request.released.promise
  }

  /** The locks that a thread has and waits for. */
  snapshot(owner: RunningProcess): { held: LockInfo[]; pending: LockInfo[] } {
    const mine = (requests: readonly LockRequest[]): LockInfo[] =>
      requests.filter((request) => request.owner === owner).map(({ info }) => ({ ...info }))
    return { held: mine(this.held), pending: mine(this.pending) }
  }

  /** Answers what a thread has asked for, as far as that can be answered now. */
  private grant(owner: RunningProcess): void {
    for (;;) {
      this.wakeOthers(owner)
      const request = this.pending.find(
        (each) => each.owner === owner && (each.ifAvailable || this.isGrantable(each)),
      )
      if (request === undefined) return
      const free = this.isGrantable(request)
      this.pending.splice(this.pending.indexOf(request), 1)
      if (!free) {
        this.decline(request)
        return
      }
      if (request.steals) this.steal(request.info.name)
      this.held.push(request)
      if (!this.call(request)) return
    }
  }

  private isGrantable(request: LockRequest): boolean {
    const alike = ({ info }: LockRequest): boolean => info.name === request.info.name
    const first = this.pending.find(alike)!
    const isShared = request.info.mode === 'shared'
    if (first !== request && !(isShared && first.info.mode === 'shared')) return false
    if (request.steals) return true
    return this.held.filter(alike).every(({ info }) => isShared && info.mode === 'shared')
  }

  /** Calls who now has a lock; false when that threw. */
  private call(request: LockRequest): boolean {
    const { callback, info, released } = request
    let result: unknown
    try {
      result = callback({ ...info })
    } catch (error) {
      released.reject(error)
      return false
    }
    if (types.isPromise(result)) {
      result.then(
        (value) => this.release(request, () => released.resolve(value)),
        (error: unknown) => this.release(request, () => released.reject(error)),
      )
    } else this.release(request, () => released.resolve(result))
    return true
  }

  private decline({ callback, released }: LockRequest): void {
    try {
      const result = callback(null)
      if (types.isPromise(result)) result.then(released.resolve, released.reject)
      else released.resolve(result)
    } catch (error) {
      released.reject(error)
    }
  }

  private steal(name: string): void {
    for (const { info, released } of this.held) if (info.name === name) released.reject(new Error(STOLEN))
    this.held = this.held.filter(({ info }) => info.name !== name)
  }

  /** The callback is done; had the lock been stolen, its promise is settled already. */
  private release(request: LockRequest, settle: () => void): void {
    this.held = this.held.filter((each) => each !== request)
    settle()
    this.grant(request.owner)
  }

  private wakeOthers(owner: RunningProcess): void {
    const others = new Set(this.pending.map((request) => request.owner))
    others.delete(owner)
    for (const other of others) {
      const canMove = this.pending.some((each) => each.owner === other && this.isGrantable(each))
      if (canMove) other.later('lock', 0, () => this.grant(other))
    }
  }

  private forget(owner: RunningProcess): void {
    this.held = this.held.filter((request) => request.owner !== owner)
    this.pending = this.pending.filter((request) => request.owner !== owner)
    this.wakeOthers(owner)
  }
}
