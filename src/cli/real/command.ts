/** `wavetank real`: the simulations of the project on real processes. One command with an action. */
import { Argument, InvalidArgumentError, Option, type Command } from 'commander'
import { UsageError } from '../../kernel/errors.ts'
import { BACKENDS, type BackendName } from '../../real/cluster/backends/backend.ts'
import { NEMESES } from '../../real/nemeses/index.ts'
import { table } from '../../report/form/table.ts'
import { describe, json, natural, output, parse, positive } from '../arguments.ts'
import { checkOutput, write } from '../terminal.ts'
import { analyze } from './analyze.ts'
import { test } from './test.ts'

export interface RealOptions {
  readonly nodes?: string
  readonly workload?: string
  readonly nemesis: string
  readonly nemesisInterval?: number
  readonly nemesisSchedule: 'interval' | 'phases'
  readonly timeLimit: number
  readonly concurrency?: number
  readonly rate: number
  readonly seed?: number
  readonly store: string
  readonly backend: BackendName
  readonly machines?: string
  readonly sshConfig?: string
  readonly install?: boolean
  readonly thenSimulate?: boolean
  readonly json?: boolean
  readonly output?: string
}

const ACTIONS: Readonly<Record<string, (target: string, options: RealOptions) => Promise<number> | number>> =
  {
    test,
    analyze,
    nemeses: (_, options) => nemeses(options),
  }

export function command(): Command {
  return describe('real')
    .addArgument(new Argument('<action>', 'what to do').choices(Object.keys(ACTIONS)))
    .argument('[target]', 'test: a simulation, by name or path; analyze: the folder of a run')
    .option('--nodes <names>', 'how many nodes, or their names: 5, or n1,n2,n3')
    .option('--workload <name>', 'the simulation, if its file has several')
    .option('--nemesis <names>', 'faults, such as kill,partition:ring; combined; script; none', 'none')
    .addOption(
      seconds('--nemesis-interval <s>', 'mean seconds between faults; a quarter of the time, at most 5'),
    )
    .addOption(
      new Option('--nemesis-schedule <how>', 'all at the same time, or each in a phase of its own')
        .choices(['interval', 'phases'])
        .default('interval'),
    )
    .addOption(seconds('--time-limit <s>', 'how long clients ask').default(10))
    .addOption(
      new Option('--concurrency <n>', 'clients; what the workload says by default').argParser(positive),
    )
    .addOption(
      new Option('--rate <n>', 'operations per second in all; 0: as fast as answers come')
        .argParser(natural)
        .default(50),
    )
    .addOption(new Option('--seed <n>', 'decides every random choice; drawn by default').argParser(natural))
    .addOption(new Option('--backend <name>', 'where nodes run').choices(BACKENDS).default('local'))
    .option(
      '--machines <names>',
      'ssh: a machine per node, as the ssh client knows it: user@host, or an alias',
    )
    .option('--ssh-config <file>', "ssh: a configuration for the ssh client instead of the user's")
    .option('--install', 'installs what a system needs and a machine lacks')
    .option('--store <folder>', 'where results go', '.wavetank/real')
    .option('--then-simulate', 'if the run is violated, try the same faults in the tank')
    .addOption(json())
    .addOption(output('the result'))
    .addHelpText(
      'after',
      '\nActions:\n  test <target>     starts the processes, runs the workload under faults, judges\n  analyze <folder>  judges a stored run again, also one that was cut off\n  nemeses           lists the faults there are\n',
    )
}

export async function run(args: readonly string[]): Promise<number> {
  const given = parse(command(), args)
  if (given === null) return 0
  const [action, target, ...more] = given.args
  if (more.length > 0) throw wrong(`one target at a time, not also ${more.join(' ')}`)
  if (target === undefined && action !== 'nemeses')
    throw wrong(`${action} needs ${action === 'test' ? 'a simulation' : 'the folder of a run'}`)
  const options = given.opts<RealOptions>()
  checkOutput(options.output)
  return ACTIONS[action](target, options)
}

function nemeses(options: RealOptions): number {
  const rows = NEMESES.map(({ name, variants, text }) => [name, variants.join(', '), text])
  const list = NEMESES.map(({ name, family, variants, text }) => ({ name, family, variants, text }))
  write(
    options.json === true
      ? `${JSON.stringify(list, null, 2)}\n`
      : `${table(['nemesis', 'variants', 'what it does'], rows, '').join('\n')}\n`,
    options.output,
  )
  return 0
}

function wrong(what: string): UsageError {
  return new UsageError('ERR_WAVETANK_ARGUMENTS', `wavetank real: ${what}`)
}

function seconds(flags: string, about: string): Option {
  return new Option(flags, about).argParser((text) => {
    const value = Number(text)
    if (text === '' || !Number.isFinite(value) || value <= 0)
      throw new InvalidArgumentError('expected a number of seconds above 0')
    return value
  })
}
