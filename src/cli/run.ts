/** `wavetank run`: campaigns of the project's simulations. Of every bug, one failing seed is shrunk, kept and shown. */
import { Option, type Command } from 'commander'
import type { RunRecorder } from '../failures/recorded-run.ts'
import { unwritableFolder } from '../failures/whole-file.ts'
import { parseLevel, type LevelName } from '../faults/levels.ts'
import { campaign as runCampaign, outputOf, type PoolOptions } from '../host/campaign.ts'
import { hostClock } from '../host/host-clock.ts'
import { UsageError } from '../kernel/errors.ts'
import type { Declaration } from '../sim/campaign/declarations.ts'
import type { CampaignResult, CampaignVerdict } from '../sim/campaign/result.ts'
import { campaignGithub } from '../report/campaign-github.ts'
import { campaignJson } from '../report/campaign-json.ts'
import { campaignJunit } from '../report/campaign-junit.ts'
import { campaignText } from '../report/campaign-text.ts'
import { counted } from '../report/quantity.ts'
import type { SeedOptions } from '../host/simulate-options.ts'
import {
  describe,
  json,
  NAMES,
  natural,
  output,
  parse,
  positive,
  reporter,
  seedRange,
  shard,
  wallTime,
} from './arguments.ts'
import { interruptible } from './interruption.ts'
import { declarations, openProject, select, warnOfBroken, withPool, type Project } from './selection.ts'
import { checkOutput, LiveLine, paintFor, write } from './terminal.ts'

type Reporter = 'text' | 'junit' | 'github'

interface RunOptions {
  readonly level?: LevelName
  readonly seeds?: { readonly first?: number; readonly count: number }
  readonly seed?: number
  readonly firstSeed?: number
  readonly time?: number
  readonly jobs?: number
  readonly shard?: { readonly index: number; readonly of: number }
  readonly bail?: boolean
  readonly verify?: boolean
  readonly shrink: boolean
  readonly shrinkTime?: number
  readonly reporter: Reporter
  readonly json?: boolean
  readonly output?: string
}

const EXIT_CODES: Readonly<Record<CampaignVerdict, number>> = {
  held: 0,
  violated: 1,
  'coverage-gap': 2,
  unknown: 2,
}

export async function run(args: readonly string[]): Promise<number> {
  const given = parse(command(), args)
  if (given === null) return 0
  const options = given.opts<RunOptions>()
  if (options.firstSeed !== undefined && options.seeds?.first !== undefined) {
    throw new UsageError(
      'ERR_WAVETANK_ARGUMENTS',
      `wavetank run: --first-seed and a range of --seeds contradict each other; give --seeds a number`,
    )
  }
  if (!options.shrink && options.shrinkTime !== undefined)
    throw new UsageError(
      'ERR_WAVETANK_ARGUMENTS',
      'wavetank run: --no-shrink and --shrink-time contradict each other',
    )
  checkOutput(options.output)
  const project = await openProject(process.cwd(), given.args)
  warnOfUnkept(project)
  return withPool(project.root, poolOptions(options, project), async (pool) => {
    const declared = await declarations(project, pool)
    const chosen = select(declared, given.args)
    const broken = warnOfBroken(declared, given.args)
    const results: CampaignResult[] = []
    await interruptible(async (signal) => {
      for (const declaration of chosen)
        if (!signal.aborted) results.push(await campaign(declaration, options, project, pool, signal))
    })
    return exitCode(results, !report(results, options) || broken)
  })
}

/** Failures that cannot be kept are shown all the same: a warning, before the campaign. */
function warnOfUnkept({ root, config }: Project): void {
  const output = outputOf({ root, output: config.output })
  const problem = unwritableFolder(output)
  if (problem !== null) process.stderr.write(`wavetank: failures cannot be kept in ${output}: ${problem}\n`)
}

/**
 * A violation comes first; then a file that was meant and cannot be loaded, or a report that cannot be written; then what
 * is unknown.
 */
function exitCode(results: readonly CampaignResult[], broken: boolean): number {
  const codes = results.map(({ verdict }) => EXIT_CODES[verdict])
  if (codes.includes(1)) return 1
  return broken ? 254 : Math.max(0, ...codes)
}

