/**
 * `wavetank corpus add`: a recorded failure becomes an entry. It is run first: one that diverges, or fails in another way,
 * would be stale from its first day, and is refused. One that holds is added as it is, because people often fix a bug
 * before they think of the corpus. A failure that was not shrunk is shrunk.
 */
import { addToCorpus, checkCorpusFolder, refuseDuplicate, type AddedEntry } from '../../failures/corpus.ts'
import { verdictOf } from '../../failures/corpus-verdict.ts'
import { openTrace, replayCommand, shortPath } from '../../failures/keep.ts'
import type { RecordedFailure, Replay } from '../../failures/recorded-failure.ts'
import type { TraceFile } from '../../failures/trace-file.ts'
import { UsageError } from '../../kernel/errors.ts'
import { counted } from '../../report/form/quantity.ts'
import { isLossCategory } from '../../sim/campaign/lost-seed.ts'
import { withFailure } from '../failure/open-failure.ts'
import { LiveLine, write } from '../terminal.ts'
import type { CorpusOptions } from './command.ts'
import { openCorpusFolder } from './folder.ts'

const SHRINK_RUNS = 5000

export async function add(
  path: string,
  { runs = SHRINK_RUNS, json, output }: CorpusOptions,
): Promise<number> {
  const trace = readTrace(path)
  const folder = await openCorpusFolder()
  checkCorpusFolder(folder)
  refuseDuplicate(folder, trace)
  const { small, holds } = await withFailure(path, async (failure) => {
    const replay = await failure.replay()
    refuseStale(path, replay)
    const isFixed = replay.outcome === 'holds'
    return { holds: isFixed, small: isFixed ? trace : await shrunk(failure, runs) }
  })
  const added = addToCorpus(folder, small)
  write(json === true ? asJson(added, holds) : asText(added, small, holds), output)
  return 0
}

function readTrace(path: string): TraceFile {
  try {
    return openTrace(path)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    throw new UsageError(
      error.code,
      `corpus add: ${error.message}; expected a trace that \`wavetank run\` or a race wrote, such as .wavetank/runs/latest/f1.json`,
      { cause: error },
    )
  }
}

function refuseStale(path: string, replay: Replay): void {
  if (replay.outcome === 'as-recorded' || replay.outcome === 'holds') return
  throw new UsageError(
    'ERR_WAVETANK_NOT_FAILING',
    `corpus add: ${path} does not fail as recorded any more: ${verdictOf(replay).reason}. ` +
      'Expected a failure that this program still shows, or one that it has fixed; run the simulation or the test again to record it anew',
  )
}

/** As small as can be. A run whose thread is lost cannot be shrunk. */
async function shrunk(failure: RecordedFailure, maxRuns: number): Promise<TraceFile> {
  const { trace } = failure
  const before = trace.kind === 'simulation' ? trace.config.shrunk : trace.config.finding.shrunk
  if (before?.minimal === true || isLossCategory(trace.failure.category)) return trace
  const live = new LiveLine()
  const onProgress = (runs: number, choices: number): void =>
    live.show(`shrinking, ${counted(runs, 'run')}, ${counted(choices, 'choice')} left`)
  const small = await failure.shrink({ maxRuns, onProgress })
  live.clear()
  return small.trace
}

function asJson({ file, alike }: AddedEntry, holds: boolean): string {
  return `${JSON.stringify({ file: shortPath(file), alike: alike.map(shortPath), holds }, null, 2)}\n`
}

function asText({ file, alike }: AddedEntry, { choices }: TraceFile, holds: boolean): string {
  return [
    `added ${shortPath(file)}  ${counted(choices.length, 'choice')}`,
    ...(holds ? ['it holds now: `wavetank corpus check` calls it fixed'] : []),
    ...alike.map((other) => `the corpus has another schedule of this bug: ${shortPath(other)}`),
    `replay  ${replayCommand(file)}`,
    'commit it: `wavetank run` and `wavetank corpus check` run it first',
    '',
  ].join('\n')
}
