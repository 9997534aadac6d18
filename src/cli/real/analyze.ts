/** `wavetank real analyze`: judges a stored run again, by the simulation as it is now. */
import { resolve } from 'node:path'
import { analyzeRun } from '../../real/running/analysis.ts'
import { RunFolder } from '../../real/running/store.ts'
import type { RealOptions } from './command.ts'
import { findSimulation } from './simulation.ts'
import { conclude } from './test.ts'

export async function analyze(target: string, options: RealOptions): Promise<number> {
  const folder = new RunFolder(resolve(target))
  const { file, name } = folder.test()
  const { simulation } = await findSimulation(file, name)
  return conclude(
    await analyzeRun(folder, simulation),
    folder,
    options,
    `npx wavetank real analyze ${target}`,
  )
}
