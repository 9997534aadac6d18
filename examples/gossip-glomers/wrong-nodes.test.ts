/** Every deliberately wrong node is caught, with the anomaly that it was written for. */
import { expect, it, vi } from 'vitest'
import { anomaliesOf, testInTank, type TankOptions } from './tank.test-support.ts'

vi.setConfig({ testTimeout: 120_000 })

const PARTITIONS: TankOptions = { nemesis: ['partition'], nemesisIntervalSeconds: 3 }
const ONE: TankOptions = { nodeCount: 1, perNode: 2, rate: 50 }
const TWO: TankOptions = { nodeCount: 2, perNode: 2, rate: 50, latencyMs: 5 }
const COMMITTED: TankOptions = { consistencyModels: ['read-committed'] }

it.each([
  ['echo', 'echo-shouts.ts', 'wrong-echo', {}],
  ['unique-ids', 'ids-repeat.ts', 'duplicated', {}],
  ['broadcast', 'broadcast-keeps.ts', 'lost', {}],
  ['broadcast', 'broadcast-once.ts', 'lost', PARTITIONS],
  ['broadcast', 'broadcast-repeats.ts', 'duplicated', {}],
  ['g-set', 'set-invents.ts', 'unexpected', {}],
  ['g-counter', 'counter-overwrites.ts', 'impossible-read', {}],
  ['lin-kv', 'kv-stale.ts', 'not-linearizable', TWO],
  ['kafka', 'kafka-apart.ts', 'inconsistent-offsets', { nodeCount: 2 }],
  ['kafka', 'kafka-skips.ts', 'int-poll-skip', ONE],
  ['kafka', 'kafka-loses.ts', 'lost-write', ONE],
  ['txn-rw-register', 'txn-dirty.ts', 'G1a', { ...ONE, ...COMMITTED }],
  [
    'txn-rw-register',
    'txn-half.ts',
    'G1b',
    { ...TWO, ...COMMITTED, rate: 100, latencyDistribution: 'exponential' },
  ],
  ['txn-list-append', 'append-overwrites.ts', 'lost-update', TWO],
  ['txn-list-append', 'append-keys-apart.ts', 'G1b', TWO],
] as const)('%s: %s has %s', async (workload, file, anomaly, options) => {
  const settings: TankOptions = { rate: 10, timeLimitSeconds: 8, ...options }
  const test = await testInTank(workload, `gossip-glomers/wrong/${file}`, settings)
  expect(test.results['valid?']).toBe(false)
  const types = (test.results.workload['anomaly-types'] ?? []) as string[]
  expect([...anomaliesOf(test), ...types]).toContain(anomaly)
})
