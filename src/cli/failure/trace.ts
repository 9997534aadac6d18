/** `wavetank trace FILE`: the steps of a recorded failure, those that causally reach it, or all. */
import { Option, type Command } from 'commander'
import { stepsText, STEPS_FORMATS, type StepsFormat } from '../../report/failure/steps-text.ts'
import { describe, json, output, parse } from '../arguments.ts'
import { checkOutput, write } from '../terminal.ts'
import { withFailure } from './open-failure.ts'

export function command(): Command {
  return describe('trace')
    .argument('<file>', 'a trace file, or the folder of a campaign')
    .option('--all', 'every step')
    .addOption(json())
    .addOption(output('the steps'))
    .addOption(
      new Option('--format <format>', 'events are one JSON object per line and step')
        .choices(STEPS_FORMATS)
        .default('text'),
    )
}

export async function run(args: readonly string[]): Promise<number> {
  const given = parse(command(), args)
  if (given === null) return 0
  const options = given.opts<{ all?: boolean; json?: boolean; output?: string; format: StepsFormat }>()
  const format = options.json === true ? 'json' : options.format
  checkOutput(options.output)
  const steps = await withFailure(given.args[0], (failure) => failure.steps())
  write(stepsText(steps, { all: options.all === true, format }), options.output)
  return 0
}
