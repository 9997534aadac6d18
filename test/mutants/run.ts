/**
 * npm run mutants -- [--system NAME] [--only PART] [--trials 5] [--seeds 200] [--jobs N] [--story-runs N] [--json FILE]
 *
 * Runs every mutant of the example systems at the least level that can show it, several times from different seeds,
 * until an invariant catches it. Prints a table: mutant, the rule that caught it, the median number of seeds it took, the
 * level, and how many lines its story has after shrinking. Exit code 0 when every mutant was caught by a rule that is
 * named for it in every trial, 1 when one survived or was caught by something else, 254 for bad arguments.
 */
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import type { RecordedRun } from '../../src/failures/recorded-run.ts'
import { shrinkSeed } from '../../src/failures/shrink-simulation.ts'
import { threadPool } from '../../src/host/campaign.ts'
import type { SeedJob } from '../../src/sim/campaign/executor.ts'
import type { ThreadPool } from '../../src/sim/campaign/thread-pool.ts'
import type { LevelName } from '../../src/faults/levels.ts'

const ROOT = resolve(import.meta.dirname, '../..')
/** Every example that lists mutants. */
const SYSTEMS = Object.fromEntries(
  readdirSync(resolve(ROOT, 'examples'))
    .map((name): [string, string] => [name, `examples/${name}/${name}.mutants.ts`])
    .filter(([, path]) => existsSync(resolve(ROOT, path))),
)
/** Trials begin this many seeds apart. */
const STRIDE = 10_000

interface Mutant {
  readonly name: string
  readonly level: LevelName
  readonly rules: readonly string[]
  readonly simulation: string
}

interface Trial {
  /** How many seeds it took; null when it survived. */
  readonly seeds: number | null
  readonly caughtBy: string | null
  readonly seed: number
}

interface Row {
  readonly system: string
  readonly mutant: string
  readonly level: LevelName
  readonly caughtBy: readonly string[]
  readonly medianSeeds: number | null
  readonly survived: number
  readonly strange: readonly string[]
  readonly storyLines: number | null
}

const { values: options } = parseArgs({
  options: {
    system: { type: 'string', multiple: true },
    only: { type: 'string' },
    trials: { type: 'string', default: '5' },
    seeds: { type: 'string', default: '200' },
    jobs: { type: 'string', default: String(availableParallelism()) },
    'story-runs': { type: 'string', default: '150' },
    json: { type: 'string' },
  },
})
const most = Number(options.seeds)
const rows: Row[] = []

for (const system of options.system ?? Object.keys(SYSTEMS)) {
  const path: string | undefined = SYSTEMS[system]
  if (path === undefined) {
    console.error(`mutants: no system is named '${system}'; there are ${Object.keys(SYSTEMS).join(', ')}`)
    process.exit(254)
  }
  const file = resolve(ROOT, path)
  const { MUTANTS } = (await import(pathToFileURL(file).href)) as { MUTANTS: readonly Mutant[] }
  const pool = threadPool(ROOT, { jobs: Number(options.jobs) })
  for (const mutant of MUTANTS) {
    if (options.only !== undefined && !mutant.name.includes(options.only)) continue
    const row = await examine(pool, system, file, mutant)
    rows.push(row)
    console.error(lineOf(row))
  }
  await pool.close()
}

console.log(table(rows))
if (options.json !== undefined) writeFileSync(options.json, JSON.stringify(rows, null, 2))
process.exit(rows.every(({ survived, strange }) => survived === 0 && strange.length === 0) ? 0 : 1)

async function examine(
  pool: ThreadPool<RecordedRun>,
  system: string,
  file: string,
  mutant: Mutant,
): Promise<Row> {
  const jobFor = (seed: number): SeedJob => {
    return { simulation: { file, name: mutant.simulation }, level: mutant.level, seed }
  }
  const trials: Trial[] = []
  for (let trial = 0; trial < Number(options.trials); trial++) {
    trials.push(await firstFailure(pool, jobFor, 1 + trial * STRIDE))
  }
  const caught = trials.filter((trial) => trial.caughtBy !== null)
  const named = caught.filter(({ caughtBy }) => mutant.rules.some((rule) => caughtBy!.endsWith(`: ${rule}`)))
  const counts = caught.map(({ seeds }) => seeds!).sort((a, b) => a - b)
  return {
    system,
    mutant: mutant.name,
    level: mutant.level,
    caughtBy: [...new Set(named.map(({ caughtBy }) => caughtBy!))],
    medianSeeds: counts.length === 0 ? null : counts[Math.floor((counts.length - 1) / 2)],
    survived: trials.length - caught.length,
    strange: [...new Set(caught.filter((each) => !named.includes(each)).map(({ caughtBy }) => caughtBy!))],
    storyLines: named.length === 0 ? null : await storyLines(pool, jobFor(named[0].seed)),
  }
}

/** Runs seeds in order, as many at once as there are threads, until one fails. */
async function firstFailure(
  pool: ThreadPool<RecordedRun>,
  jobFor: (seed: number) => SeedJob,
  first: number,
): Promise<Trial> {
  for (let done = 0; done < most; done += pool.threads) {
    const seeds = Array.from({ length: Math.min(pool.threads, most - done) }, (_, at) => first + done + at)
    const reports = await Promise.all(seeds.map((seed) => pool.run(jobFor(seed))))
    const at = reports.findIndex(({ result }) => result.failure !== null)
    if (at < 0) continue
    const { category, title } = reports[at].result.failure!
    return { seeds: done + at + 1, caughtBy: `${category}: ${title}`, seed: seeds[at] }
  }
  return { seeds: null, caughtBy: null, seed: first }
}

async function storyLines(pool: ThreadPool<RecordedRun>, job: SeedJob): Promise<number | null> {
  const runs = Number(options['story-runs'])
  if (runs === 0) return null
  const small = await shrinkSeed(pool, job, { maxRuns: runs })
  const { steps, omitted } = (await pool.record(small.job)).story
  return steps.length + omitted
}

function lineOf({ mutant, level, caughtBy, medianSeeds, survived, strange, storyLines }: Row): string {
  const verdict = survived > 0 ? `SURVIVED ${survived} trials` : `${medianSeeds} seeds`
  return `${mutant} (${level}): ${[...caughtBy, ...strange.map((each) => `NOT ITS RULE ${each}`)].join('; ')} – ${verdict}, story ${storyLines}`
}

function table(all: readonly Row[]): string {
  const lines = all.map(({ system, mutant, level, caughtBy, medianSeeds, survived, strange, storyLines }) => {
    const by = [
      ...caughtBy.map((each) => each.replace(/^invariant: /, '')),
      ...strange.map((each) => `**${each}**`),
    ]
    const seeds = survived > 0 ? `survived ${survived}` : String(medianSeeds)
    return `| ${system} | \`${mutant}\` | ${by.join('; ')} | ${seeds} | ${level} | ${storyLines ?? '–'} |`
  })
  return [
    '| system | mutant | caught by | seeds | level | story |',
    '| --- | --- | --- | --- | --- | --- |',
    ...lines,
  ].join('\n')
}
