/** Which simulations a command is about: the project's simulation files, evaluated, and narrowed down by name. */
import { existsSync, statSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { UsageError } from '../../kernel/errors.ts'
import { didYouMean } from '../../kernel/expectation.ts'
import { loadConfig, projectRoot, simulationFiles, type Config } from '../../host/project.ts'
import type { RecordedRun } from '../../failures/recorded-run.ts'
import type { ThreadPool } from '../../sim/campaign/thread-pool.ts'
import type { Declaration } from '../../sim/campaign/declarations.ts'
import { threadPool, type PoolOptions } from '../../host/campaign.ts'

export interface Project {
  readonly config: Config
  readonly root: string
  readonly files: readonly string[]
}

/** What the simulation files declare, and the files that cannot be loaded, with the reason. */
export interface Declared {
  readonly simulations: readonly Declaration[]
  readonly broken: readonly { readonly file: string; readonly error: UsageError }[]
}

/** The project of a folder. Files that are named by their paths are part of it, wherever its folders are. */
export async function openProject(cwd: string, names: readonly string[] = []): Promise<Project> {
  const { config, folder } = await loadConfig(cwd)
  const root = projectRoot(folder)
  const folders = (config.folders ?? ['.']).map((each) => resolve(folder, each))
  const named = names.flatMap((name) => fileNamed(name, cwd) ?? [])
  for (const file of named) {
    if (relative(root, file).startsWith('..'))
      throw new UsageError('ERR_WAVETANK_NO_SIMULATION', `${file} is outside the project, ${root}`)
  }
  // If all are named, the other files of the project need not be looked at, and may be broken.
  const others = names.length > 0 && named.length === names.length ? [] : simulationFiles(folders)
  return { config, root, files: [...new Set([...others, ...named])].sort() }
}

/** The file that a name is the path of, or null. `FILE › NAME` is one simulation of a file that has several. */
function fileNamed(name: string, cwd = process.cwd()): string | null {
  const [file] = name.split(' › ')
  const path = resolve(cwd, file)
  return /[./]/.test(file) && existsSync(path) && statSync(path).isFile() ? path : null
}

/**
 * Everything that is declared. A file that cannot be loaded does not stop the others. Two simulations of one name are
 * refused, since a name must say which.
 */
export async function declarations(project: Project, pool: ThreadPool<RecordedRun>): Promise<Declared> {
  const simulations: Declaration[] = []
  const broken: { file: string; error: UsageError }[] = []
  for (const file of project.files) {
    try {
      simulations.push(...(await pool.declarations(file)))
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      broken.push({ file, error })
    }
  }
  const seen = new Map<string, string>()
  for (const { name, file } of simulations) {
    const other = seen.get(name)
    if (other !== undefined) {
      throw new UsageError(
        'ERR_WAVETANK_DUPLICATE',
        `two simulations are named '${name}', in ${other} and in ${file}: give one of them another name, since a name stands for one simulation in replays and reports`,
      )
    }
    seen.set(name, file)
  }
  return { simulations, broken }
}

/**
 * The simulations that are asked for: those of a file if the name is its path, one of them if its name follows the path
 * after ` › `, those with exactly this name, or else those whose name or file contains it.
 */
export function select({ simulations: all, broken }: Declared, names: readonly string[]): Declaration[] {
  if (names.length === 0) {
    if (all.length === 0) {
      throw (
        broken[0]?.error ??
        new UsageError(
          'ERR_WAVETANK_NO_SIMULATION',
          'there is no simulation here: no *.sim.ts or *.sim.js exports one; `wavetank init` writes one',
        )
      )
    }
    return [...all]
  }
  const chosen = new Set<Declaration>()
  for (const name of names) {
    const found = matching(all, name)
    if (found.length === 0) throw notFound(name, all, broken)
    for (const each of found) chosen.add(each)
  }
  return all.filter((each) => chosen.has(each))
}

function matching(all: readonly Declaration[], name: string): readonly Declaration[] {
  const file = fileNamed(name)
  if (file !== null) {
    const [, ...title] = name.split(' › ')
    return all.filter((each) => each.file === file && (title.length === 0 || each.name === title.join(' › ')))
  }
  const exact = all.filter((each) => each.name === name)
  return exact.length > 0 ? exact : all.filter((each) => each.name.includes(name) || each.file.includes(name))
}

function notFound(name: string, all: readonly Declaration[], broken: Declared['broken']): UsageError {
  const unloadable = broken.find(({ file }) => isAbout(file, name)) ?? broken[0]
  if (unloadable !== undefined) return unloadable.error
  const file = fileNamed(name)
  const known = all.map((each) => each.name)
  return new UsageError(
    'ERR_WAVETANK_NO_SIMULATION',
    file === null
      ? `no simulation matches '${name}'${known.length === 0 ? '; there are none' : didYouMean(name, known)}`
      : name.includes(' › ')
        ? `${file} exports no simulation of this name${didYouMean(name.slice(name.indexOf(' › ') + 3), known)}`
        : `${name} exports no simulation`,
  )
}

/** Reports the files that cannot be loaded; true if one of them was meant. */
export function warnOfBroken({ broken }: Declared, names: readonly string[]): boolean {
  for (const { error } of broken) process.stderr.write(`wavetank: ${error.message}\n`)
  return broken.some(({ file }) => names.length === 0 || names.some((name) => isAbout(file, name)))
}

function isAbout(file: string, name: string): boolean {
  return file === fileNamed(name) || file.includes(name)
}

/** Opens a pool for as long as it is used. */
export async function withPool<T>(
  root: string,
  options: PoolOptions,
  use: (pool: ThreadPool<RecordedRun>) => Promise<T>,
): Promise<T> {
  const pool = threadPool(root, options)
  try {
    return await use(pool)
  } finally {
    await pool.close()
  }
}
