/**
 * What a replay says about an entry of the corpus:
 *
 * - `failing`: it fails again, as recorded or in another way;
 * - `fixed`: the recorded schedule fits the program as it is now, and the program holds;
 * - `stale`: the entry tests nothing any more. The program asks for other choices than the recorded ones, its scenario is
 *   gone, the trace has another version, or the same program runs differently under another wavetank or Node;
 * - `unreadable`: the file is no trace;
 * - `left-out`: the command that shows it does not run entries of this kind.
 *
 * Stale is not green: a schedule that no longer fits says nothing about the bug.
 */
import { UsageError } from '../kernel/errors.ts'
import { isViolation } from '../sim/running/failure.ts'
import { scenarioOf, violatedBy, type CorpusEntry } from './corpus.ts'
import { replayCommand, shortPath } from './keep.ts'
import type { Replay } from './recorded-failure.ts'
import type { TraceFile } from './trace-file.ts'

export type CorpusStatus = 'fixed' | 'failing' | 'stale' | 'unreadable' | 'left-out'

export interface CorpusVerdict {
  readonly status: CorpusStatus
  /** Why, in a sentence. */
  readonly reason: string
}

export interface CorpusResult extends CorpusVerdict {
  readonly file: string
  readonly kind: TraceFile['kind'] | null
  readonly scenario: string | null
  readonly violated: string | null
  /** The command that runs it again. */
  readonly replay: string
}

/** Judges an entry by a run of it. What the run cannot find makes the entry stale. */
export async function judgeEntry(
  entry: CorpusEntry,
  replay: (trace: TraceFile) => Promise<Replay>,
): Promise<CorpusResult> {
  if (entry.trace === null) return resultOf(entry, { status: entry.problem, reason: entry.reason })
  try {
    return resultOf(entry, verdictOf(await replay(entry.trace)))
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return resultOf(entry, { status: 'stale', reason: error.message })
  }
}

export function resultOf({ file, trace }: CorpusEntry, verdict: CorpusVerdict): CorpusResult {
  const facts =
    trace === null
      ? { kind: null, scenario: null, violated: null }
      : { kind: trace.kind, scenario: scenarioOf(trace).name, violated: violatedBy(trace) }
  return { file: shortPath(file), ...facts, ...verdict, replay: replayCommand(file) }
}

export function verdictOf(replay: Replay): CorpusVerdict {
  if (replay.outcome === 'diverged') return { status: 'stale', reason: divergenceOf(replay) }
  if (replay.outcome === 'holds') return heldVerdict(replay)
  const { message } = replay.failure!
  if (replay.outcome === 'as-recorded') return { status: 'failing', reason: message }
  if (replay.kind === 'simulation' && !isViolation(replay.failure!))
    return { status: 'stale', reason: `its run cannot be judged: ${message}` }
  return { status: 'failing', reason: `in another way: ${message}` }
}

function divergenceOf(replay: Replay): string {
  const { step, message } = replay.kind === 'race' ? replay.divergence! : replay.failure!
  return `the program diverges from the recorded schedule at step ${step}: ${message}`
}

/** A simulation's trace knows all files of the program. If none changed, no change of the program has fixed it. */
function heldVerdict(replay: Replay): CorpusVerdict {
  const { trace, changed } = replay
  const knowsProgram = trace.kind === 'simulation' && trace.config.inline === null
  if (knowsProgram && changed.length === 0) {
    const by = `wavetank ${trace.wavetank} on Node ${trace.nodeVersion}`
    return {
      status: 'stale',
      reason: `it holds, but no file of the program changed: it was recorded by ${by}, and runs differently here`,
    }
  }
  const what = changed.length === 0 ? '' : `; changed since the recording: ${changed.join(', ')}`
  return { status: 'fixed', reason: `it holds under the recorded schedule${what}` }
}

const EXIT_CODES: Readonly<Record<CorpusStatus, number>> = {
  fixed: 0,
  'left-out': 0,
  failing: 1,
  stale: 2,
  unreadable: 254,
}

/** A violation comes first, then a file that cannot be read, then a gap. */
export function corpusExitCode(results: readonly CorpusResult[]): number {
  const codes = results.map(({ status }) => EXIT_CODES[status])
  return codes.includes(1) ? 1 : Math.max(0, ...codes)
}