export function command(): Command {
  return describe('run')
    .argument('[names...]', NAMES)
    .addOption(new Option('--level <level>', 'sunny, stormy or radioactive').argParser(parseLevel))
    .addOption(
      new Option('--seeds <n>', 'how many seeds, or from..to; by default until coverage is stable').argParser(
        seedRange,
      ),
    )
    .addOption(
      new Option('--seed <n>', 'this seed and no other')
        .argParser(natural)
        .conflicts(['seeds', 'firstSeed', 'time', 'shard']),
    )
    .addOption(new Option('--first-seed <n>', 'begin with this seed; 1 by default').argParser(natural))
    .addOption(
      new Option('--time <duration>', 'go on for this long, such as 30s or 5m')
        .argParser(wallTime)
        .conflicts('seeds'),
    )
    .addOption(new Option('--jobs <n>', 'worker threads; by default one per core').argParser(positive))
    .addOption(new Option('--shard <i/n>', 'only this part of the seeds').argParser(shard))
    .option('--bail', 'stop at the first failing seed')
    .option('--verify', 'run every seed twice, in different threads, and compare every step')
    .option('--no-shrink', 'do not shrink failures')
    .addOption(
      new Option(
        '--shrink-time <duration>',
        'shrink for this long, all bugs together; by default four times the campaign, 30s a bug at most',
      ).argParser(wallTime),
    )
    .addOption(reporter('text', 'junit', 'github'))
    .addOption(json())
    .addOption(output('the report'))
}

async function campaign(
  declaration: Declaration,
  options: RunOptions,
  project: Project,
  pool: RunRecorder,
  signal: AbortSignal,
): Promise<CampaignResult> {
  const { name, file } = declaration
  const level = options.level ?? project.config.level ?? 'sunny'
  const live = new LiveLine()
  const quiet = (options.reporter !== 'text' || options.json === true) && options.output === undefined
  let failing = 0
  const begunMs = hostClock.nowMs()
  const result = await runCampaign({
    simulation: { file, name },
    level,
    seeds: seedOptions(options, project),
    bail: options.bail,
    verify: options.verify,
    shard: options.shard,
    recorder: pool,
    signal,
    onSeed: (seed, done) => {
      if (seed.failure !== null) failing++
      const rate = (done / Math.max(0.001, (hostClock.nowMs() - begunMs) / 1000)).toFixed(1)
      live.show(`${name} ${level}  ${counted(done, 'seed')}  ${failing} failing  ${rate} seeds/s`)
    },
    onShrink: (runs, choices) =>
      live.show(`${name}: shrinking, ${counted(runs, 'run')}, ${counted(choices, 'choice')} left`),
    keep: {
      root: project.root,
      output: project.config.output,
      shrink: options.shrink,
      shrinkMs: options.shrinkTime,
      inline: null,
    },
  })
  live.clear()
  if (!quiet) process.stdout.write(`${campaignText(result, paintFor(process.stdout))}\n\n`)
  return result
}

function poolOptions({ jobs }: RunOptions, { config }: Project): PoolOptions {
  return { jobs: jobs ?? config.jobs, stuckMs: config.stuckMs, memoryMb: config.memoryMb }
}

/** Which seeds the command line asks for, or else the configuration. */
function seedOptions({ seed, seeds, firstSeed, time }: RunOptions, { config }: Project): SeedOptions {
  if (seed !== undefined) return { seed }
  const first = seeds?.first ?? firstSeed
  const from = first === undefined ? {} : { firstSeed: first }
  if (seeds !== undefined) return { ...from, seeds: seeds.count }
  if (time !== undefined) return { ...from, budgetWallMs: time }
  return config.seeds === undefined ? from : { ...from, seeds: config.seeds }
}

/** Writes the report that was asked for; false if it cannot be written, in which case the terminal has it. */
function report(results: readonly CampaignResult[], { reporter, json, output }: RunOptions): boolean {
  const form = json === true ? 'json' : reporter
  const forms = { text: textReport, json: campaignJson, junit: campaignJunit, github: campaignGithub }
  if (output === undefined && form === 'text') return true // each campaign was shown when it was over
  try {
    write(forms[form](results), output)
    return true
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    process.stderr.write(`wavetank: ${error.message}\n`)
    return false
  }
}

function textReport(results: readonly CampaignResult[]): string {
  return results.map((result) => `${campaignText(result)}\n`).join('\n')
}
