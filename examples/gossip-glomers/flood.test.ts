/**
 * The flooding experiment of Maelstrom's guide, in the tank, against the published figures: messages per operation within
 * 5 %, and latencies of the runs with 100 ms within 15 %. Rate 100 for 20 s; half of the operations are broadcasts.
 *
 * At 10 ms a published latency is shorter by the milliseconds that an operation took on that machine, because the clock
 * starts when the broadcast is acknowledged. In the tank an operation takes none of them, so those runs may differ by
 * one hop on the grid, and by two and a half on the line.
 */
import { describe, expect, it, vi } from 'vitest'
import { testInTank, type TankOptions } from './tank.test-support.ts'

vi.setConfig({ testTimeout: 240_000 })

const FULL = process.env.WAVETANK_FULL === '1'

interface Published extends TankOptions {
  readonly messages?: number
  /** At 0.5, 0.95, 0.99 and 1, in milliseconds. */
  readonly latencies?: readonly [number, number, number, number]
}

const SHORT: readonly Published[] = [
  { nodeCount: 5, messages: 2.94, latencies: [0, 0, 0, 0] },
  { nodeCount: 25, topology: 'tree4', latencyMs: 100, messages: 12, latencies: [386, 489, 498, 505] },
  { nodeCount: 25, latencyMs: 100, latencies: [452, 656, 748, 791] },
]
const LONG: readonly Published[] = [
  { nodeCount: 25, messages: 27.8 },
  { nodeCount: 25, topology: 'line', messages: 12 },
  { nodeCount: 25, latencyMs: 100, latencyDistribution: 'exponential', latencies: [229, 431, 520, 630] },
  { nodeCount: 25, topology: 'total', latencyMs: 100, messages: 290.6, latencies: [77, 95, 96, 97] },
  { nodeCount: 25, topology: 'line', latencyMs: 10, latencies: [86, 170, 193, 224] },
  { nodeCount: 25, latencyMs: 10, latencies: [11, 42, 56, 72] },
]

/** Milliseconds by which a latency may differ from the published one. */
function tolerance(publishedMs: number, { latencyMs = 0, topology }: TankOptions): number {
  if (latencyMs === 100) return 0.15 * publishedMs
  return latencyMs * (topology === 'line' ? 2.5 : 1)
}

describe('the flooding node', () => {
  it.each(FULL ? [...SHORT, ...LONG] : SHORT)('%j', async ({ messages, latencies, ...options }) => {
    const settings = { rate: 100, timeLimitSeconds: 20, ...options }
    const { results } = await testInTank('broadcast', 'gossip-glomers/flood.ts', settings)
    expect(results['valid?']).toBe(true)
    const perOperation = results.net.servers['msgs-per-op']
    expect(Math.abs(perOperation - (messages ?? perOperation)) / perOperation).toBeLessThan(0.05)
    const measured = results.workload['stable-latencies'] as Record<string, number>
    const compared = (latencies ?? []).map((publishedMs, i) => ({
      difference: Math.abs(measured[['0.5', '0.95', '0.99', '1'][i]] - publishedMs),
      tolerance: tolerance(publishedMs, options),
    }))
    expect(compared.filter((each) => each.difference > each.tolerance)).toEqual([])
  })
})
