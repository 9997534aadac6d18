/**
 * A simulation of the programs that the project starts, for `wavetank scaffold simulation` and `wavetank init`. Flags go
 * before what was found; on a terminal, it asks for the rest.
 */
import { InvalidArgumentError, Option, type Command } from 'commander'
import { UsageError } from '../../kernel/errors.ts'
import type { FoundProgram } from '../../scaffold/found-program.ts'
import { resourceIn } from '../../scaffold/resource.ts'
import { likelyAsked, lookAt, programNamed, type ProjectLook } from '../../scaffold/project-look.ts'
import { interfaceOf, MODEL_NAMES, simulationText, type ModelName } from '../../scaffold/simulation-text.ts'
import { positive } from '../arguments.ts'
import { PROJECT, writeNew } from './project-files.ts'
import type { Questions } from './questions.ts'

export interface SimulationOptions {
  readonly entry?: string
  readonly port?: number
  readonly model?: ModelName
  readonly count?: number
  readonly name?: string
  readonly yes?: boolean
}

/** What was written, in lines for people. */
export interface WrittenSimulation {
  readonly name: string
  readonly lines: readonly string[]
}

const LARGEST_PORT = 65_535

/** The flags that answer the questions. */
export function withSimulationOptions(command: Command): Command {
  return command
    .option(
      '--entry <file>',
      'simulation: the program that clients talk to; by default the one that is found',
    )
    .option('--port <number>', 'simulation: the port that it listens on', port)
    .addOption(
      new Option('--model <name>', 'simulation: what the program is, and so what is checked').choices(
        MODEL_NAMES,
      ),
    )
    .option('--count <n>', 'simulation: how many processes of the program', positive)
    .option('--name <name>', "the name of what is written; by default the project's")
    .option('--yes', 'ask nothing')
}

/** Null if the project shows no program, and no flag names one. */
export async function scaffoldSimulation(
  options: SimulationOptions,
  questions: Questions | null,
): Promise<WrittenSimulation | null> {
  const look = lookAt(PROJECT)
  const programs = options.entry === undefined ? look.programs : withEntry(look, options.entry)
  const [first] = programs
  if (first === undefined) return null
  const asked =
    options.entry !== undefined
      ? first
      : programs.length > 1 && questions !== null
        ? await questions.program(programs)
        : likelyAsked(programs)!
  const listens = options.port ?? asked.port ?? (await questions?.port()) ?? 8080
  const resource = resourceIn(PROJECT.read(asked.entry) ?? '')
  const model =
    options.model ?? (await questions?.model(resource)) ?? (resource === null ? 'health' : 'register')
  const name = simulationName(options.name ?? look.name)
  const count = options.count ?? asked.count
  const file = `${name}.sim.${look.typescript ? 'ts' : 'mjs'}`
  const typed = simulationText({ name, programs, asked, port: listens, model, resource, count })
  writeNew(file, look.typescript ? typed : untyped(typed))
  const from = options.entry === undefined ? asked.from : '--entry'
  const others = programs.length > 1 ? [`with it: ${programNames(programs, asked)}`] : []
  const left =
    look.others.length > 0 ? [`left out, as it is no Node.js program: ${look.others.join(', ')}`] : []
  return {
    name,
    lines: [
      `wrote ${file}: ${asked.entry} (${from}) on port ${listens}, ${count === 1 ? '1 process' : `${count} processes`}, checked as ${model}`,
      ...others,
      ...left,
      `the client in it expects: ${interfaceOf(model, resource)}`,
      `next: npx wavetank run ${name} --level stormy`,
    ],
  }
}

function withEntry({ programs }: ProjectLook, entry: string): FoundProgram[] {
  const path = entry.replace(/^\.\//, '')
  if (PROJECT.read(path) === null)
    throw new UsageError('ERR_WAVETANK_SCAFFOLD', `scaffold: there is no file ${entry}`)
  return [programNamed(PROJECT, path), ...programs.filter((each) => each.entry !== path)]
}

function programNames(programs: readonly FoundProgram[], asked: FoundProgram): string {
  return programs
    .filter((each) => each !== asked)
    .map(({ name, entry }) => `${name} (${entry})`)
    .join(', ')
}

/** TypeScript's own parts taken out of what {@link simulationText} writes. */
function untyped(text: string): string {
  return text
    .replace(/ as Promise<[\w[\]]+>/g, '')
    .replace(/\((\(await answer\.json\(\)\)) as \{ value: number \}\)/, '$1')
    .replace(/(\w)<string>\(/g, '$1(')
}

function simulationName(text: string): string {
  const name = text.replace(/[^\w.-]+/g, '-').replace(/^[^\w]+/, '')
  return name === '' ? 'system' : name
}

function port(text: string): number {
  const number = positive(text)
  if (number > LARGEST_PORT) throw new InvalidArgumentError(`expected a port of 1 to ${LARGEST_PORT}`)
  return number
}
