/**
 * A throw-away project with some files, and the built command line run in it. The package is linked into its
 * node_modules as npm would install it. Tests that need `dist` build it once where it is missing or old.
 */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll } from 'vitest'

const ROOT = new URL('../..', import.meta.url).pathname.replace(/\/$/, '')
/** `WAVETANK_CLI` drives another build than this repository's. */
export const CLI = process.env.WAVETANK_CLI ?? join(ROOT, 'dist/cli/main.js')

export interface Outcome {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Makes projects that are removed when the file's tests are over. */
export function throwAwayProjects(): (files: Readonly<Record<string, string>>) => Project {
  const projects: Project[] = []
  afterAll(() => {
    for (const each of projects) each.remove()
  })
  return (files) => {
    const made = new Project(files)
    projects.push(made)
    return made
  }
}

export class Project {
  readonly folder = mkdtempSync(join(tmpdir(), 'wavetank-e2e-'))

  constructor(files: Readonly<Record<string, string>>) {
    this.write({ 'package.json': '{ "type": "module" }', ...files })
    mkdirSync(join(this.folder, 'node_modules'), { recursive: true })
    symlinkSync(join(CLI, '../../..'), join(this.folder, 'node_modules/wavetank'))
  }

  write(files: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(files)) {
      const path = join(this.folder, name)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text)
    }
  }

  read(name: string): string {
    return readFileSync(join(this.folder, name), 'utf8')
  }

  wavetank(...args: string[]): Promise<Outcome> {
    return runWavetank(this.folder, args)
  }

  /** Runs a program of the project with plain Node. */
  node(...args: string[]): Promise<Outcome> {
    return runNode(this.folder, args)
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** The built command line in a folder. */
export function runWavetank(folder: string, args: readonly string[]): Promise<Outcome> {
  return runNode(folder, [CLI, ...args])
}

export function runNode(folder: string, args: readonly string[]): Promise<Outcome> {
  const { NODE_OPTIONS: _, VITEST: __, ...env } = process.env
  const child = spawn(process.execPath, args, {
    cwd: folder,
    // On a busy machine a run is slow enough for progress lines, which are no part of an answer.
    env: { ...env, NO_COLOR: '1', FORCE_COLOR: '', WAVETANK_PROGRESS_MS: '3600000' },
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (text) => (stdout += String(text)))
  child.stderr.on('data', (text) => (stderr += String(text)))
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr })))
}
