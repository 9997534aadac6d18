/** Runs programs in a world, each on a host of its own, and measures from the line `start` to the line `done`. */
import { NodeProgram, NodeThread, projectImage } from '../../src/node/index.ts'
import { World } from '../../src/world/world.ts'
import { read, since, type Reading } from './measurement.ts'

export const ROOT = new URL('../..', import.meta.url).pathname.replace(/\/$/, '')

export interface TankProcess {
  readonly name: string
  /** A file of the folder `programs`. */
  readonly program: string
  readonly env?: Readonly<Record<string, string>>
}

const PROGRAMS = `${ROOT}/bench/tank/programs`

export function tankWorld(): World {
  return new World({ seed: 1 })
}

export function addProgram(world: World, process: TankProcess, onLine: (line: string) => void) {
  const host = world.addHost(process.name, {
    disk: { image: [{ at: ROOT, from: ROOT, reader: projectImage() }] },
  })
  const program = new NodeProgram({
    entry: `${PROGRAMS}/${process.program}`,
    cwd: PROGRAMS,
    env: process.env ?? {},
    onOutput: ({ bytes, fd }) => {
      const text = Buffer.from(bytes).toString()
      if (fd === 2) throw new Error(`${process.name} wrote to stderr: ${text}`)
      for (const line of text.trimEnd().split('\n')) onLine(line)
    },
  })
  return world.addProcess(process.name, host, program)
}

/** All processes start at once; the reading ends when every process that said `start` has said `done`. */
export async function runInTank(processes: readonly TankProcess[]): Promise<Reading> {
  const world = tankWorld()
  let begun: Reading | null = null
  let working = 0
  let reading: Reading | null = null
  for (const process of processes) {
    const added = addProgram(world, process, (line) => {
      if (line === 'start') {
        begun ??= read()
        working++
      } else if (line === 'done' && --working === 0) {
        reading = since(begun!)
        world.kernel.stop()
      }
    })
    added.start()
  }
  await NodeThread.get().run(world.kernel)
  for (const process of world.processes.values()) process.kill()
  if (reading === null) throw new Error('the programs ended before their work was done')
  return reading
}
