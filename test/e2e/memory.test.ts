/**
 * A thread that has run thousands of seeds holds no more than one that has run a few hundred. The heap after a
 * collection is sampled ten times; what grows with every seed shows as a difference between the halves of the samples,
 * and a leak of two kilobytes per seed is more than is allowed.
 */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, it } from 'vitest'
import { buildOnce } from './build.ts'

const FULL = process.env.WAVETANK_FULL === '1'
const ROOT = new URL('../..', import.meta.url).pathname
const SEEDS = FULL ? 2000 : 200
const SAMPLES = 10

beforeAll(buildOnce, 120_000)

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
}

it(`is flat over ${SEEDS} seeds`, async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--expose-gc',
    join(ROOT, 'test/e2e/memory-of-seeds.mjs'),
    join(ROOT, 'dist/index.js'),
    join(ROOT, 'examples/kv/kv.sim.ts'),
    String(SEEDS),
    String(SAMPLES),
  ])
  const { heapMb } = JSON.parse(stdout) as { heapMb: number[] }
  expect(heapMb).toHaveLength(SAMPLES)
  // The first samples still compile code and fill caches of the thread.
  const early = median(heapMb.slice(2, 6))
  const late = median(heapMb.slice(6))
  expect(late - early, `heap after each batch: ${heapMb.join(' ')} MB`).toBeLessThan(2)
}, 1_800_000)
