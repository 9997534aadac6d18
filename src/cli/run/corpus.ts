/**
 * The corpus in `wavetank run`: entries of the simulations that are about to run are run before them, in the same threads.
 * Without names, an entry whose simulation is gone is stale. Races, and simulations inside tests, need their own runner:
 * they are shown as left out, and `wavetank corpus check` runs them.
 */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { readCorpus, type CorpusEntry } from '../../failures/corpus.ts'
import { judgeEntry, resultOf, type CorpusResult } from '../../failures/corpus-verdict.ts'
import type { Replay } from '../../failures/recorded-failure.ts'
import type { RunRecorder } from '../../failures/recorded-run.ts'
import { RecordedSimulation } from '../../failures/recorded-simulation.ts'
import type { SimulationTrace, TraceFile } from '../../failures/trace-file.ts'
import { UsageError } from '../../kernel/errors.ts'
import type { Declaration } from '../../sim/campaign/declarations.ts'

export interface CorpusRun {
  readonly folder: string
  readonly root: string
  /** The simulations that are about to run; null: all there are. */
  readonly chosen: readonly Declaration[] | null
  readonly recorder: RunRecorder
  readonly signal: AbortSignal
  readonly onEntry: (done: number, of: number) => void
}

export async function runCorpus(run: CorpusRun): Promise<CorpusResult[]> {
  const entries = readCorpus(run.folder).filter((entry) => isMeant(entry, run))
  const results: CorpusResult[] = []
  for (const entry of entries) {
    if (run.signal.aborted) break
    run.onEntry(results.length, entries.length)
    results.push(await resultFor(entry, run))
  }
  return results
}

/** A file that cannot be read may be of any simulation. */
function isMeant({ trace }: CorpusEntry, { chosen, root }: CorpusRun): boolean {
  if (trace === null || chosen === null) return true
  if (!isReplayedHere(trace)) return false
  const { file, name } = trace.config.simulation
  return chosen.some((each) => each.name === name && each.file === resolve(root, file))
}

function isReplayedHere(trace: TraceFile): trace is SimulationTrace {
  return trace.kind === 'simulation' && trace.config.inline === null
}

function resultFor(entry: CorpusEntry, run: CorpusRun): CorpusResult | Promise<CorpusResult> {
  const { trace } = entry
  if (trace !== null && !isReplayedHere(trace)) {
    const what = trace.kind === 'race' ? 'a race' : 'a simulation inside a test or a script'
    return resultOf(entry, { status: 'left-out', reason: `${what}: \`wavetank corpus check\` runs it` })
  }
  return judgeEntry(entry, () => replay(trace!, run))
}

function replay(trace: SimulationTrace, { root, recorder }: CorpusRun): Promise<Replay> {
  const { file } = trace.config.simulation
  const path = resolve(root, file)
  if (!existsSync(path))
    throw new UsageError('ERR_WAVETANK_NO_SIMULATION', `the trace is of ${file}, which is not in ${root}`)
  return new RecordedSimulation(trace, recorder, root, path).replay()
}
