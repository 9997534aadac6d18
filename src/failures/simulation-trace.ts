/** The trace of a failing seed, from the job that ran it and what the run gave. */
import { relative } from 'node:path'
import { InternalError } from '../kernel/errors.ts'
import { isLossCategory } from '../sim/campaign/lost-seed.ts'
import type { SeedJob, SeedReport } from '../sim/campaign/executor.ts'
import type { ShrinkSummary } from '../sim/campaign/result.ts'
import type { InlineCommand, SimulationTrace } from './trace-file.ts'
import { VERSION } from './version.ts'

export interface SimulationTraceFacts {
  /** The project's root, to which paths are relative. */
  readonly root: string
  readonly shrunk: ShrinkSummary | null
  readonly inline: InlineCommand | null
}

/** The run must have failed and kept its choices, and its hashes unless its thread was lost. */
export function simulationTrace(
  { simulation, level, seed }: SeedJob,
  { result, choices, hashes, program }: SeedReport,
  { root, shrunk, inline }: SimulationTraceFacts,
): SimulationTrace {
  const { failure, steps, digest } = result
  if (failure === null) throw new InternalError(`seed ${seed} has no failure to be kept`)
  if (hashes === null && !isLossCategory(failure.category))
    throw new InternalError(`seed ${seed} was recorded without its hashes`)
  const file = simulation.file.startsWith('/') ? relative(root, simulation.file) : simulation.file
  return {
    kind: 'simulation',
    seed,
    choices,
    failure,
    program: programOf(root, program),
    nodeVersion: process.version,
    wavetank: VERSION,
    steps,
    digest,
    hashes: hashes ?? new Uint32Array(0),
    config: { simulation: { file, name: simulation.name }, level, shrunk, inline },
  }
}

/** Hashes as a trace has them: relative paths, shortened. */
export function programOf(root: string, program: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(program).map(([path, hash]) => [relative(root, path), hash.slice(0, 16)]),
  )
}
