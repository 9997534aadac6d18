/**
 * The same seed is the same run: in every thread, in any order of seeds, at every level, for every example. `--verify`
 * compares a seed with itself in another thread; here the whole order is turned round as well.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type * as Wavetank from '../../src/index.ts'
import type { LevelName } from '../../src/index.ts'
import { buildOnce } from './build.ts'
import { runWavetank } from './project.ts'

const FULL = process.env.WAVETANK_FULL === '1'
const SEEDS = FULL ? 100 : 2
const ROOT = new URL('../..', import.meta.url).pathname
const EXAMPLES = join(ROOT, 'examples')

const files = readdirSync(EXAMPLES, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.sim.ts'))
  .sort()
/** The other examples are variations of these. */
const turned = FULL ? files : ['kv/kv.sim.ts', 'quorum/quorum.sim.ts']
const levels: readonly LevelName[] = ['sunny', 'stormy', 'radioactive']

beforeAll(buildOnce, 120_000)

/** The package as it is built: worker threads run JavaScript. */
function built(): Promise<typeof Wavetank> {
  return import(join(ROOT, 'dist/index.js')) as Promise<typeof Wavetank>
}

describe.each(levels)('at level %s', (level) => {
  it(`run --verify finds no difference in any example`, async () => {
    const args = ['run', '--verify', '--no-shrink', '--level', level, '--seeds', String(SEEDS)]
    const { stdout } = await runWavetank(EXAMPLES, [...args, '--jobs', '2', '--json'])
    const { campaigns } = JSON.parse(stdout) as {
      campaigns: { name: string; verified: unknown }[]
    }
    expect(campaigns).toHaveLength(files.length)
    const none = { seeds: SEEDS, differing: [], differences: [] }
    expect(campaigns.map(({ name, verified }) => ({ name, verified }))).toEqual(
      campaigns.map(({ name }) => ({ name, verified: none })),
    )
  }, 3_600_000)

  it.each(turned)(
    '%s gives the same seeds backwards in one thread as forwards in two',
    async (name) => {
      const { simulate } = await built()
      const file = join(EXAMPLES, name)
      const forwards = new Map<number, string>()
      const onSeed = (into: Map<number, string>) => (result: { seed: number; digest: string }) =>
        void into.set(result.seed, result.digest)
      await simulate(file, { level, seeds: SEEDS, jobs: 2, onSeed: onSeed(forwards) })
      const backwards = new Map<number, string>()
      for (let seed = SEEDS; seed >= 1; seed--)
        await simulate(file, { level, seed, jobs: 0, onSeed: onSeed(backwards) })
      expect(forwards.size).toBe(SEEDS)
      expect([...backwards].sort(([a], [b]) => a - b)).toEqual([...forwards].sort(([a], [b]) => a - b))
    },
    3_600_000,
  )
})
