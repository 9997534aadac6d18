import { describe, expect, it } from 'vitest'
import { seededDecisions } from '../decisions.ts'
import type { Machine } from '../machine.ts'
import type { Message } from '../protocol/envelope.ts'
import { Network, type LatencyDistribution } from './network.ts'
import { cutsOf, PARTITION_SHAPES } from './partitions.ts'
import { topology } from './topologies.ts'

/** A machine whose clock moves when the test says so. */
function manualMachine() {
  let now = 0
  const timers: { at: number; call: () => void }[] = []
  const machine = {
    nowUs: () => now,
    after(delayMs: number, call: () => void) {
      const timer = { at: now + delayMs * 1000, call }
      timers.push(timer)
      return () => {
        if (timers.includes(timer)) timers.splice(timers.indexOf(timer), 1)
      }
    },
  } as unknown as Machine
  const advance = (ms: number): void => {
    const end = now + ms * 1000
    for (;;) {
      const next = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0]
      if (next === undefined) break
      timers.splice(timers.indexOf(next), 1)
      now = next.at
      next.call()
    }
    now = end
  }
  return { machine, advance }
}

function setUp(latencyMs: number, distribution: LatencyDistribution = 'constant') {
  const { machine, advance } = manualMachine()
  const network = new Network({ machine, decisions: seededDecisions(1), latencyMs, distribution })
  const got: string[] = []
  for (const id of ['n1', 'n2', 'c1']) network.attach(id, ({ body }) => got.push(body.type))
  const send = (src: string, dest: string, type: string): boolean =>
    network.send({ src, dest, body: { type } } satisfies Message)
  return { network, advance, got, send }
}

describe('the network', () => {
  it('delays messages between nodes, by a millisecond less than the latency, and none of a client', () => {
    const { advance, got, send } = setUp(100)
    send('c1', 'n2', 'client')
    send('n1', 'n2', 'between')
    expect(got).toEqual(['client'])
    advance(98)
    expect(got).toEqual(['client'])
    advance(1)
    expect(got).toEqual(['client', 'between'])
  })

  it('lets what comes for a node wait behind the message that the node waits for', () => {
    const { advance, got, send } = setUp(100)
    send('n1', 'n2', 'between')
    send('c1', 'n2', 'request')
    send('n2', 'c1', 'to a client')
    expect(got).toEqual(['to a client'])
    advance(50)
    send('n1', 'n2', 'later')
    advance(49)
    expect(got).toEqual(['to a client', 'between', 'request'])
    advance(50)
    expect(got).toEqual(['to a client', 'between', 'request', 'later'])
  })

  it('draws random latencies around the mean', () => {
    for (const distribution of ['uniform', 'exponential'] as const) {
      const { network, advance } = setUp(100, distribution)
      let now = 0
      const latencies: number[] = []
      for (let i = 0; i < 1000; i++) {
        const sent = now
        network.attach(`m${i}`, () => latencies.push(now - sent))
        network.send({ src: 'n1', dest: `m${i}`, body: { type: 'x' } })
      }
      for (; latencies.length < 1000; now++) advance(1)
      const mean = latencies.reduce((sum, each) => sum + each, 0) / latencies.length
      expect(Math.abs(mean - 100)).toBeLessThan(10)
    }
  })

  it('keeps the order at constant latency and not at a random one', () => {
    const order = (distribution: LatencyDistribution): string[] => {
      const { advance, got, send } = setUp(100, distribution)
      for (let i = 0; i < 20; i++) send('n1', 'n2', String(i).padStart(2, '0'))
      advance(10_000)
      return got
    }
    const sent = Array.from({ length: 20 }, (_, i) => String(i).padStart(2, '0'))
    expect(order('constant')).toEqual(sent)
    for (const distribution of ['uniform', 'exponential'] as const) {
      expect(order(distribution)).not.toEqual(sent)
      expect(order(distribution).sort()).toEqual(sent)
    }
  })

  it('drops at the moment of receipt what a partition cuts off', () => {
    const { network, advance, got, send } = setUp(100)
    send('n1', 'n2', 'under way')
    network.partition(new Map([['n2', new Set(['n1'])]]))
    send('n2', 'n1', 'other direction')
    advance(100)
    network.heal()
    send('n1', 'n2', 'healed')
    advance(100)
    expect(got).toEqual(['other direction', 'healed'])
    const { servers } = network.journal.statistics(1)
    expect(servers).toMatchObject({ 'send-count': 3, 'recv-count': 2, 'msgs-per-op': 3 })
  })

  it('loses what is on its way to a node that is gone, so that a new one begins with what is new', () => {
    const { network, got, advance, send } = setUp(100)
    for (const type of ['taken', 'queued']) send('n2', 'n1', type)
    network.detach('n1')
    send('c1', 'n1', 'sent meanwhile')
    network.attach('n1', ({ body }) => got.push(`new ${body.type}`))
    send('c1', 'n1', 'init')
    advance(200)
    expect(got).toEqual(['new init'])
    expect(network.journal.statistics(1).all).toMatchObject({ 'send-count': 4, 'recv-count': 1 })
  })

  it('says when a destination does not exist', () => {
    const { send } = setUp(0)
    expect([send('n1', 'n9', 'x'), send('n1', 'n2', 'x')]).toEqual([false, true])
  })
})

describe('a topology', () => {
  const nodes = Array.from({ length: 25 }, (_, i) => `n${i}`)

  it.each(['grid', 'line', 'total', 'tree', 'tree3', 'tree4'] as const)(
    '%s has every edge in both directions',
    (name) => {
      const edges = topology(name, nodes)
      for (const [node, others] of Object.entries(edges))
        for (const other of others) expect(edges[other]).toContain(node)
    },
  )

  it('has the edges of its shape', () => {
    const count = (name: 'grid' | 'line' | 'total' | 'tree4'): number =>
      Object.values(topology(name, nodes)).reduce((sum, each) => sum + each.length, 0) / 2
    expect([count('grid'), count('line'), count('tree4'), count('total')]).toEqual([40, 24, 24, 300])
  })
})

describe('a partition', () => {
  const nodes = ['a', 'b', 'c', 'd', 'e']

  it.each(PARTITION_SHAPES)('%s cuts both directions', (shape) => {
    const cuts = cutsOf(shape, nodes)
    for (const [node, others] of cuts) for (const other of others) expect(cuts.get(other)).toContain(node)
  })

  it('has the sizes of its shape', () => {
    const sizes = (shape: (typeof PARTITION_SHAPES)[number]): number[] =>
      nodes.map((node) => cutsOf(shape, nodes).get(node)!.size)
    expect(sizes('one')).toEqual([4, 1, 1, 1, 1])
    expect(sizes('majority')).toEqual([3, 3, 2, 2, 2])
    expect(sizes('minority-third')).toEqual([4, 1, 1, 1, 1])
    expect(sizes('majorities-ring')).toEqual([2, 2, 2, 2, 2])
  })
})
