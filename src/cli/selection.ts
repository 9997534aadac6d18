/** Which simulations a command is about: the project's simulation files, evaluated, and narrowed down by name. */
import { resolve } from 'node:path'
import { UsageError } from '../kernel/errors.ts'
import { loadConfig, projectRoot, simulationFiles, type Config } from '../project.ts'
import type { ThreadPool } from '../sim/campaign/thread-pool.ts'
import type { Declaration } from '../sim/declarations.ts'
import { threadPool } from '../simulate.ts'

export interface Project {
  readonly config: Config
  readonly root: string
  readonly files: readonly string[]
}

export async function openProject(cwd: string): Promise<Project> {
  const { config, folder } = await loadConfig(cwd)
  const folders = (config.folders ?? ['.']).map((each) => resolve(folder, each))
  return { config, root: projectRoot(folder), files: simulationFiles(folders) }
}

/** Everything that is declared; two simulations of one name are refused, since a name must say which. */
export async function declarations(project: Project, pool: ThreadPool): Promise<Declaration[]> {
  const all: Declaration[] = []
  for (const file of project.files) all.push(...(await pool.declarations(file)))
  const seen = new Map<string, string>()
  for (const { name, file } of all) {
    const other = seen.get(name)
    if (other !== undefined) {
      throw new UsageError(
        'ERR_WAVETANK_DUPLICATE',
        `two simulations are named '${name}', in ${other} and in ${file}`,
      )
    }
    seen.set(name, file)
  }
  return all
}

/** Those whose name is asked for exactly, or else those whose name or file contains what is asked for. */
export function select(all: readonly Declaration[], names: readonly string[]): Declaration[] {
  if (names.length === 0) {
    if (all.length === 0) {
      throw new UsageError(
        'ERR_WAVETANK_NO_SIMULATION',
        'there is no simulation here: no *.sim.ts or *.sim.js exports one; `wavetank init` writes one',
      )
    }
    return [...all]
  }
  const chosen = new Set<Declaration>()
  for (const name of names) {
    const exact = all.filter((each) => each.name === name)
    const found =
      exact.length > 0 ? exact : all.filter((each) => each.name.includes(name) || each.file.includes(name))
    if (found.length === 0) {
      const known = all.map((each) => each.name).join(', ')
      throw new UsageError(
        'ERR_WAVETANK_NO_SIMULATION',
        `no simulation matches '${name}'; there are ${known === '' ? 'none' : known}`,
      )
    }
    for (const each of found) chosen.add(each)
  }
  return all.filter((each) => chosen.has(each))
}

/** Opens a pool for as long as it is used. */
export async function withPool<T>(
  root: string,
  jobs: number | undefined,
  use: (pool: ThreadPool) => Promise<T>,
): Promise<T> {
  const pool = threadPool(root, jobs)
  try {
    return await use(pool)
  } finally {
    await pool.close()
  }
}
