/**
 * The flooding experiment of Maelstrom's guide, in the tank, against the published figures: messages per operation within
 * 5 %, and latencies within 15 %. Rate 100 for 20 s; half of the operations are broadcasts.
 *
 * Figures are of one run, there as here. At 10 ms they move by more than the clock's milliseconds from run to run: over
 * 21 seeds the grid's median is 11 to 13 ms and its maximum 55 to 72 ms (published: 11 and 72), so the seed is fixed.
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
  { nodeCount: 25, topology: 'line', latencyMs: 10, latencies: [86, 170, 193, 224] },
  { nodeCount: 25, latencyMs: 10, latencies: [11, 42, 56, 72] },
]
const LONG: readonly Published[] = [
  { nodeCount: 25, messages: 27.8 },
  { nodeCount: 25, topology: 'line', messages: 12 },
  { nodeCount: 25, latencyMs: 100, latencyDistribution: 'exponential', latencies: [229, 431, 520, 630] },
  { nodeCount: 25, topology: 'total', latencyMs: 100, messages: 290.6, latencies: [77, 95, 96, 97] },
]

const SEED = 1

describe('the flooding node', () => {
  it.each(FULL ? [...SHORT, ...LONG] : SHORT)('%j', async ({ messages, latencies, ...options }) => {
    const settings = { rate: 100, timeLimitSeconds: 20, seed: SEED, ...options }
    const { results } = await testInTank('broadcast', 'gossip-glomers/flood.ts', settings)
    expect(results['valid?']).toBe(true)
    const perOperation = results.net.servers['msgs-per-op']
    expect(Math.abs(perOperation - (messages ?? perOperation)) / perOperation).toBeLessThan(0.05)
    const measured = results.workload['stable-latencies'] as Record<string, number>
    const compared = (latencies ?? []).map((publishedMs, i) => ({
      publishedMs,
      measuredMs: measured[['0.5', '0.95', '0.99', '1'][i]],
    }))
    const apart = compared.filter(
      (each) => Math.abs(each.measuredMs - each.publishedMs) > 0.15 * each.publishedMs,
    )
    expect(apart).toEqual([])
  })
})
