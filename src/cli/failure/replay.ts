/**
 * `wavetank replay FILE`: runs a recorded failure again. The same failure at the same step is what it should give: exit
 * code 1. A program that changed is run all the same, with a warning; choices that no longer fit are a divergence. A race
 * under `node --inspect-brk` stops in the debugger before the failing step, or before `--until`.
 */
import type { Command } from 'commander'
import { url as inspectorUrl } from 'node:inspector'
import type { RecordedFailure, ReplayOptions, ReplayOutcome } from '../../failures/recorded-failure.ts'
import { replayJson, replayText, replayWarnings } from '../../report/failure/replay-text.ts'
import { describe, json, output, parse, positive } from '../arguments.ts'
import { withFailure } from './open-failure.ts'
import { PLAIN } from '../../report/form/paint.ts'
import { checkOutput, paintFor, write } from '../terminal.ts'

const EXIT_CODES: Readonly<Record<ReplayOutcome, number>> = {
  'as-recorded': 1,
  otherwise: 2,
  diverged: 2,
  holds: 0,
  stopped: 0,
}

export function command(): Command {
  return describe('replay')
    .argument('<file>', 'a trace file, or the folder of a campaign')
    .option('--logs', 'print what every process wrote; of a race, with the stack of its failure')
    .option('--until <step>', 'stop after this step; of a race in a debugger, before it', positive)
    .addOption(json())
    .addOption(output('the answer'))
}

export async function run(args: readonly string[]): Promise<number> {
  const given = parse(command(), args)
  if (given === null) return 0
  const options = given.opts<{ logs?: boolean; until?: number; json?: boolean; output?: string }>()
  checkOutput(options.output)
  return withFailure(given.args[0], async (failure) => {
    const replay = await failure.replay(replayOptions(failure, options.until))
    for (const warning of replayWarnings(replay)) process.stderr.write(`wavetank: ${warning}\n`)
    const logs = options.logs === true
    const paint = options.output === undefined ? paintFor(process.stdout) : PLAIN
    write(
      options.json === true ? replayJson(replay, logs) : replayText(replay, { logs, paint }),
      options.output,
    )
    return EXIT_CODES[replay.outcome]
  })
}

/** With a debugger there is more to see than a list of steps: the run goes on after the stop. */
function replayOptions({ trace }: RecordedFailure, until: number | undefined): ReplayOptions {
  if (trace.kind !== 'race' || inspectorUrl() === undefined) return until === undefined ? {} : { until }
  const at = until ?? trace.failure.step
  return { beforeStep: (step) => step === at && stopHere(step) }
}

/** The next call is the step's own callback: `event.run()`, in the frame below this one. */
function stopHere(step: number): void {
  // eslint-disable-next-line no-debugger -- this is what it is for
  debugger
  void step
}
