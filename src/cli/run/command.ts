/** `wavetank run`: campaigns of the project's simulations. Of every bug, one failing seed is shrunk, kept and shown. */
import { Option, type Command } from 'commander'
import { corpusExitCode, type CorpusResult } from '../../failures/corpus-verdict.ts'
import type { RunRecorder } from '../../failures/recorded-run.ts'
import { unwritableFolder } from '../../failures/whole-file.ts'
import { parseLevel, type LevelName } from '../../faults/levels.ts'
import { campaign as runCampaign, outputOf, type PoolOptions } from '../../host/campaign.ts'
import { hostClock } from '../../host/host-clock.ts'
import { UsageError } from '../../kernel/errors.ts'
import type { Declaration } from '../../sim/campaign/declarations.ts'
import type { SimulationReference } from '../../sim/campaign/executor.ts'
import { isLossCategory } from '../../sim/campaign/lost-seed.ts'
import type { CampaignResult, CampaignVerdict } from '../../sim/campaign/result.ts'
import { campaignGithub } from '../../report/campaign/campaign-github.ts'
import { campaignJson } from '../../report/campaign/campaign-json.ts'
import { campaignJunit } from '../../report/campaign/campaign-junit.ts'
import { campaignText } from '../../report/campaign/campaign-text.ts'
import { corpusText } from '../../report/campaign/corpus-text.ts'
import { logLines } from '../../report/campaign/log-text.ts'
import { counted } from '../../report/form/quantity.ts'
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
  someWallTime,
  wallTime,
} from '../arguments.ts'
import { interruptible } from '../interruption.ts'
import { corpusFolder } from '../corpus/folder.ts'
import { advise } from './advise.ts'
import { runCorpus } from './corpus.ts'
import { environmentOf } from './environment.ts'
import { checkFirstSeed, seedOptions, withEnvironment } from './seeds.ts'
import { declarations, openProject, select, warnOfBroken, withPool, type Project } from './selection.ts'
import { checkOutput, LiveLine, paintFor, write } from '../terminal.ts'

type Reporter = 'text' | 'junit' | 'github'

