/**
 * What a simulation file declares, found by evaluating it in the tank: in a world of its own, with nothing but the
 * workload's process. The same loader as in a run, so what can be listed can be run.
 */
import { Buffer } from 'node:buffer'
import { dirname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { LEVEL_NAMES, weatherOf, type LevelName } from '../../faults/levels.ts'
import { UsageError } from '../../kernel/errors.ts'
import { programStack } from '../../node/bare.ts'
import { NodeProgram, running } from '../../node/index.ts'
import { World } from '../../world/world.ts'
import { rangeOf, simulationsIn, type Simulation } from '../authoring/definition.ts'
import { missingEntry } from '../running/entry-file.ts'
import type { TankHost } from '../running/programs.ts'

export interface Declaration {
  readonly name: string
  readonly file: string
  readonly processes: readonly {
    readonly group: string
    /** The entry file as written, or null for a function. */
    readonly entry: string | null
    readonly count: readonly [least: number, most: number]
  }[]
  readonly invariants: readonly string[]
  /** How many seeds each level has for it, where coverage does not decide. */
  readonly seeds: Readonly<Record<LevelName, number>>
}

/** Steps that the evaluation of a file may take. */
const MAX_STEPS = 1_000_000

export async function declarationsIn(file: string, host: TankHost): Promise<Declaration[]> {
  const world = new World({ seed: 0, base: 'zero' })
  let namespace: Record<string, unknown> | null = null
  let problem: unknown = null
  const stderr: string[] = []
  const program = new NodeProgram({
    entry: () => {
      const loader = running!.loader!
      loader.initialize()
      loader.import(pathToFileURL(file).href).then(
        (loaded: Record<string, unknown>) => (namespace = loaded),
        (error: unknown) => (problem = error),
      )
    },
    loader: { hostModules: host.hostModules, root: file.slice(0, file.lastIndexOf('/')) },
    onOutput: ({ fd, bytes }) => fd === 2 && stderr.push(Buffer.from(bytes).toString()),
  })
  const process = world.addProcess(
    'workload',
    world.addHost('workload', { disk: { image: host.image } }),
    program,
  )
  world.kernel.afterStep.push(() => {
    if (namespace !== null || problem !== null || world.kernel.step > MAX_STEPS) world.kernel.stop()
  })
  process.start()
  await host.run(world.kernel)
  process.kill()
  if (namespace === null) throw unreadable(file, problem, stderr.join(''))
  const simulations = simulationsIn(namespace)
  for (const simulation of simulations) requirePrograms(simulation, file, host)
  return simulations.map((simulation) => describe(simulation, file))
}

/** Every program that a simulation names must be there before the first seed. */
function requirePrograms({ name, definition }: Simulation, file: string, { image }: TankHost): void {
  for (const [group, { entry, variants = {} }] of Object.entries(definition.processes)) {
    const named = [
      [`processes.${group}.entry`, entry],
      ...Object.entries(variants).map(([variant, other]) => {
        return [`processes.${group}.variants.${variant}.entry`, other.entry]
      }),
    ]
    for (const [place, program] of named) {
      const problem = program === undefined ? null : missingEntry(resolve(dirname(file), program), image)
      if (problem === null) continue
      throw new UsageError(
        'ERR_WAVETANK_ENTRY',
        `${file}: simulation('${name}'): ${place}: ${problem}; the path is relative to the simulation file`,
      )
    }
  }
}

function unreadable(file: string, problem: unknown, stderr: string): UsageError {
  // A usage error says all there is to say; its stack would only show our own files.
  const usage =
    problem instanceof UsageError || (problem as Partial<UsageError> | null)?.name === 'UsageError'
  const told =
    problem instanceof Error
      ? usage
        ? problem.message
        : programStack(problem.stack ?? problem.message)
      : null
  const reason = told ?? stderr.trim()
  const text = reason === '' ? 'its evaluation does not end' : reason
  return new UsageError('ERR_WAVETANK_SIMULATION_FILE', `${file} cannot be loaded: ${text}`, {
    cause: problem,
  })
}

function describe({ name, definition }: Simulation, file: string): Declaration {
  return {
    name,
    file,
    processes: Object.entries(definition.processes).map(([group, { entry, count }]) => {
      return { group, entry: entry ?? null, count: rangeOf(count ?? 1) }
    }),
    invariants: Object.keys(definition.invariants ?? {}),
    seeds: Object.fromEntries(
      LEVEL_NAMES.map((level) => [level, weatherOf(level, definition.levels?.[level]).seeds]),
    ) as Record<LevelName, number>,
  }
}
