/**
 * `wavetank scaffold`: writes a simulation, a race, a Maelstrom node or a plan that fits the project it finds. On a
 * terminal it asks for what no flag says; elsewhere it takes what it found and says which. It overwrites nothing.
 */
import { Argument, Option, type Command } from 'commander'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { writeWhole } from '../../failures/whole-file.ts'
import { UsageError } from '../../kernel/errors.ts'
import { lookAt, type FoundProgram, type ProjectLook } from '../../scaffold/project-look.ts'
import { raceText } from '../../scaffold/race-text.ts'
import { interfaceOf, MODEL_NAMES, simulationText, type ModelName } from '../../scaffold/simulation-text.ts'
import { describe, parse, positive } from '../arguments.ts'
import { askFor, isInteractive } from './questions.ts'

const KINDS = ['simulation', 'race', 'maelstrom', 'plan'] as const

interface ScaffoldOptions {
  readonly entry?: string
  readonly port?: number
  readonly model?: ModelName
  readonly count?: number
  readonly name?: string
  readonly workload?: string
  readonly yes?: boolean
}

export function command(): Command {
  return describe('scaffold')
    .addArgument(new Argument('<kind>', 'what to write').choices(KINDS))
    .option(
      '--entry <file>',
      'simulation: the program that clients talk to; by default the one that is found',
    )
    .option('--port <number>', 'simulation: the port that it listens on', positive)
    .addOption(
      new Option('--model <name>', 'simulation: what the program is, and so what is checked').choices(
        MODEL_NAMES,
      ),
    )
    .option('--count <n>', 'simulation: how many processes of the program', positive)
    .option('--name <name>', "the name of what is written; by default the project's")
    .option('--workload <name>', 'maelstrom: the workload of the node')
    .option('--yes', 'ask nothing')
}

export async function run(args: readonly string[]): Promise<number> {
  const given = parse(command(), args)
  if (given === null) return 0
  const options = given.opts<ScaffoldOptions>()
  switch (given.args[0] as (typeof KINDS)[number]) {
    case 'simulation':
      return scaffoldSimulation(options)
    case 'race':
      return scaffoldRace(options)
    case 'maelstrom': {
      const { run: maelstrom } = await import('../maelstrom/command.ts')
      return maelstrom(['new', options.workload ?? 'echo'])
    }
    case 'plan': {
      const { run: plan } = await import('../plan/command.ts')
      return plan(['new', '--project'])
    }
  }
}

async function scaffoldSimulation(options: ScaffoldOptions): Promise<number> {
  const look = lookAt({ read: readProject })
  const programs = options.entry === undefined ? look.programs : withEntry(look, options.entry)
  if (programs.length === 0) {
    throw new UsageError(
      'ERR_WAVETANK_SCAFFOLD',
      'scaffold: no program was found in a compose file, a Dockerfile, package.json or under the usual names; name it by --entry',
    )
  }
  const asks = isInteractive() && options.yes !== true
  const asked =
    programs.find(({ entry }) => entry === options.entry) ??
    (asks ? await askFor.program(programs) : programs[0])
  const port = options.port ?? asked.port ?? (asks ? await askFor.port() : 8080)
  const model = options.model ?? (asks ? await askFor.model() : 'health')
  const name = simulationName(options.name ?? look.name)
  const count = options.count ?? asked.count
  const file = `${name}.sim.${look.typescript ? 'ts' : 'mjs'}`
  const typed = simulationText({ name, programs, asked, port, model, count })
  writeNew(file, look.typescript ? typed : untyped(typed))
  process.stdout.write(
    [
      `wrote ${file}: ${asked.entry} (${asked.from}) on port ${port}, checked as ${model}`,
      `the client in it expects: ${interfaceOf(model)}`,
      `next: npx wavetank run ${name} --level stormy`,
      '',
    ].join('\n'),
  )
  return 0
}

function withEntry({ programs }: ProjectLook, entry: string): FoundProgram[] {
  if (readProject(entry) === null)
    throw new UsageError('ERR_WAVETANK_SCAFFOLD', `scaffold: there is no file ${entry}`)
  const others = programs.filter((each) => each.entry !== entry)
  const known = programs.find((each) => each.entry === entry)
  const found =
    known ??
    lookAt({
      read: (path) =>
        path === 'package.json' ? JSON.stringify({ main: entry }) : path === entry ? readProject(path) : null,
    }).programs[0]
  return [{ ...found, from: '--entry' }, ...others]
}

/** TypeScript's own parts taken out of what {@link simulationText} writes. */
function untyped(text: string): string {
  return text.replace(/ as Promise<[\w[\]]+>/g, '').replace(/(\w)<string>\(/g, '$1(')
}

async function scaffoldRace({ name }: ScaffoldOptions): Promise<number> {
  const { runner } = lookAt({ read: readProject })
  const file = `${name ?? 'first-race'}.test.mjs`
  writeNew(file, raceText({ runner, title: 'two additions are both kept' }))
  const command = runner === 'vitest' ? `npx vitest run ${file}` : `node --test ${file}`
  process.stdout.write(`wrote ${file}\nnext: ${command}\n`)
  return 0
}

function readProject(path: string): string | null {
  try {
    return readFileSync(join(process.cwd(), path), 'utf8')
  } catch {
    return null
  }
}

function writeNew(file: string, text: string): void {
  const path = join(process.cwd(), file)
  if (existsSync(path))
    throw new UsageError(
      'ERR_WAVETANK_SCAFFOLD',
      `scaffold: ${file} is there already; --name gives another one`,
    )
  mkdirSync(dirname(path), { recursive: true })
  writeWhole(path, text)
}

function simulationName(text: string): string {
  const name = text.replace(/[^\w.-]+/g, '-').replace(/^[^\w]+/, '')
  return name === '' ? 'system' : name
}
