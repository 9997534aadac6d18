/**
 * `wavetank scaffold`: writes a simulation, a race, a Maelstrom node or a plan that fits the project it finds. On a
 * terminal it asks for what no flag says; elsewhere it takes what it found and says which. It overwrites nothing.
 */
import { Argument, Option, type Command } from 'commander'
import { UsageError } from '../../kernel/errors.ts'
import { lookAt } from '../../scaffold/project-look.ts'
import { raceText } from '../../scaffold/race-text.ts'
import { describe, parse } from '../arguments.ts'
import { PROJECT, writeNew } from './project-files.ts'
import { questionsFor } from './questions.ts'
import { scaffoldSimulation, withSimulationOptions, type SimulationOptions } from './simulation.ts'

const KINDS = ['simulation', 'race', 'maelstrom', 'plan'] as const

interface ScaffoldOptions extends SimulationOptions {
  readonly workload?: string
}

export function command(): Command {
  return withSimulationOptions(
    describe('scaffold').addArgument(new Argument('<kind>', 'what to write').choices(KINDS)),
  ).addOption(new Option('--workload <name>', 'maelstrom: the workload of the node; echo by default'))
}

export async function run(args: readonly string[]): Promise<number> {
  const given = parse(command(), args)
  if (given === null) return 0
  const options = given.opts<ScaffoldOptions>()
  switch (given.args[0] as (typeof KINDS)[number]) {
    case 'simulation':
      return simulation(options)
    case 'race':
      return race(options)
    case 'maelstrom':
      return maelstrom(options)
    case 'plan': {
      const { run: plan } = await import('../plan/command.ts')
      return plan(['new', '--project'])
    }
  }
}

async function simulation(options: SimulationOptions): Promise<number> {
  const written = await scaffoldSimulation(options, questionsFor(options))
  if (written === null) throw new UsageError('ERR_WAVETANK_SCAFFOLD', `scaffold: ${nothingFound()}`)
  process.stdout.write(`${written.lines.join('\n')}\n`)
  return 0
}

function nothingFound(): string {
  const { library } = lookAt(PROJECT)
  return library === null
    ? 'no program was found in a compose file, a Dockerfile, package.json or under the usual names; name it by --entry'
    : `${library} exports something and serves nothing, as a library does. A simulation needs a program that clients talk to: write a small server around it and name that by --entry, or explore its asynchronous code with npx wavetank scaffold race`
}

async function maelstrom(options: ScaffoldOptions): Promise<number> {
  const { WORKLOADS } = await import('../../maelstrom/workloads/index.ts')
  const { run: maelstromCommand } = await import('../maelstrom/command.ts')
  const asked = options.workload ?? (await questionsFor(options)?.workload(Object.keys(WORKLOADS)))
  return maelstromCommand(['new', asked ?? 'echo'])
}

async function race({ name }: ScaffoldOptions): Promise<number> {
  const { runner } = lookAt(PROJECT)
  const file = `${name ?? 'first-race'}.test.mjs`
  writeNew(file, raceText({ runner, title: 'two additions are both kept' }))
  const next = runner === 'vitest' ? `npx vitest run ${file}` : `node --test ${file}`
  process.stdout.write(`wrote ${file}\nnext: ${next}\n`)
  return 0
}
