/**
 * Seeded histories for the linearizability benches. A register is simulated: each client runs one operation at a time,
 * which takes effect at a random moment between its invocation and its return; an operation of unknown outcome takes
 * effect, at any time after its invocation, with probability 1/2.
 *
 * A planted stale read returns a value that the register had lost before the read began: if possible one that nothing
 * can explain (no operation that writes it was open, and another write began after all of them had returned), which
 * unknown outcomes soon rule out; then one that had been overwritten, which an unknown write may well explain.
 */
import { HistoryBuilder } from '../../src/history/history-builder.ts'
import type { History } from '../../src/history/index.ts'

/** Mulberry32: small, fast, and the same everywhere. */
export function generator(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

export interface RegisterHistoryOptions {
  readonly seed: number
  readonly operations: number
  readonly clients: number
  /** Number of different values; `unique`: each write has its own, and there is no cas. */
  readonly values: number | 'unique'
  readonly unknownPpm: number
  /** Plants one stale read, in this part of the history (fractions of its length); null plants none. */
  readonly staleRead: readonly [from: number, to: number] | null
}

/** Operations for which a stale read that nothing can explain is waited for. */
const PATIENCE = 300

interface Pending {
  readonly process: number
  readonly f: 'read' | 'write' | 'cas'
  readonly input: unknown
  readonly unknown: boolean
  readonly invokedAt: number
  readonly invokeClock: number
  /** For reads: values that nothing could explain. */
  readonly lost: Set<unknown>
  effectAt: number
  endAt: number
  output: unknown
  matched: boolean
}

export function registerHistory(options: RegisterHistoryOptions): History {
  const builder = new HistoryBuilder()
  for (const event of registerEvents(options)) builder.event(event)
  return builder.finish()
}

interface Event {
  readonly type: 'invoke' | 'ok' | 'fail' | 'info'
  readonly process: number
  readonly f: string
  readonly value: unknown
}

export function registerEvents({
  seed,
  operations,
  clients,
  values,
  unknownPpm,
  staleRead,
}: RegisterHistoryOptions): Event[] {
  const random = generator(seed)
  const pick = (n: number): number => Math.floor(random() * n)
  const events: Event[] = []
  const written: unknown[] = []
  const late: Pending[] = []
  const running: (Pending | null)[] = Array.from({ length: clients }, () => null)
  const processes = Array.from({ length: clients }, (_, i) => i)
  const [firstPart, lastPart] = staleRead ?? [0, 0]
  const planted =
    staleRead !== null ? Math.floor(operations * (firstPart + (lastPart - firstPart) * random())) : -1
  let value: unknown = null
  let fresh = 0
  let started = 0
  let stale = false
  // For planting: events so far, operations under way per value, and when the last of them returned.
  let clock = 0
  const flying = new Map<unknown, number>()
  const lastReturn = new Map<unknown, number>()
  let latestWriteInvoke = -1

  const lostValues = (): Set<unknown> =>
    new Set(
      [...lastReturn]
        .filter(([v, at]) => (flying.get(v) ?? 0) === 0 && at < latestWriteInvoke)
        .map(([v]) => v),
    )

  const invoke = (client: number, now: number): void => {
    const kind = values === 'unique' ? pick(2) : pick(3)
    const f = kind === 0 ? ('read' as const) : kind === 1 ? ('write' as const) : ('cas' as const)
    const one = (): number => (values === 'unique' ? fresh++ : pick(values))
    const input = f === 'read' ? null : f === 'write' ? one() : [one(), one()]
    const effectAt = now + random() * 10
    const unknown = f !== 'read' && random() * 1_000_000 < unknownPpm
    const endAt = effectAt + random() * 10
    const operation: Pending = {
      process: processes[client],
      f,
      input,
      unknown,
      invokedAt: written.length,
      invokeClock: clock++,
      lost: f === 'read' && staleRead !== null && !stale ? lostValues() : new Set(),
      effectAt,
      endAt,
      output: null,
      matched: true,
    }
    if (unknown) {
      operation.effectAt =
        random() < 0.5 ? Number.POSITIVE_INFINITY : effectAt + (random() < 0.2 ? random() * 1000 : 0)
      late.push(operation)
      processes[client] += clients
    }
    if (f !== 'read' && staleRead !== null) {
      const target = f === 'write' ? input : (input as unknown[])[1]
      flying.set(target, (flying.get(target) ?? 0) + 1)
      for (const other of running) other?.lost.delete(target)
    }
    running[client] = operation
    events.push({ type: 'invoke', process: operation.process, f, value: input })
    started++
  }

  const effect = (operation: Pending): void => {
    operation.effectAt = Number.POSITIVE_INFINITY
    if (operation.f === 'read') operation.output = value
    else if (operation.f === 'write') written.push((value = operation.input))
    else {
      const [from, to] = operation.input as [unknown, unknown]
      operation.matched = from === value
      if (operation.matched) written.push((value = to))
    }
  }

  const end = (client: number, operation: Pending): void => {
    const { process, f, input, unknown } = operation
    running[client] = null
    let output = f === 'read' ? operation.output : input
    clock++
    if (f !== 'read' && !unknown && staleRead !== null) {
      const target = f === 'write' ? input : (input as unknown[])[1]
      flying.set(target, flying.get(target)! - 1)
      if (operation.matched) {
        lastReturn.set(target, clock)
        latestWriteInvoke = Math.max(latestWriteInvoke, operation.invokeClock)
      }
    }
    if (f === 'read' && planted >= 0 && !stale && started > planted && operation.lost.size > 0) {
      stale = true
      output = [...operation.lost][0]
    } else if (f === 'read' && planted >= 0 && !stale && started > planted + PATIENCE) {
      const recent = new Set(written.slice(Math.max(0, operation.invokedAt - 1)))
      const old = written.slice(Math.max(0, operation.invokedAt - 40), Math.max(0, operation.invokedAt - 1))
      const candidate = old.reverse().find((v) => !recent.has(v))
      if (candidate !== undefined) {
        stale = true
        output = candidate
      }
    }
    if (unknown) events.push({ type: 'info', process, f, value: input })
    else events.push({ type: operation.matched ? 'ok' : 'fail', process, f, value: output })
  }

  const idleUntil = Array.from({ length: clients }, () => random() * 10)
  for (;;) {
    let at = Number.POSITIVE_INFINITY
    let act: (() => void) | null = null
    for (let client = 0; client < clients; client++) {
      const operation = running[client]
      if (operation === null) {
        if (started < operations && idleUntil[client] < at) {
          at = idleUntil[client]
          const now = at
          act = () => invoke(client, now)
        }
      } else {
        if (!operation.unknown && operation.effectAt < at) {
          at = operation.effectAt
          act = () => effect(operation)
        }
        if (operation.endAt < at) {
          at = operation.endAt
          const now = at
          act = () => {
            end(client, operation)
            idleUntil[client] = now + random() * 2
          }
        }
      }
    }
    for (const operation of late) {
      if (operation.effectAt < at) {
        at = operation.effectAt
        act = () => effect(operation)
      }
    }
    if (act === null) break
    act()
    for (let i = late.length - 1; i >= 0; i--)
      if (late[i].effectAt === Number.POSITIVE_INFINITY) late.splice(i, 1)
  }
  return events
}
