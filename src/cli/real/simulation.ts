/** The simulation of a real test: found by name or path among the project's files, and evaluated on the host. */
import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { evaluateModule } from '../../host/evaluate-module.ts'
import { loadConfig, projectRoot, realTestFiles, simulationFiles } from '../../host/project.ts'
import { UsageError } from '../../kernel/errors.ts'
import { didYouMean } from '../../kernel/expectation.ts'
import { simulationsIn, type Simulation } from '../../sim/authoring/definition.ts'

export interface FoundSimulation {
  readonly simulation: Simulation
  readonly file: string
  readonly project: string
}

/** `name` chooses among several simulations of a file. */
export async function findSimulation(target: string, name: string | undefined): Promise<FoundSimulation> {
  const { config, folder } = await loadConfig(process.cwd())
  const project = projectRoot(folder)
  const path = resolve(target)
  if (existsSync(path) && statSync(path).isFile())
    return { ...(await one(path, name)), project: projectRoot(path) }
  const folders = (config.folders ?? ['.']).map((each) => resolve(folder, each))
  const files = [...simulationFiles(folders), ...realTestFiles(folders)]
  const named = files.filter((file) => file.includes(`/${target}.sim.`) || file.includes(`/${target}.real.`))
  for (const file of named.length > 0 ? named : files.filter((each) => each.includes(target)))
    return { ...(await one(file, name)), project }
  const known = files.map((file) => /([^/]+)\.(?:sim|real)\.[cm]?[jt]s$/.exec(file)![1])
  throw new UsageError(
    'ERR_WAVETANK_NO_SIMULATION',
    `wavetank real: no simulation file matches '${target}'${didYouMean(target, known)}`,
  )
}

async function one(
  file: string,
  name: string | undefined,
): Promise<Pick<FoundSimulation, 'simulation' | 'file'>> {
  const simulations = simulationsIn(await evaluateModule(file, 'ERR_WAVETANK_SIMULATION'))
  const fitting = name === undefined ? simulations : simulations.filter((each) => each.name === name)
  const [simulation] = fitting
  if (fitting.length === 1) return { simulation, file }
  const names = simulations.map((each) => each.name)
  throw new UsageError(
    'ERR_WAVETANK_NO_SIMULATION',
    simulations.length === 0
      ? `wavetank real: ${file} exports no simulation`
      : `wavetank real: choose one of ${file} with --workload: ${names.join(', ')}`,
  )
}
