/** The solutions of the Gossip Glomers challenges meet their public goals in the tank. */
import { describe, expect, it, vi } from 'vitest'
import { testInTank, type TankOptions } from './tank.test-support.ts'

// Seconds on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

const PARTITIONS: TankOptions = { nemesis: ['partition'], nemesisIntervalSeconds: 2 }
/** Short by default; with WAVETANK_FULL=1 as long as the challenges ask for. */
const FULL = process.env.WAVETANK_FULL === '1'
const seconds = (short: number, full: number): TankOptions => ({ timeLimitSeconds: FULL ? full : short })
const glomer = (workload: Parameters<typeof testInTank>[0], file: string, options: TankOptions) =>
  testInTank(workload, `gossip-glomers/${file}`, options)

describe('challenges 1 and 2', () => {
  it('1: echo', async () => {
    const { results } = await glomer('echo', 'echo.ts', { nodeCount: 1, timeLimitSeconds: 10 })
    expect(results['valid?']).toBe(true)
  })

  it('2: unique ids, totally available under partitions', async () => {
    const { results } = await glomer('unique-ids', 'unique-ids.ts', {
      nodeCount: 3,
      rate: FULL ? 1000 : 200,
      availability: 'total',
      ...seconds(4, 30),
      ...PARTITIONS,
    })
    expect(results).toMatchObject({ 'valid?': true, availability: { 'valid?': true, 'ok-fraction': 1 } })
    expect(results.workload['acknowledged-count']).toBeGreaterThan(500)
  })
})

describe('challenge 3: broadcast', () => {
  it.each([
    ['3a', { nodeCount: 1 }],
    ['3b', { nodeCount: 5 }],
    ['3c', { nodeCount: 5, ...PARTITIONS }],
  ])('%s: it loses nothing', async (_, options) => {
    const { results } = await glomer('broadcast', 'broadcast.ts', {
      rate: 10,
      timeLimitSeconds: 10,
      ...options,
    })
    expect(results).toMatchObject({ 'valid?': true, workload: { 'lost-count': 0 } })
    expect(results.workload['stable-count']).toBe(results.workload['attempt-count'])
  })

  const LARGE: TankOptions = { nodeCount: 25, rate: 100, latencyMs: 100, ...seconds(4, 20) }

  it.each([
    ['3d', 'broadcast-fast.ts', 30, 400, 600],
    ['3e', 'broadcast-frugal.ts', 20, 1000, 2000],
  ])('%s: %s has its goal in messages and in latency', async (_, file, messages, median, most) => {
    const { results } = await glomer('broadcast', file, LARGE)
    expect(results['valid?']).toBe(true)
    expect(results.net.servers['msgs-per-op']).toBeLessThan(messages)
    const latencies = results.workload['stable-latencies'] as Record<string, number>
    expect(latencies['0.5']).toBeLessThan(median)
    expect(latencies['1']).toBeLessThan(most)
  })

  it.each([
    ['3d', 'broadcast-fast.ts', 30],
    ['3e', 'broadcast-frugal.ts', 20],
  ])('%s: %s loses nothing under partitions, with as few messages', async (_, file, messages) => {
    const { results, operations } = await glomer('broadcast', file, { ...LARGE, ...PARTITIONS })
    expect(operations.some(({ f }) => f === 'start-partition')).toBe(true)
    expect(results).toMatchObject({ 'valid?': true, workload: { 'lost-count': 0 } })
    expect(results.net.servers['msgs-per-op']).toBeLessThan(messages)
  })
})

describe('challenges 4 to 6', () => {
  it('4: a counter on seq-kv has the right sum after partitions', async () => {
    const options = { nodeCount: 3, rate: 100, ...seconds(5, 20), ...PARTITIONS }
    const { results } = await glomer('g-counter', 'g-counter.ts', options)
    expect(results['valid?']).toBe(true)
    expect(results.workload['final-reads']).toHaveLength(3)
  })

  const LOGS: TankOptions = { perNode: 2, rate: FULL ? 1000 : 300, ...seconds(3, 20) }

  it.each([
    ['5a', 'kafka.ts', 1],
    ['5b', 'kafka-shared.ts', 2],
    ['5c', 'kafka-owners.ts', 2],
  ])('%s: %s has logs without an anomaly', async (_, file, nodeCount) => {
    const { results } = await glomer('kafka', file, { ...LOGS, nodeCount })
    expect(results).toMatchObject({ 'valid?': true, workload: { 'bad-error-types': [] } })
  })

  it('5c needs fewer messages and less time than 5b', async () => {
    const options = { ...LOGS, nodeCount: 2, latencyMs: 10, timeLimitSeconds: 2 }
    const shared = await glomer('kafka', 'kafka-shared.ts', options)
    const owners = await glomer('kafka', 'kafka-owners.ts', options)
    const messages = ({ results }: typeof shared) => results.net.servers['msgs-per-op']
    expect(messages(owners)).toBeLessThan(messages(shared) / 2)
    expect(owners.results.stats['ok-count']).toBeGreaterThan(Number(shared.results.stats['ok-count']))
  })

  it.each([
    ['6a', 'read-uncommitted', 1, {}],
    ['6b', 'read-uncommitted', 2, PARTITIONS],
    ['6c', 'read-committed', 2, PARTITIONS],
  ])('%s: transactions are %s and totally available', async (_, model, nodeCount, faults) => {
    const { results } = await glomer('txn-rw-register', 'transactions.ts', {
      nodeCount,
      perNode: 2,
      rate: FULL ? 1000 : 300,
      consistencyModels: [model],
      availability: 'total',
      ...seconds(3, 20),
      ...faults,
    })
    expect(results).toMatchObject({ 'valid?': true, availability: { 'ok-fraction': 1 } })
  })
})

describe('behind the same library', () => {
  it('list-append on one root is strict serializable', async () => {
    const options = { nodeCount: 2, perNode: 2, rate: 100, timeLimitSeconds: 4, latencyMs: 1 }
    const { results } = await glomer('txn-list-append', 'list-append.ts', options)
    expect(results['valid?']).toBe(true)
    expect(results.stats['ok-count']).toBeGreaterThan(100)
  })

  it('the Raft example is linearizable under partitions and pauses', async () => {
    const { results, operations } = await testInTank('lin-kv', 'raft/maelstrom-node.js', {
      nodeCount: 3,
      perNode: 2,
      rate: 30,
      latencyMs: 5,
      timeLimitSeconds: 12,
      nemesis: ['partition', 'pause'],
      nemesisIntervalSeconds: 3,
    })
    expect(results['valid?']).toBe(true)
    expect(results.stats['ok-count']).toBeGreaterThan(50)
    const first = operations.filter(({ process, time }) => process === 'nemesis' && time < 1e6)
    expect(new Set(first.map(({ f }) => f))).toEqual(new Set(['start-partition', 'pause']))
  })

  it('the gossip example loses nothing under partitions', async () => {
    const options = { rate: 10, timeLimitSeconds: 8, ...PARTITIONS }
    const { results } = await testInTank('broadcast', 'gossip/maelstrom-node.js', options)
    expect(results).toMatchObject({ 'valid?': true, workload: { 'lost-count': 0 } })
  })
})
