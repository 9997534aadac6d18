/**
 * `simulate`: a campaign as a function. A simulation that stands in a `*.sim.ts` file is evaluated in the tank for every
 * seed; one that is made on the spot runs inline, in this thread.
 */
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseLevel, type LevelName } from './faults/levels.ts'
import { hostClock } from './host-clock.ts'
import { HOST_MODULES } from './host-modules.ts'
import { UsageError } from './kernel/errors.ts'
import { projectRoot } from './project.ts'
import { runCampaign } from './sim/campaign/campaign.ts'
import type { SeedExecutor, SimulationReference } from './sim/campaign/executor.ts'
import { ThreadPool } from './sim/campaign/thread-pool.ts'
import { declarationsIn } from './sim/declarations.ts'
import { isSimulation, type Simulation } from './sim/definition.ts'
import type { CampaignResult, SeedResult } from './sim/result.ts'
import { UNTIL_COVERAGE_STABLE, type StopRule } from './sim/stop-rule.ts'
import { ThreadExecutor, threadHost } from './sim/thread-host.ts'

export interface SimulateOptions {
  readonly level?: LevelName | 1 | 2 | 3
  /** The first seed; 1 unless said otherwise. */
  readonly seed?: number
  /** How many seeds; without it and `timeMs`, until coverage is stable. */
  readonly seeds?: number
  /** Wall time. */
  readonly timeMs?: number
  /** Worker threads; 0 runs everything in this thread. */
  readonly jobs?: number
  readonly bail?: boolean
  /** Run every seed twice and compare. */
  readonly verify?: boolean
  readonly onSeed?: (result: SeedResult, done: number) => void
}

/** A thread that makes no step for so long is stuck. */
const STUCK_MS = 10_000
const VERIFY_SOME = 25

/** Runs a campaign and gives back its result; `target` is a simulation, or the path of a file that declares one. */
export async function simulate(
  target: Simulation<any> | string | URL,
  options: SimulateOptions = {},
): Promise<CampaignResult> {
  const inline = isSimulation(target) && !isReloadable(target) ? target : undefined
  const file = isSimulation(target) ? target.file : target instanceof URL ? fileURLToPath(target) : target
  const executor = executorFor(file, inline, options.jobs)
  try {
    return await runCampaign({
      simulation: await referenceOf(target, file, inline),
      level: parseLevel(options.level ?? 'sunny'),
      firstSeed: options.seed ?? 1,
      rule: stopRule(options),
      bail: options.bail ?? false,
      verifyEvery: options.verify === true ? 1 : VERIFY_SOME,
      shard: { index: 0, of: 1 },
      executor,
      clock: hostClock,
      runtime: runtime(),
      ...(options.onSeed === undefined ? {} : { onSeed: options.onSeed }),
    })
  } finally {
    await executor.close()
  }
}

function isReloadable(simulation: Simulation<any>): boolean {
  return simulation.file !== null && /\.sim\.[cm]?[jt]s$/.test(simulation.file)
}

function executorFor(
  file: string | null,
  inline: Simulation | undefined,
  jobs: number | undefined,
): SeedExecutor {
  if (inline !== undefined)
    return new ThreadExecutor(threadHost({ root: null, hostModules: HOST_MODULES, inline }))
  const root = projectRoot(file!)
  if (jobs === 0) return new ThreadExecutor(threadHost({ root, hostModules: HOST_MODULES }))
  return threadPool(root, jobs)
}

/** A pool of worker threads for a project. */
export function threadPool(root: string, jobs: number = availableParallelism()): ThreadPool {
  const worker = new URL(
    import.meta.url.endsWith('.ts') ? './tank-worker.ts' : './tank-worker.js',
    import.meta.url,
  )
  return new ThreadPool({ lanes: jobs, worker, root, clock: hostClock, stuckMs: STUCK_MS })
}

async function referenceOf(
  target: Simulation<any> | string | URL,
  file: string | null,
  inline: Simulation | undefined,
): Promise<SimulationReference> {
  if (isSimulation(target)) return { file: inline === undefined ? file! : '', name: target.name }
  const declared = await declarationsIn(
    file!,
    threadHost({ root: projectRoot(file!), hostModules: HOST_MODULES }),
  )
  if (declared.length === 1) return { file: file!, name: declared[0].name }
  const names = declared.map(({ name }) => name).join(', ')
  throw new UsageError(
    'ERR_WAVETANK_NO_SIMULATION',
    `simulate(): ${file} declares ${declared.length === 0 ? 'no simulation' : `several simulations (${names}); import the one you mean`}`,
  )
}

export function stopRule({ seeds, timeMs }: Pick<SimulateOptions, 'seeds' | 'timeMs'>): StopRule {
  if (seeds !== undefined) return { type: 'seeds', count: seeds }
  return timeMs === undefined ? UNTIL_COVERAGE_STABLE : { type: 'time', wallMs: timeMs }
}

export function runtime(): CampaignResult['runtime'] {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string
  }
  return { node: process.version, wavetank: version }
}
