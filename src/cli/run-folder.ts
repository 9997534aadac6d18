/**
 * Where failing runs are kept: `.wavetank/runs/<time>-<name>/`, one self-contained trace file per bug, and a link
 * `latest` to the newest folder.
 */
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, isAbsolute, join, relative, resolve } from 'node:path'
import { UsageError } from '../kernel/errors.ts'
import type { SeedJob, SeedReport } from '../sim/campaign/executor.ts'
import { parseTrace, printTrace, type ShrinkSummary, type SimulationTrace } from '../sim/trace-file.ts'
import { runtime } from '../simulate.ts'

/** Makes a folder for a campaign's failures and links `latest` to it. */
export function makeRunFolder(output: string, name: string, now: Date): string {
  const stamp = now.toISOString().replace(/[:.]/g, '-').slice(0, 19)
  const folder = join(output, `${stamp}-${name.replace(/[^\w-]+/g, '-')}`)
  mkdirSync(folder, { recursive: true })
  const latest = join(output, 'latest')
  try {
    rmSync(latest, { recursive: true, force: true })
    symlinkSync(basename(folder), latest)
  } catch {
    // A file system without links: the folder's own name is printed anyway.
  }
  return folder
}

/** Writes the trace of a failing run. Paths in it are relative to the project's root. */
export function writeTrace(
  file: string,
  root: string,
  job: SeedJob,
  report: Omit<SeedReport, 'lane'>,
  shrunk: ShrinkSummary | null,
): void {
  const { node, wavetank } = runtime()
  const { simulation, level } = job
  const config = {
    simulation: { file: relative(root, simulation.file), name: simulation.name },
    level,
    program: programOf(root, report.program),
    shrunk,
    wavetank,
  }
  writeFileSync(file, printTrace(config, job, report, node))
}

export function readTrace(file: string): SimulationTrace {
  return parseTrace(readTraceText(file), file)
}

/** A trace of any kind, as text. */
export function readTraceText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const message = `${file} cannot be read: ${(error as Error).message}`
    throw new UsageError('ERR_WAVETANK_TRACE_FILE', message, { cause: error })
  }
}

/** Hashes as a trace has them: relative paths, shortened. */
export function programOf(root: string, program: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(program).map(([path, hash]) => [relative(root, path), hash.slice(0, 16)]),
  )
}

/** A path as people paste it: relative where that is shorter. */
export function shortPath(path: string): string {
  const short = relative(process.cwd(), resolve(path))
  return short === '' || short.startsWith('..') || isAbsolute(short) ? path : short
}
