/** `wavetank shrink FILE`: leaves out of a recorded failure whatever it does not need. */
import type { Command } from 'commander'
import { keepTrace } from '../../failures/keep.ts'
import { counted } from '../../report/form/quantity.ts'
import { shrunkText } from '../../report/failure/shrunk-text.ts'
import { describe, parse, positive } from '../arguments.ts'
import { withFailure } from './open-failure.ts'
import { LiveLine, paintFor } from '../terminal.ts'

interface ShrinkCommand {
  readonly runs: number
  readonly output?: string
}

export function command(): Command {
  return describe('shrink')
    .argument('<file>', 'a trace file, or the folder of a campaign')
    .option('--runs <n>', 'try at most this many runs', positive, 5000)
    .option(
      '-o, --output <file>',
      'write the shrunk trace here; by default beside the first, as *.shrunk.json',
    )
}

export async function run(args: readonly string[]): Promise<number> {
  const given = parse(command(), args)
  if (given === null) return 0
  const { runs: maxRuns, ...options } = given.opts<ShrinkCommand>()
  const [file] = given.args
  const output = options.output ?? file.replace(/(\.shrunk)?\.json$/, '') + '.shrunk.json'
  const live = new LiveLine()
  const onProgress = (runs: number, choices: number): void =>
    live.show(`shrinking, ${counted(runs, 'run')}, ${counted(choices, 'choice')} left`)
  const shrunk = await withFailure(file, (failure) => failure.shrink({ maxRuns, onProgress }))
  live.clear()
  const replay = keepTrace(output, shrunk.trace)
  process.stdout.write(shrunkText(shrunk, replay, paintFor(process.stdout)))
  return 0
}