interface RunOptions {
  readonly level?: LevelName | undefined
  readonly seeds?: { readonly first?: number; readonly count: number }
  readonly seed?: number
  readonly firstSeed?: number
  readonly time?: number
  readonly jobs?: number
  readonly shard?: { readonly index: number; readonly of: number }
  readonly coverage: boolean
  readonly corpus: boolean
  readonly bail?: boolean
  readonly verify?: boolean
  readonly shrink: boolean
  readonly shrinkTime?: number
  readonly allowGaps?: boolean
  readonly logs?: boolean
  readonly advise?: string | true
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
  const environment = environmentOf(process.env)
  const flags = withEnvironment(given.opts<RunOptions>(), environment)
  const options = { ...flags, level: flags.level ?? environment.level }
  if (options.advise !== undefined) return advise(options.advise, options)
  checkFirstSeed(options)
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
    const corpus: CorpusResult[] = []
    await interruptible(async (signal) => {
      const all = given.args.length === 0
      corpus.push(...(await corpusFirst(options, project, all ? null : chosen, pool, signal)))
      for (const declaration of chosen)
        if (!signal.aborted) results.push(await campaign(declaration, options, project, pool, signal))
    })
    return exitCode(results, corpus, { broken: !report(results, corpus, options) || broken, ...options })
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
function exitCode(
  results: readonly CampaignResult[],
  corpus: readonly CorpusResult[],
  { broken, allowGaps = false }: { readonly broken: boolean; readonly allowGaps?: boolean },
): number {
  const codeOf = ({ verdict }: CampaignResult): number =>
    verdict === 'coverage-gap' && allowGaps ? 0 : EXIT_CODES[verdict]
  const codes = [corpusExitCode(corpus), ...results.map(codeOf)]
  if (codes.includes(1)) return 1
  return broken ? 254 : Math.max(0, ...codes)
}

export function command(): Command {
  return describe('run')
    .argument('[names...]', NAMES)
    .addOption(
      new Option('--level <level>', 'sunny, stormy or radioactive; or set WAVETANK_LEVEL').argParser(
        parseLevel,
      ),
    )
    .addOption(
      new Option(
        '--seeds <n>',
        'how many seeds, or from..to; by default until coverage is stable; or set WAVETANK_SEEDS',
      ).argParser(seedRange),
    )
    .addOption(
      new Option('--seed <n>', 'this seed and no other; or set WAVETANK_SEED')
        .argParser(natural)
        .conflicts(['seeds', 'firstSeed', 'time', 'shard']),
    )
    .addOption(new Option('--first-seed <n>', 'begin with this seed; 1 by default').argParser(natural))
    .addOption(
      new Option('--time <duration>', 'go on for this long, such as 30s or 5m')
        .argParser(someWallTime)
        .conflicts('seeds'),
    )
    .addOption(new Option('--jobs <n>', 'worker threads; by default one per core').argParser(positive))
    .addOption(new Option('--shard <i/n>', 'only this part of the seeds').argParser(shard))
    .option('--no-coverage', "by default run the level's number of seeds, not until coverage is stable")
    .option('--no-corpus', 'do not run the failures of the corpus first')
    .option('--bail', 'stop at the first failing seed')
    .option('--verify', 'run every seed twice, in different threads, and compare every step')
    .option('--no-shrink', 'do not shrink failures')
    .addOption(
      new Option(
        '--shrink-time <duration>',
        'shrink for this long, all bugs together; by default four times the campaign, 30s a bug at most',
      ).argParser(wallTime),
    )
    .option('--allow-gaps', 'exit with 0 although the runs show too little')
    .addOption(
      new Option(
        '--logs',
        'print what every process of one seed wrote: of the first bug, or else of the first seed',
      ).conflicts(['json', 'reporter']),
    )
    .addOption(
      new Option(
        '--advise [revision]',
        'run nothing: say which level the files changed since a git revision ask for; HEAD by default',
      ).conflicts(['seeds', 'seed', 'time', 'shard', 'level', 'reporter']),
    )
    .addOption(reporter('text', 'junit', 'github'))
    .addOption(json())
    .addOption(output('the report'))
}

/** Runs the entries of the corpus, and shows what they gave. One seed is no campaign; of several shards the first does it. */
async function corpusFirst(
  options: RunOptions,
  { root, config }: Project,
  chosen: readonly Declaration[] | null,
  recorder: RunRecorder,
  signal: AbortSignal,
): Promise<CorpusResult[]> {
  if (!options.corpus || options.seed !== undefined || (options.shard?.index ?? 0) > 0) return []
  const live = new LiveLine()
  const onEntry = (done: number, of: number): void => live.show(`corpus, ${done + 1} of ${of}`)
  const folder = corpusFolder(root, config)
  const results = await runCorpus({ folder, root, chosen, recorder, signal, onEntry })
  live.clear()
  if (results.length > 0 && !isQuiet(options))
    process.stdout.write(`${corpusText(results, paintFor(process.stdout))}\n\n`)
  return results
}

/** Whether standard output belongs to a report for machines. */
function isQuiet({ reporter, json, output }: RunOptions): boolean {
  return (reporter !== 'text' || json === true) && output === undefined
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
  let failing = 0
  const begunMs = hostClock.nowMs()
  const result = await runCampaign({
    simulation: { file, name },
    level,
    seeds: seedOptions(options, project.config, declaration.seeds, level),
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
  if (!isQuiet(options)) process.stdout.write(`${campaignText(result, paintFor(process.stdout))}\n\n`)
  if (options.logs === true) await showLogs(result, { file, name }, pool)
  return result
}

/** What the processes of one seed wrote, by a further run of it. A seed whose thread was lost has no record. */
async function showLogs(
  { level, seeds, failures }: CampaignResult,
  simulation: SimulationReference,
  pool: RunRecorder,
): Promise<void> {
  const seed = failures[0]?.seed ?? seeds.first
  if (isLossCategory(failures[0]?.failure.category)) return
  const { log } = await pool.record({ simulation, level, seed })
  process.stdout.write(`logs of seed ${seed}\n${logLines(log).join('\n')}\n\n`)
}

function poolOptions({ jobs }: RunOptions, { config }: Project): PoolOptions {
  return { jobs: jobs ?? config.jobs, stuckWallMs: config.stuckWallMs, memoryMb: config.memoryMb }
}

/** Writes the report that was asked for; false if it cannot be written, in which case the terminal has it. */
function report(
  results: readonly CampaignResult[],
  corpus: readonly CorpusResult[],
  { reporter, json, output }: RunOptions,
): boolean {
  const form = json === true ? 'json' : reporter
  const forms = { text: textReport, json: campaignJson, junit: campaignJunit, github: campaignGithub }
  if (output === undefined && form === 'text') return true // each campaign was shown when it was over
  try {
    write(forms[form](results, corpus), output)
    return true
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    process.stderr.write(`wavetank: ${error.message}\n`)
    return false
  }
}

function textReport(results: readonly CampaignResult[], corpus: readonly CorpusResult[]): string {
  const blocks = [
    ...(corpus.length === 0 ? [] : [corpusText(corpus)]),
    ...results.map((one) => campaignText(one)),
  ]
  return blocks.map((block) => `${block}\n`).join('\n')
}
