/** What a ready workload refuses: options that cannot be meant, and answers in a form that its checker does not know. */
import { describe, expect, it } from 'vitest'
import type { Workload } from '../authoring/definition.ts'
import { runInline } from '../running/run.test-support.ts'
import * as kit from './index.ts'

type Make = (options: Record<string, unknown>) => Workload
const { workloadOf: _own, ...READY } = Object.fromEntries(
  Object.entries(kit).filter(([, made]) => typeof made === 'function'),
) as unknown as Record<string, Make>

const connect = (): number => 0
const f = (): null => null

/** What each takes besides `connect`. */
const OPTIONS: Readonly<Record<string, Record<string, unknown>>> = {
  register: { read: f, write: f },
  cas: { read: f, write: f, cas: f },
  set: { add: f, read: f },
  counter: { add: f, read: f },
  queue: { enqueue: f, dequeue: f },
  log: { append: f, read: f },
  lock: { acquire: f, release: f },
  lease: { acquire: f, release: f, ttlMs: 5 },
  uniqueIds: { generate: f },
  broadcast: { broadcast: f, read: f },
  bank: { transfer: f, read: f, accounts: ['a', 'b'], total: 10 },
  listAppend: { txn: f },
  rwRegister: { txn: f },
}

describe.each(Object.entries(OPTIONS))('the ready workload %s', (name, own) => {
  const { [name]: make } = READY

  it('is refused without any of its options, and with one that it does not have', () => {
    expect(() => make({ connect, ...own, clients: 2, operations: [1, 2], timeoutVirtualMs: 5 })).not.toThrow()
    for (const missing of ['connect', ...Object.keys(own)])
      expect(() => make({ connect, ...own, [missing]: undefined })).toThrow(
        `${name}(): ${missing} is missing: expected `,
      )
    expect(() => make({ connect, ...own, client: 3 })).toThrow(
      `${name}(): there is no option "client"; did you mean "clients"?`,
    )
    expect(() => make({ connect, ...own, timeoutMs: 3 })).toThrow('it is "timeoutVirtualMs"')
  })
})

/** What is wrong with a run in which a client answers so; null if nothing is. */
async function wrong(name: string, answers: Record<string, () => unknown>): Promise<string | null> {
  const workload = READY[name]({ connect, ...OPTIONS[name], ...answers, clients: 1 })
  const { result } = await runInline({ processes: {}, workload })
  const mistake = [result.failure, ...result.others].find((each) => each?.category === 'mistake')
  return mistake?.message ?? null
}

describe('an answer that the checker would not understand is a mistake of the simulation', () => {
  it.each<[string, Record<string, () => unknown>, string]>([
    ['register', { read: () => undefined }, "must answer 'read' with a value, or null for none"],
    ['cas', { cas: () => 'yes' }, "must answer 'cas' with true or false, and answered 'yes'"],
    ['set', { read: () => '[]' }, "must answer 'read' with a list, and answered '[]'"],
    ['counter', { read: () => '7' }, "must answer 'read' with a number, and answered '7'"],
    ['queue', { dequeue: () => ({ job: 3 }) }, 'with an element as it was enqueued, a number, or null'],
    ['queue', { dequeue: () => undefined }, 'or null if the queue is empty, and answered undefined'],
    ['log', { read: () => ({ list: [] }) }, "must answer 'read' with a list"],
    ['uniqueIds', { generate: () => undefined }, "must answer 'generate' with an id"],
    ['broadcast', { read: () => 'a' }, "must answer 'read' with a list"],
    ['bank', { read: () => ({ a: '5', b: '5' }) }, 'with the balances by account, each a number'],
    ['bank', { read: () => [5, 5] }, 'with the balances by account, each a number'],
    ['listAppend', { txn: () => ({ ops: [] }) }, 'with the same operations, each read with the list'],
    [
      'rwRegister',
      { txn: () => [['r', 'k', undefined]] },
      'with the same operations, each read with the value',
    ],
  ])('%s %o', async (name, answers, message) => {
    expect(await wrong(name, answers)).toMatch(
      /^a mistake in the simulation: TypeError: \w+\(\): the client must/,
    )
    expect(await wrong(name, answers)).toContain(message)
  })

  it.each<[string, Record<string, () => unknown>]>([
    ['register', { read: () => null }],
    ['cas', { cas: () => false, read: () => null }],
    ['set', { read: () => [] }],
    ['counter', { read: () => 0 }],
    ['queue', { dequeue: () => null }],
    ['lock', { acquire: () => undefined, release: () => 'anything' }],
    ['bank', { read: () => ({ a: 4, b: 6 }) }],
  ])('%s %o is none', async (name, answers) => {
    expect(await wrong(name, answers)).toBeNull()
  })

  it('names what a recipe does not do', async () => {
    const workload = kit.workloadOf<unknown>(
      { connect },
      { generator: kit.op('fly'), acts: { walk: () => 1 }, check: () => ({}) as never },
    )
    const { result } = await runInline({ processes: {}, workload })
    expect(result.failure).toMatchObject({ category: 'mistake' })
    expect(result.failure!.message).toContain("workloadOf(): 'fly' is asked for, and acts has only walk")
  })
})
