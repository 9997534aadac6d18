/** The kafka workload against logs in memory: a correct one passes, and each wrong one is caught by what it does. */
import { describe, expect, it } from 'vitest'
import { seededDecisions } from '../decisions.ts'
import type { NodeFaultKind } from '../running/node-fault.ts'
import { OperationLog } from '../running/operation-log.ts'
import { DEFAULTS } from '../running/settings.ts'
import { kafka } from './kafka.ts'
import { ClientCrash, type Connection, type Generator } from './workload.ts'

const THREADS = 3
const REQUESTS = 1200
const SETTINGS = { ...DEFAULTS, nodes: ['n0'], concurrency: THREADS, rate: 10 }

type Pair = [offset: number, message: unknown]

class Broker {
  readonly logs = new Map<string, unknown[]>()
  readonly committed = new Map<string, number>()

  send(key: string, message: unknown): number {
    const log = this.logs.get(key) ?? []
    this.logs.set(key, log)
    return log.push(message) - 1
  }

  poll(key: string, from: number): Pair[] {
    return (this.logs.get(key) ?? []).slice(from).map((message, i): Pair => [from + i, message])
  }

  commit(key: string, offset: number): void {
    this.committed.set(key, offset)
  }

  list(key: string): number | undefined {
    return this.committed.get(key)
  }
}

/** Runs the workload one request after the other; gives its result and the faults of the node. */
async function run(broker: Broker, seed = 7) {
  const shared = new Map<string, unknown>()
  const faults: NodeFaultKind[] = []
  let nowUs = 0
  const log = new OperationLog(() => (nowUs += 1000))
  const open = (): Connection => ({
    node: 'n0',
    shared,
    state: new Map(),
    fault: (kind) => void faults.push(kind),
    rpc: (request) => Promise.resolve({ type: 'ok', ...answer(broker, request) }),
  })
  const connections = Array.from({ length: THREADS }, open)
  const processes = Array.from({ length: THREADS }, (_, thread) => thread)
  const step = async (next: Generator, thread: number): Promise<boolean> => {
    const process = processes[thread]
    const request = next({ thread, process, state: connections[thread].state })
    if (request === null) return false
    const { f, value } = request
    log.add({ type: 'invoke', process, f, value })
    try {
      log.add({ type: 'ok', process, f, value: await kafka.invoke(connections[thread], request) })
    } catch (error) {
      if (!(error instanceof ClientCrash)) throw error
      log.add({ type: 'info', process, f, value })
      processes[thread] += THREADS
      connections[thread] = open()
    }
    return true
  }
  const next = kafka.generator(SETTINGS, seededDecisions(seed), shared)
  for (let i = 0; i < REQUESTS; i++) await step(next, i % THREADS)
  const last = kafka.finals!(shared)
  for (let thread = 0; thread < THREADS; thread++) while (await step(last, thread));
  const result = kafka.check(log.history(), SETTINGS)
  return { result, faults: [...new Set(faults)], operations: log.operations }
}

function answer(broker: Broker, { type, ...body }: { type: string; [key: string]: unknown }): object {
  const offsets = Object.entries((body.offsets ?? {}) as Record<string, number>)
  if (type === 'send') return { offset: broker.send(body.key as string, body.msg) }
  if (type === 'poll')
    return { msgs: Object.fromEntries(offsets.map(([key, from]) => [key, broker.poll(key, from)])) }
  if (type === 'commit_offsets') for (const [key, offset] of offsets) broker.commit(key, offset)
  const listed = ((body.keys ?? []) as string[]).flatMap((key) => {
    const offset = broker.list(key)
    return offset === undefined ? [] : [[key, offset]]
  })
  return { offsets: Object.fromEntries(listed) as Record<string, number> }
}

describe('kafka', () => {
  it('a correct log passes; clients crash, change their keys and resume where they committed', async () => {
    const { result, faults, operations } = await run(new Broker())
    expect(result).toMatchObject({ 'valid?': true, 'bad-error-types': [] })
    expect(faults).toEqual([])
    const counts = (f: string): number => operations.filter((each) => each.f === f).length
    expect(counts('crash')).toBeGreaterThan(THREADS)
    expect(counts('assign')).toBeGreaterThan(12)
    expect(counts('send')).toBeGreaterThan(REQUESTS / 3)
  })

  it.each<[string, string, Broker]>([
    [
      'acknowledges a message and drops it',
      'unseen',
      new (class extends Broker {
        override send(key: string, message: unknown): number {
          return message === 16 ? this.logs.get(key)!.length : super.send(key, message)
        }
      })(),
    ],
    [
      'has another message at an offset',
      'inconsistent-offsets',
      new (class extends Broker {
        override send(key: string, message: unknown): number {
          const offset = super.send(key, message)
          return message === 3 ? 0 : offset
        }
      })(),
    ],
    [
      'leaves out an offset now and then',
      'int-poll-skip',
      new (class extends Broker {
        #polls = 0
        override poll(key: string, from: number): Pair[] {
          return super.poll(key, from).filter((_, i) => i !== 1 || this.#polls++ % 4 !== 0)
        }
      })(),
    ],
    [
      'appends a message twice',
      'duplicate',
      new (class extends Broker {
        override send(key: string, message: unknown): number {
          if (message === 2) super.send(key, message)
          return super.send(key, message)
        }
      })(),
    ],
    [
      'polls from an older offset',
      'nonmonotonic-poll',
      new (class extends Broker {
        override poll(key: string, from: number): Pair[] {
          return super.poll(key, Math.max(0, from - 1))
        }
      })(),
    ],
  ])('a log that %s has %s', async (_, anomaly, broker) => {
    const { result } = await run(broker)
    expect(result['valid?']).toBe(false)
    expect(result['bad-error-types']).toContain(anomaly)
  })

  it.each<[string, NodeFaultKind, Broker]>([
    [
      'forgets commits',
      'lost-commit',
      new (class extends Broker {
        override list(): undefined {
          return undefined
        }
      })(),
    ],
    [
      'lists offsets that no client committed',
      'unexpected-commit',
      new (class extends Broker {
        override list(key: string): number {
          return this.logs.get(key)?.length ?? 0
        }
      })(),
    ],
  ])('a node that %s has the fault %s', async (_, fault, broker) => {
    expect((await run(broker)).faults).toEqual([fault])
  })
})
