/**
 * What a client of the workload knows and can do: it behaves as a worker does, with every request recorded. The turns in
 * shard-workload.ts and shard-overload.ts are made of these.
 */
import { fail, type ClientContext } from 'wavetank'
import { CoordinatorClient, RequestError } from './client.js'
import { API_PORT, CLUSTER } from './shard-processes.ts'
import type { Cursor, Range } from './types.ts'

const TENANT = 'acme'
export const RUN = 'scan'
export const KEYS = 120
export const key = (number: number): string => `k${String(number).padStart(3, '0')}`
export const numberOf = (text: string): number => Number(text.slice(1))

export interface Lease {
  readonly shard: string
  readonly fence: number
  range: Range
  cursor: Cursor | null
}

export interface WorkerState {
  readonly client: CoordinatorClient
  readonly worker: string
  lease: Lease | null
  /** Leases that ended, or that belong to others. */
  readonly old: { shard: string; fence: number; worker: string }[]
  /** Operations with an id that were sent. */
  readonly sent: { op: string; fields: any }[]
  operations: number
  asked: number
  completed: number
}

export type Context = ClientContext<WorkerState>

export const clientOf = (
  hosts: Readonly<Record<string, readonly string[]>>,
  run = RUN,
  totalMs = 1500,
): CoordinatorClient => {
  const servers = hosts.coordinator.map((host) => `${host}:${API_PORT}`)
  return new CoordinatorClient({ cluster: CLUSTER, servers, tenant: TENANT, run, attemptMs: 400, totalMs })
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Sends an operation of the holder of a lease, with an id of its own. */
export async function send(
  context: Context,
  op: string,
  more: object,
  lease: object | null = context.state.lease,
): Promise<any> {
  const { state } = context
  if (lease === null) return null
  const { shard, fence, worker = state.worker } = lease as Lease & { worker?: string }
  const withId =
    op === 'renew' || op === 'record' ? {} : { operation: `${state.worker}-${++state.operations}` }
  const fields = { shard, fence, worker, ...withId, ...more }
  if ('operation' in fields) state.sent.push({ op, fields })
  return ask(context, op, fields)
}

/** One recorded operation; null when it was refused or its outcome is unknown. */
export async function ask({ state, operation }: Context, op: string, fields: any): Promise<any> {
  state.asked++
  const { shard, ...input } = fields
  const outcome = await operation(op, { key: shard, input }, async () => {
    try {
      return await state.client.ask(op, fields)
    } catch (error) {
      if (error instanceof RequestError) fail(`${error.code}: ${error.message}`)
      throw error
    }
  })
  if (outcome.type === 'ok') return outcome.value
  return null
}

/** A lease that this worker has no more, but remembers. */
export function drop({ state }: Context): void {
  if (state.lease !== null) state.old.push({ ...state.lease, worker: state.worker })
  state.lease = null
}

export function take(context: Context, answer: any): void {
  if (answer === null) return
  drop(context)
  context.state.lease = answer
}

export async function claim(context: Context): Promise<void> {
  take(context, await ask(context, 'claim', { worker: context.state.worker }))
}

/** A key after the cursor of a lease, and inside its shard. */
function ahead({ rng }: Context, { range, cursor }: Lease): number | null {
  const from = cursor === null ? numberOf(range.start) : numberOf(cursor.key) + 1
  const to = numberOf(range.end)
  return from < to ? rng.between(from, Math.min(to - 1, from + 9)) : null
}

/** Records and moves the cursor, as a worker does. */
export async function scan(context: Context): Promise<void> {
  const { lease } = context.state
  const at = lease === null ? null : ahead(context, lease)
  if (lease === null || at === null) return
  const cursor = { key: key(at), token: '' }
  await send(context, 'record', { keys: [key(at)] })
  if ((await send(context, 'checkpoint', { cursor })) !== null) lease.cursor = cursor
}

export async function complete(context: Context): Promise<void> {
  const { lease } = context.state
  if (lease === null) return
  const cursor = { key: key(numberOf(lease.range.end) - 1), token: '' }
  const { shard, fence } = lease
  if ((await send(context, 'complete', { cursor })) !== null) {
    context.state.completed++
    drop(context)
    if (context.rng.chance(0.3)) await send(context, 'record', { keys: [cursor.key] }, { shard, fence })
  }
}

export async function residual(context: Context): Promise<any> {
  const { lease } = context.state
  const at = lease === null ? null : ahead(context, lease)
  if (lease === null || at === null || key(at) === lease.range.start) return null
  const done = await send(context, 'split-residual', { at: key(at) })
  if (done !== null) lease.range = { ...lease.range, end: key(at) }
  return done
}

/** Two children of a shard; with a gap of one key if it must be wrong. */
export function halves({ range }: Lease, gap: boolean): Range[] | null {
  const [from, to] = [numberOf(range.start), numberOf(range.end)]
  const middle = Math.floor((from + to) / 2)
  if (middle === from || middle + 1 >= to) return null
  return [
    { start: range.start, end: key(middle) },
    { start: key(gap ? middle + 1 : middle), end: range.end },
  ]
}

export async function replace(context: Context, gap = false): Promise<void> {
  const { lease } = context.state
  const children = lease === null ? null : halves(lease, gap)
  if (children !== null && (await send(context, 'split-replace', { children })) !== null) drop(context)
}
