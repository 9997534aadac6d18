/** Runs process functions in a world, for tests. */
import { Buffer } from 'node:buffer' // the global one is the program's while a world runs
import { World, type WorldOptions } from '../../world/world.ts'
import type { ExitStatus } from '../../world/process.ts'
import { NodeProgram } from './program.ts'
import type { NodeProgramOptions, ProcessFunction } from './program-options.ts'
import { NodeThread } from '../isolation/thread.ts'

export interface Run {
  readonly world: World
  /** The output of each process, by name. */
  readonly stdout: Readonly<Record<string, string>>
  readonly stderr: Readonly<Record<string, string>>
  readonly exits: Readonly<Record<string, ExitStatus | null>>
  readonly hash: string
}

const STEP_LIMIT = 200_000

/** Each process gets a host of its own name; the run ends when the process named `until` (or the last one) has exited. */
export async function runPrograms(
  programs: Readonly<Record<string, ProcessFunction | NodeProgramOptions>>,
  options: Partial<WorldOptions> & { readonly until?: string } = {},
): Promise<Run> {
  const world = new World({ seed: 1, ...options })
  const stdout: Record<string, string> = {}
  const stderr: Record<string, string> = {}
  const names = Object.keys(programs)
  for (const name of names) {
    const given = programs[name]
    stdout[name] = stderr[name] = ''
    const program = new NodeProgram({
      ...(typeof given === 'function' ? { entry: given } : given),
      onOutput: ({ process, fd, bytes }) => {
        const texts = fd === 1 ? stdout : stderr
        const top = process.split('/')[0].split('#')[0]
        texts[top] += Buffer.from(bytes).toString()
      },
    })
    world.addProcess(name, world.addHost(name), program).start()
  }
  const last = world.processes.get(options.until ?? names.at(-1)!)!
  last.onExit(() => world.kernel.stop())
  await NodeThread.get().run(world.kernel, STEP_LIMIT)
  const exits = Object.fromEntries(names.map((name) => [name, world.processes.get(name)!.exitStatus]))
  return { world, stdout, stderr, exits, hash: world.kernel.hash.digest() }
}

/** Runs one process function and gives what it printed. */
export async function runOne(
  program: ProcessFunction,
): Promise<{ stdout: string; stderr: string; exit: ExitStatus | null }> {
  const run = await runPrograms({ main: program })
  return { stdout: run.stdout.main, stderr: run.stderr.main, exit: run.exits.main }
}
