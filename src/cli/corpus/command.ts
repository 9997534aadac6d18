/**
 * `wavetank corpus`: failures that the project keeps forever. One command with an action; an option that an action does
 * not have is refused, so that nothing is silently ignored.
 */
import { Argument, Option, type Command } from 'commander'
import { UsageError } from '../../kernel/errors.ts'
import { describe, json, output, parse, positive } from '../arguments.ts'
import { checkOutput } from '../terminal.ts'
import { add } from './add.ts'
import { check, list, prune } from './entries.ts'

export interface CorpusOptions {
  readonly runs?: number
  readonly dryRun?: boolean
  readonly json?: boolean
  readonly output?: string
}

interface Action {
  readonly about: string
  readonly takesTrace: boolean
  readonly options: readonly (keyof CorpusOptions)[]
  readonly run: (trace: string, options: CorpusOptions) => Promise<number>
}

const ACTIONS: Readonly<Record<string, Action>> = {
  add: {
    about: 'shrinks a recorded failure, if that is still to be done, and adds it',
    takesTrace: true,
    options: ['runs', 'json', 'output'],
    run: add,
  },
  check: {
    about: 'runs every entry again: fixed, still failing or stale',
    takesTrace: false,
    options: ['json', 'output'],
    run: (_, options) => check(options),
  },
  prune: {
    about: 'runs every entry again and removes the stale ones',
    takesTrace: false,
    options: ['dryRun', 'json', 'output'],
    run: (_, options) => prune(options),
  },
  list: {
    about: 'shows what each entry holds; runs nothing',
    takesTrace: false,
    options: ['json', 'output'],
    run: (_, options) => list(options),
  },
}

export function command(): Command {
  return describe('corpus')
    .addArgument(new Argument('<action>', 'what to do').choices(Object.keys(ACTIONS)))
    .argument('[trace]', 'add: a trace file, or the folder of a campaign')
    .addOption(
      new Option('--runs <n>', 'add: try at most this many runs to shrink it; 5000 by default').argParser(
        positive,
      ),
    )
    .option('--dry-run', 'prune: say what would be removed, and remove nothing')
    .addOption(json())
    .addOption(output('the answer'))
    .addHelpText('after', () => `\n${actionsText()}`.trimEnd())
}

function actionsText(): string {
  const rows = Object.entries(ACTIONS).map(
    ([name, { about, takesTrace }]) => `  ${`${name}${takesTrace ? ' <trace>' : ''}`.padEnd(14)}${about}`,
  )
  return `Actions:\n${rows.join('\n')}\n`
}

const FLAGS: Readonly<Record<keyof CorpusOptions, string>> = {
  runs: '--runs',
  dryRun: '--dry-run',
  json: '--json',
  output: '--output',
}

export async function run(args: readonly string[]): Promise<number> {
  const given = parse(command(), args)
  if (given === null) return 0
  const [name, trace] = given.args as [string, string | undefined]
  const options = given.opts<CorpusOptions>()
  const action = ACTIONS[name]
  const unknown = (Object.keys(options) as (keyof CorpusOptions)[]).find(
    (option) => !action.options.includes(option),
  )
  if (unknown !== undefined) {
    const known = action.options.map((option) => FLAGS[option]).join(', ')
    throw wrong(`corpus ${name} has no option ${FLAGS[unknown]}; it has ${known}`)
  }
  if (action.takesTrace && trace === undefined)
    throw wrong(`corpus ${name} needs a trace file, such as .wavetank/runs/latest/f1.json`)
  if (!action.takesTrace && trace !== undefined) throw wrong(`corpus ${name} takes no "${trace}"`)
  checkOutput(options.output)
  return action.run(trace ?? '', options)
}

function wrong(message: string): UsageError {
  return new UsageError('ERR_WAVETANK_ARGUMENTS', `${message}; see wavetank corpus --help`)
}
