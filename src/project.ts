/**
 * The project on the real disk: its root, its configuration, its simulation files. Everything a run reads of it, it
 * reads through the disk image; this is for finding out what there is to run.
 */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { LevelName } from './faults/levels.ts'
import { UsageError } from './kernel/errors.ts'

export interface Config {
  /** Folders to search for `*.sim.ts` and the like, relative to the configuration file. */
  readonly folders?: readonly string[]
  readonly level?: LevelName
  /** How many seeds; without it, until coverage is stable. */
  readonly seeds?: number
  readonly jobs?: number
  /** Where failing runs are written. */
  readonly output?: string
  /** Whom `wavetank explain` asks. */
  readonly explain?: { readonly model?: string; readonly baseUrl?: string }
}

/** Types a `wavetank.config.ts`; returns what it is given. */
export function defineConfig(config: Config): Config {
  return config
}

const CONFIG_NAMES = ['ts', 'mts', 'js', 'mjs'].map((extension) => `wavetank.config.${extension}`)
const SIMULATION_FILE = /\.sim\.[cm]?[jt]s$/
const SKIPPED = new Set(['node_modules', 'dist', 'coverage'])

/** The outermost folder above a file that has a package.json or a repository: node_modules may lie that far up. */
export function projectRoot(from: string): string {
  let root = statSync(from).isDirectory() ? from : dirname(from)
  for (let folder = root; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json')) || existsSync(join(folder, '.git'))) root = folder
    if (dirname(folder) === folder) return root
  }
}

/** The configuration in a folder or above it, with the folder it stands in; an empty one when there is none. */
export async function loadConfig(from: string): Promise<{ config: Config; folder: string }> {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    const name = CONFIG_NAMES.find((candidate) => existsSync(join(folder, candidate)))
    if (name !== undefined) return { config: await evaluateConfig(join(folder, name)), folder }
    if (dirname(folder) === folder) return { config: {}, folder: resolve(from) }
  }
}

/** Bundled by esbuild, so that TypeScript works on every Node; packages stay outside. */
async function evaluateConfig(file: string): Promise<Config> {
  const { build } = await import('esbuild')
  const { mkdtempSync, rmSync, writeFileSync } = await import('node:fs')
  try {
    const bundle = await build({
      entryPoints: [file],
      bundle: true,
      write: false,
      format: 'esm',
      platform: 'node',
      packages: 'external',
      logLevel: 'silent',
    })
    const folder = mkdtempSync(join(dirname(file), '.wavetank-config-'))
    try {
      const compiled = join(folder, 'config.mjs')
      writeFileSync(compiled, bundle.outputFiles[0].contents)
      const loaded = (await import(pathToFileURL(compiled).href)) as { default?: Config }
      if (typeof loaded.default !== 'object' || loaded.default === null)
        throw new Error('it has no default export')
      return loaded.default
    } finally {
      rmSync(folder, { recursive: true })
    }
  } catch (error) {
    const message = `${file} cannot be loaded: ${(error as Error).message}`
    throw new UsageError('ERR_WAVETANK_CONFIG', message, { cause: error })
  }
}

/** All simulation files below some folders, in the order of their paths. */
export function simulationFiles(folders: readonly string[]): string[] {
  const found = new Set<string>()
  const search = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.name.startsWith('.') || SKIPPED.has(entry.name)) continue
      const path = join(folder, entry.name)
      if (entry.isDirectory()) search(path)
      else if (SIMULATION_FILE.test(entry.name)) found.add(path)
    }
  }
  for (const folder of folders) {
    if (!existsSync(folder))
      throw new UsageError('ERR_WAVETANK_CONFIG', `there is no folder ${folder} to search for simulations`)
    search(folder)
  }
  return [...found].sort()
}
