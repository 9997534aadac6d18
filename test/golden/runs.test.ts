/**
 * Frozen runs: digest and steps of ten seeds of every example simulation, the shrunk choices of two that fail, what the
 * races of examples/races find, shrunk, and the schedules that ten seeds find. A renamed choice label, another order of draws or another shrinking shows here. If
 * the change is meant, it needs a line in the changelog (every seed means another run now), and new figures:
 * `WAVETANK_GOLDEN=write npx vitest run test/golden`.
 *
 * Figures hold for one version of Node's library, so they are kept per version; a Node without figures is skipped, loudly.
 * The examples are copied, so that they are a project of their own.
 */
import { cpSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as vitest from 'vitest'
import * as adapter from 'wavetank/vitest'
import type { RaceFinding } from '../../src/explore/finding/finding.ts'
import type { ExploreOptions } from '../../src/explore/search/options.ts'
import { exploreFile } from '../../src/explore/search/race-file.ts'
import { shrinkSeed } from '../../src/failures/shrink-simulation.ts'
import { HOST_MODULES } from '../../src/host/host-modules.ts'
import type { Choice } from '../../src/kernel/choices.ts'
import { projectImage } from '../../src/node/project-image.ts'
import { runnerStandIn } from '../../src/runners/runner-stand-in.ts'
import type { SeedJob } from '../../src/sim/campaign/executor.ts'
import { ThreadExecutor, threadHost } from '../../src/sim/campaign/thread-host.ts'

const { afterAll, describe, expect, it } = vitest
vitest.vi.setConfig({ testTimeout: 300_000 })
const EXAMPLES = new URL('../../examples', import.meta.url).pathname
const KEPT = join(import.meta.dirname, 'runs', `node-${process.versions.node}.json`)
const WRITE = process.env.WAVETANK_GOLDEN === 'write'

const SIMULATIONS = ['kv/kv', 'kv/kv-broken', 'quorum/quorum', 'quorum/quorum-half']
const SEEDS = 10
const SHRUNK = 2
/** Seeds of a race: each needs a search of its own. */
const RACE_SEEDS = WRITE || process.env.WAVETANK_FULL === '1' ? SEEDS : 1
/** Enough to see the order in which a shrinker tries things, and short. */
const SHRINK_RUNS = 120

type Golden = Record<string, unknown>
const kept: Golden | null = existsSync(KEPT) ? (JSON.parse(readFileSync(KEPT, 'utf8')) as Golden) : null
const now: Golden = {}

if (kept === null && !WRITE)
  console.warn(
    `golden runs skipped: no figures for Node ${process.versions.node}; WAVETANK_GOLDEN=write makes them`,
  )

const root = realpathSync(mkdtempSync(join(tmpdir(), 'wavetank-golden-')))
for (const name of ['kv', 'quorum', 'races'])
  cpSync(join(EXAMPLES, name), join(root, name), { recursive: true })
writeFileSync(join(root, 'package.json'), '{ "type": "module" }\n')

afterAll(() => {
  rmSync(root, { recursive: true })
  if (WRITE) writeFileSync(KEPT, `${JSON.stringify(now, null, 1)}\n`)
})

/** Compares a figure with the kept one, or notes it when figures are written. */
function frozen(name: string, value: unknown): void {
  now[name] = value
  if (!WRITE) expect(value, name).toEqual(kept![name])
}

describe.skipIf(kept === null && !WRITE)('a seed stands for the run that it always stood for', () => {
  it.each(SIMULATIONS)('%s at stormy', async (path) => {
    const executor = new ThreadExecutor(threadHost({ root, hostModules: HOST_MODULES }))
    const job = (seed: number): SeedJob => ({
      simulation: { file: join(root, `${path}.sim.ts`), name: path.split('/')[1] },
      level: 'stormy',
      seed,
    })
    const failing: number[] = []
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { result } = await executor.run(job(seed))
      const { digest, steps, failure } = result
      if (failure !== null) failing.push(seed)
      frozen(`${path} seed ${seed}`, {
        digest,
        steps,
        failure: failure === null ? null : `${failure.category} ${failure.title}`,
      })
    }
    for (const seed of failing.slice(0, SHRUNK)) {
      const { job: small, report } = await shrinkSeed(executor, job(seed), { maxRuns: SHRINK_RUNS })
      const { digest, steps } = report.result
      frozen(`${path} seed ${seed}, shrunk`, { digest, steps, choices: small.overrides!.map(lineOf) })
    }
  })
})

const RACES = join(EXAMPLES, 'races/shapes.race.ts')
const BROKEN = [...readFileSync(RACES, 'utf8').matchAll(/race\('(broken[^']+)'/g)].map(([, title]) => title)

describe.skipIf(kept === null && !WRITE)('an exploration finds what it always found', () => {
  const file = join(root, 'races/shapes.race.ts')
  const tank = {
    image: [{ at: root, from: root, reader: projectImage() }],
    hostModules: { ...HOST_MODULES, vitest: runnerStandIn(vitest), 'wavetank/vitest': adapter },
  }
  const find = async (title: string, options: ExploreOptions): Promise<RaceFinding> => {
    const found = await exploreFile(file, title, { iterations: 100, ...options }, tank)
    if (found.kind !== 'found') throw new Error(found.result.summary)
    return found.finding
  }

  it.each(BROKEN)('%s', async (title) => {
    const { iteration, digest, schedule, choices } = await find(title, {})
    frozen(title, { iteration, digest, steps: schedule.length, choices: choices.map(lineOf) })
    for (let seed = 1; seed <= RACE_SEEDS; seed++) {
      const found = await find(title, { seed, shrink: false })
      frozen(`${title}, seed ${seed}`, { iteration: found.iteration, digest: found.digest })
    }
  })
})

function lineOf({ entity, label, index, n, value }: Choice): string {
  return `${entity} ${label} #${index}: ${value} of ${n}`
}
