/**
 * `wavetank run`: campaigns of the project's simulations. Failing seeds are shrunk, written to a folder and told.
 */
import { Option, type Command } from 'commander'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseLevel, type LevelName } from '../faults/levels.ts'
import { hostClock } from '../host-clock.ts'
import { runCampaign } from '../sim/campaign/campaign.ts'
import type { ThreadPool } from '../sim/campaign/thread-pool.ts'
import type { Declaration } from '../sim/declarations.ts'
import type { CampaignResult, CampaignVerdict } from '../sim/result.ts'
import { campaignGithub } from '../report/campaign-github.ts'
import { campaignJson } from '../report/campaign-json.ts'
import { campaignJunit } from '../report/campaign-junit.ts'
import { campaignText } from '../report/campaign-text.ts'
import { counted } from '../report/quantity.ts'
import { storyText } from '../report/story.ts'
import { runtime, stopRule } from '../simulate.ts'
import { describe, natural, parse, positive, seedRange, shard, wallTime } from './arguments.ts'
import { keepFailures, type KeptFailure } from './kept-failures.ts'
import { declarations, openProject, select, withPool, type Project } from './selection.ts'
import { LiveLine, paintFor } from './terminal.ts'

type Reporter = 'text' | 'json' | 'junit' | 'github'

interface RunOptions {
  readonly level?: LevelName
  readonly seeds?: { readonly first?: number; readonly count: number }
  readonly seed?: number
  readonly time?: number
  readonly jobs?: number
  readonly shard?: { readonly index: number; readonly of: number }
  readonly bail?: boolean
  readonly verify?: boolean
  readonly shrink: boolean
  readonly reporter: Reporter
  readonly output?: string
}

const EXIT_CODES: Readonly<Record<CampaignVerdict, number>> = {
  held: 0,
  violated: 1,
  'coverage-gap': 2,
  unknown: 2,
}
/** A few per cent of all seeds are always run twice. */
const VERIFY_SOME = 25

export async function run(args: readonly string[]): Promise<number> {
  const given = parse(command(), args)
  if (given === null) return 0
  const options = given.opts<RunOptions>()
  const project = await openProject(process.cwd())
  return withPool(project.root, options.jobs ?? project.config.jobs, async (pool) => {
    const chosen = select(await declarations(project, pool), given.args)
    const results: CampaignResult[] = []
    for (const declaration of chosen) results.push(await campaign(declaration, options, project, pool))
    report(results, options)
    const codes = results.map(({ verdict }) => EXIT_CODES[verdict])
    return codes.includes(1) ? 1 : Math.max(0, ...codes)
  })
}

export function command(): Command {
  return describe('run')
    .argument('[names...]', 'names of simulations, or parts of their names or files')
    .addOption(new Option('--level <level>', 'sunny, stormy or radioactive').argParser(parseLevel))
    .addOption(
      new Option('--seeds <n>', 'how many seeds, or from..to; by default until coverage is stable').argParser(
        seedRange,
      ),
    )
    .addOption(new Option('--seed <n>', 'one seed').argParser(natural))
    .addOption(new Option('--time <duration>', 'go on for this long, such as 30s or 5m').argParser(wallTime))
    .addOption(new Option('--jobs <n>', 'worker threads; by default one per core').argParser(positive))
    .addOption(new Option('--shard <i/n>', 'only this part of the seeds').argParser(shard))
    .option('--bail', 'stop at the first failing seed')
    .option('--verify', 'run every seed twice, in different threads, and compare every step')
    .option('--no-shrink', 'do not shrink failures')
    .addOption(
      new Option('--reporter <name>', 'how to report')
        .choices(['text', 'json', 'junit', 'github'])
        .default('text'),
    )
    .option('--output <file>', 'write the report to a file')
}

async function campaign(
  declaration: Declaration,
  options: RunOptions,
  project: Project,
  pool: ThreadPool,
): Promise<CampaignResult> {
  const { name, file } = declaration
  const level = options.level ?? project.config.level ?? 'sunny'
  const live = new LiveLine()
  const quiet = options.reporter !== 'text' && options.output === undefined
  let failing = 0
  const begunMs = hostClock.nowMs()
  const result = await runCampaign({
    simulation: { file, name },
    level,
    firstSeed: options.seed ?? options.seeds?.first ?? 1,
    rule: options.seed === undefined ? stopRule(rulesOf(options, project)) : { type: 'seeds', count: 1 },
    bail: options.bail ?? false,
    verifyEvery: options.verify === true ? 1 : VERIFY_SOME,
    shard: options.shard ?? { index: 0, of: 1 },
    executor: pool,
    clock: hostClock,
    runtime: runtime(),
    onSeed: (seed, done) => {
      if (seed.failure !== null) failing++
      const rate = (done / Math.max(0.001, (hostClock.nowMs() - begunMs) / 1000)).toFixed(1)
      live.show(`${name} ${level}  ${counted(done, 'seed')}  ${failing} failing  ${rate} seeds/s`)
    },
  })
  live.clear()
  const kept = await keepFailures(result, {
    pool,
    root: project.root,
    output: resolve(project.root, project.config.output ?? join('.wavetank', 'runs')),
    shrink: options.shrink,
    onProgress: (runs, choices) =>
      live.show(`${name}: shrinking, ${counted(runs, 'run')}, ${counted(choices, 'choice')} left`),
  })
  live.clear()
  const complete = { ...result, artefacts: kept.map(({ artefact }) => artefact) }
  if (!quiet) tell(complete, kept)
  return complete
}

function rulesOf({ seeds, time }: RunOptions, { config }: Project): { seeds?: number; timeMs?: number } {
  if (seeds !== undefined) return { seeds: seeds.count }
  if (time !== undefined) return { timeMs: time }
  return config.seeds === undefined ? {} : { seeds: config.seeds }
}

/** The text report of one campaign, as soon as it is over. */
function tell(result: CampaignResult, kept: readonly KeptFailure[]): void {
  const paint = paintFor(process.stdout)
  const lines = [campaignText(result, paint), '']
  for (const { story, shrunk, artefact } of kept.slice(0, 1)) {
    const how =
      shrunk === null
        ? ''
        : `, shrunk ${shrunk.before} → ${shrunk.after} choices, ${counted(shrunk.faults, 'fault')}, in ${counted(shrunk.runs, 'run')}`
    lines.push(`  ${paint.bold('story')} of seed ${artefact.seed}${how}`, ...storyText(story, paint), '')
    lines.push(`  replay  ${artefact.replay}`, '')
  }
  process.stdout.write(`${lines.join('\n')}\n`)
}

function report(results: readonly CampaignResult[], { reporter, output }: RunOptions): void {
  const text = { text: textReport, json: campaignJson, junit: campaignJunit, github: campaignGithub }[
    reporter
  ](results)
  if (output !== undefined) writeFileSync(output, text)
  else if (reporter !== 'text') process.stdout.write(text)
}

function textReport(results: readonly CampaignResult[]): string {
  return results.map((result) => `${campaignText(result)}\n`).join('\n')
}
