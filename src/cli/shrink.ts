/** `wavetank shrink FILE`: leaves out of a recorded failure whatever it does not need. */
import type { Command } from 'commander'
import { isRaceTrace } from '../explore/race-trace.ts'
import { readTrace as readKernelTrace } from '../kernel/trace-file.ts'
import { projectRoot } from '../project.ts'
import { counted } from '../report/quantity.ts'
import { storyText } from '../report/story.ts'
import { shrink } from '../sim/shrink.ts'
import { UsageError } from '../kernel/errors.ts'
import { describe, parse, positive } from './arguments.ts'
import { jobOf } from './replay.ts'
import { readTrace, readTraceText, shortPath, writeTrace } from './run-folder.ts'
import { withPool } from './selection.ts'
import { LiveLine, paintFor } from './terminal.ts'

interface ShrinkOptions {
  readonly runs: number
  readonly output?: string
}

export function command(): Command {
  return describe('shrink')
    .argument('<file>', 'a trace file, as `wavetank run` writes them')
    .option('--runs <n>', 'try at most so many runs', positive, 5000)
    .option('--output <file>', 'write the shrunk trace here; by default beside the first, as *.shrunk.json')
}

export async function run(args: readonly string[]): Promise<number> {
  const given = parse(command(), args)
  if (given === null) return 0
  const options = given.opts<ShrinkOptions>()
  const [file] = given.args
  const root = projectRoot(process.cwd())
  const output = options.output ?? file.replace(/(\.shrunk)?\.json$/, '') + '.shrunk.json'
  const recorded = readKernelTrace(readTraceText(file), file)
  if (isRaceTrace(recorded))
    return (await import('./shrink-race.ts')).shrinkRace(file, recorded, root, { ...options, output })
  const job = jobOf(readTrace(file), root)
  const live = new LiveLine()
  return withPool(root, 1, async (pool) => {
    const { result } = await pool.run(job)
    if (result.failure === null)
      throw new UsageError('ERR_WAVETANK_NOT_FAILING', `shrink: ${file} does not fail any more`)
    const shrunk = await shrink(pool, job, {
      maxRuns: options.runs,
      onProgress: (runs, choices) =>
        live.show(`shrinking, ${counted(runs, 'run')}, ${counted(choices, 'choice')} left`),
    })
    live.clear()
    const { before, after, faults, runs, minimal } = shrunk
    writeTrace(output, root, shrunk.job, shrunk.report, { before, after, faults, runs, minimal })
    const telling = await pool.tell(shrunk.job)
    const incomplete = minimal ? '' : ' (not minimal: the budget of runs ended)'
    const lines = [
      `${before} → ${after} choices, ${counted(faults, 'fault')}, in ${counted(runs, 'run')}${incomplete}`,
      ...storyText(telling.story, paintFor(process.stdout)),
      '',
      `  replay  npx wavetank replay ${shortPath(output)}`,
    ]
    process.stdout.write(`${lines.join('\n')}\n`)
    return 0
  })
}
