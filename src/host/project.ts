/**
 * The project on the real disk: its root, its configuration, its simulation files. This is for finding out what there is
 * to run; a run itself reads the project through the disk image.
 */
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { LEVEL_NAMES, type LevelName } from '../faults/levels.ts'
import { UsageError } from '../kernel/errors.ts'
import {
  atLeast,
  checkFields,
  flag,
  listOf,
  object,
  oneOf,
  text,
  type Fields,
} from '../kernel/expectation.ts'
import type { AdviceRule } from '../plan/scaffold/level-advice.ts'
import { evaluateModule } from './evaluate-module.ts'

export interface Config {
  /** Folders to search for `*.sim.ts` and the like, relative to the configuration file. */
  readonly folders?: readonly string[]
  /** The level of `wavetank run`; `sunny` by default. */
  readonly level?: LevelName
  /** How many seeds; without it, until coverage is stable. */
  readonly seeds?: number
  /** False: without a number of seeds or a time, run the level's number of seeds, not until coverage is stable. */
  readonly coverage?: boolean
  /** Worker threads; one per core by default. */
  readonly jobs?: number
  /** Real milliseconds without a step after which a seed counts as stuck; 10,000 by default. */
  readonly stuckWallMs?: number
  /** Megabytes of heap that a worker thread may use; by default a share of the machine's, at most 4,096. */
  readonly memoryMb?: number
  /** Where failing runs are written; `.wavetank/runs` by default. */
  readonly output?: string
  /** The folder of failures that are kept forever, relative to the project's root; `wavetank-corpus` by default. */
  readonly corpus?: string
  /** The model and the address that `wavetank explain` asks. */
  readonly explain?: { readonly model?: string; readonly baseUrl?: string }
  /** Which level changes of files ask for: rules of `wavetank run --advise` that come before its own. */
  readonly advise?: readonly AdviceRule[]
}

export const CONFIG: Fields<Config> = {
  folders: listOf(text),
  level: oneOf(...LEVEL_NAMES),
  seeds: atLeast(1),
  coverage: flag,
  jobs: atLeast(1),
  stuckWallMs: atLeast(100),
  memoryMb: atLeast(64),
  output: text,
  corpus: text,
  explain: object({ model: text, baseUrl: text }),
  advise: listOf(object({ files: text, level: oneOf(...LEVEL_NAMES), why: text })),
}

/** Types a `wavetank.config.ts`; returns what it is given. */
export function defineConfig(config: Config): Config {
  return config
}

const CONFIG_NAMES = ['ts', 'mts', 'cts', 'js', 'mjs', 'cjs'].map(
  (extension) => `wavetank.config.${extension}`,
)
const SIMULATION_FILE = /\.sim\.[cm]?[jt]s$/
const TEST_FILE = /[.-](test|spec)\.[cm]?[jt]sx?$/
const REAL_TEST_FILE = /\.real\.[cm]?[jt]s$/
const SKIPPED = new Set(['node_modules', 'dist', 'coverage'])

/**
 * The folder that simulated disks show: the nearest repository around a file or folder, or the workspace around that, else
 * the nearest package whose packages are installed, else the nearest package. Everything below it can be read by programs,
 * so it is never a repository around the nearest one, the home folder or a folder above it.
 */
export function projectRoot(from: string): string {
  const start = statSync(from).isDirectory() ? resolve(from) : dirname(resolve(from))
  const folders = foldersBelowHome(start)
  if (folders.length === 0) {
    throw new UsageError(
      'ERR_WAVETANK_PROJECT',
      `${from} lies in the home folder itself, or above it: programs would see everything in it. ` +
        'Put the project into a folder of its own.',
    )
  }
  const packages = folders.filter((folder) => existsSync(join(folder, 'package.json')))
  const installed = packages.find((folder) => existsSync(join(folder, 'node_modules')))
  const repository = folders.findIndex((folder) => existsSync(join(folder, '.git')))
  const workspace = folders.findLastIndex(isWorkspace)
  return folders[Math.max(repository, workspace)] ?? installed ?? packages[0] ?? start
}

/** A folder and those above it, up to the home folder or the root of the disk, without these. */
function foldersBelowHome(start: string): string[] {
  const homes = new Set([homedir(), realPathOf(homedir())])
  const folders: string[] = []
  for (let folder = start; dirname(folder) !== folder; folder = dirname(folder)) {
    if (homes.has(folder) || [...homes].some((home) => home.startsWith(`${folder}/`))) break
    folders.push(folder)
  }
  return folders
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

/** A workspace of npm, yarn or pnpm: node_modules may lie that far up. */
function isWorkspace(folder: string): boolean {
  if (existsSync(join(folder, 'pnpm-workspace.yaml'))) return true
  try {
    const { workspaces } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      workspaces?: unknown
    }
    return workspaces !== undefined
  } catch {
    return false
  }
}

/** The configuration of a folder, or of the nearest folder above that has one; without any, an empty one. */
export async function loadConfig(from: string): Promise<{ config: Config; folder: string }> {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    const name = CONFIG_NAMES.find((candidate) => existsSync(join(folder, candidate)))
    if (name !== undefined) return { config: await evaluateConfig(join(folder, name)), folder }
    if (dirname(folder) === folder) return { config: {}, folder: resolve(from) }
  }
}

async function evaluateConfig(file: string): Promise<Config> {
  const { default: config } = await evaluateModule(file, 'ERR_WAVETANK_CONFIG')
  return checkedConfig(config as Config | undefined, file)
}

function checkedConfig(config: Config | undefined, file: string): Config {
  const complain = (what: string): UsageError => new UsageError('ERR_WAVETANK_CONFIG', `${file}: ${what}`)
  if (typeof config !== 'object' || config === null)
    throw complain('expected a default export: the configuration')
  checkFields(config, CONFIG, '', complain, { renamed: { stuckMs: 'stuckWallMs' } })
  return config
}

/** All simulation files below some folders, in the order of their paths. */
export function simulationFiles(folders: readonly string[]): string[] {
  return filesNamed(SIMULATION_FILE, folders)
}

/** Files of tests that only real machines can run: `*.real.ts` and the like. */
export function realTestFiles(folders: readonly string[]): string[] {
  return filesNamed(REAL_TEST_FILE, folders)
}

/** Files of tests, under the names that vitest and node:test look for. */
export function testFiles(folders: readonly string[]): string[] {
  return filesNamed(TEST_FILE, folders)
}

function filesNamed(pattern: RegExp, folders: readonly string[]): string[] {
  const found = new Set<string>()
  const search = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.name.startsWith('.') || SKIPPED.has(entry.name)) continue
      const path = join(folder, entry.name)
      if (entry.isDirectory()) search(path)
      else if (pattern.test(entry.name)) found.add(path)
    }
  }
  for (const folder of folders) {
    if (!existsSync(folder))
      throw new UsageError('ERR_WAVETANK_CONFIG', `there is no folder ${folder} to search for simulations`)
    search(folder)
  }
  return [...found].sort()
}
