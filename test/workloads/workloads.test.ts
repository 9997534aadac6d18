/** Every ready workload holds with a correct service, in storms too, and says what is wrong with a broken one. */
import { describe, expect, it } from 'vitest'
import { fail, simulate, simulation, type CampaignResult, type Workload } from 'wavetank'
import * as kit from 'wavetank/workloads'
import { served, type Request, type SERVICES } from './services.ts'

/** A client asks the service by POST; a refusal is a failure, an error of the connection an unknown outcome. */
type Ask = (request: Request) => Promise<never>

const connect = ({ client }: { client: number }): Ask => {
  return async (request) => {
    const body = JSON.stringify({ ...request, client })
    const response = await fetch('http://service/', { method: 'POST', body })
    const answer = (await response.json()) as { value: never; refused?: string }
    return answer.refused === undefined ? answer.value : fail(answer.refused)
  }
}

const CASES: Readonly<Record<string, readonly [service: keyof typeof SERVICES, make: () => Workload<Ask>]>> =
  {
    register: [
      'registers',
      () =>
        kit.register<Ask>({
          connect,
          read: (ask, key) => ask({ f: 'read', key }),
          write: (ask, key, input) => ask({ f: 'write', key, input }),
        }),
    ],
    cas: [
      'registers',
      () =>
        kit.cas<Ask>({
          connect,
          read: (ask, key) => ask({ f: 'read', key }),
          write: (ask, key, input) => ask({ f: 'write', key, input }),
          cas: (ask, key, from, to) => ask({ f: 'cas', key, input: [from, to] }),
        }),
    ],
    set: [
      'elements',
      () =>
        kit.set<Ask>({
          connect,
          add: (ask, input) => ask({ f: 'add', input }),
          read: (ask) => ask({ f: 'read' }),
        }),
    ],
    counter: [
      'counter',
      () =>
        kit.counter<Ask>({
          connect,
          add: (ask, input) => ask({ f: 'add', input }),
          read: (ask) => ask({ f: 'read' }),
        }),
    ],
    queue: [
      'queue',
      () =>
        kit.queue<Ask>({
          connect,
          enqueue: (ask, input) => ask({ f: 'enqueue', input }),
          dequeue: (ask) => ask({ f: 'dequeue' }),
        }),
    ],
    log: [
      'log',
      () =>
        kit.log<Ask>({
          connect,
          append: (ask, input) => ask({ f: 'append', input }),
          read: (ask) => ask({ f: 'read' }),
        }),
    ],
    lock: [
      'lock',
      () =>
        kit.lock<Ask>({
          connect,
          acquire: (ask) => ask({ f: 'acquire' }),
          release: (ask) => ask({ f: 'release' }),
        }),
    ],
    lease: [
      'lock',
      () =>
        kit.lease<Ask>({
          connect,
          ttlMs: 60_000,
          acquire: (ask) => ask({ f: 'acquire' }),
          release: (ask) => ask({ f: 'release' }),
        }),
    ],
    'unique ids': ['ids', () => kit.uniqueIds<Ask>({ connect, generate: (ask) => ask({ f: 'generate' }) })],
    broadcast: [
      'elements',
      () =>
        kit.broadcast<Ask>({
          connect,
          broadcast: (ask, input) => ask({ f: 'broadcast', input }),
          read: (ask) => ask({ f: 'read' }),
        }),
    ],
    bank: [
      'bank',
      () =>
        kit.bank<Ask>({
          connect,
          accounts: ['a', 'b', 'c'],
          total: 30,
          transfer: (ask, from, to, amount) => ask({ f: 'transfer', input: { from, to, amount } }),
          read: (ask) => ask({ f: 'read' }),
        }),
    ],
    'list-append': [
      'transactions',
      () => kit.listAppend<Ask>({ connect, txn: (ask, input) => ask({ f: 'txn', input }) }),
    ],
    'rw-register': [
      'transactions',
      () => kit.rwRegister<Ask>({ connect, txn: (ask, input) => ask({ f: 'txn', input }) }),
    ],
  }

function run(name: string, broken: boolean, level: 'sunny' | 'stormy'): Promise<CampaignResult> {
  const [service, make] = CASES[name]
  const sim = simulation(`kit ${name}`, {
    processes: { service: served(service, broken) },
    workload: make(),
    budget: { dead: 0 }, // its memory is all that it has
  })
  return simulate(sim, { seeds: 3, level, keep: false })
}

describe.each(Object.keys(CASES))('the workload %s', (name) => {
  it.each(['sunny', 'stormy'] as const)('holds with a correct service when it is %s', async (level) => {
    const { failures, operations } = await run(name, false, level)
    expect(failures.map(({ failure }) => `${failure.title}: ${failure.message}`)).toEqual([])
    expect(operations.filter(({ ok }) => ok === 0).map(({ f }) => f)).toEqual([])
  })

  it('finds the bug of a broken service', async () => {
    const { failures } = await run(name, true, 'sunny')
    expect(failures.length).toBeGreaterThan(0)
    for (const { failure } of failures) expect(failure.category).toBe('checker')
  })
})
