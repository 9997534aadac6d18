/**
 * `wavetank replay FILE` for a race: runs the recorded schedule again, in this thread and without a test runner, to its
 * end or up to a step. Under `node --inspect-brk` it stops in the debugger before that step, or before the failing one.
 */
import { url as inspectorUrl } from 'node:inspector'
import { findingText } from '../explore/finding-text.ts'
import { macrotask } from '../explore/macrotask.ts'
import { picksOf } from '../explore/picks.ts'
import { rerun, type RunView } from '../explore/program.ts'
import type { RaceRunResult } from '../explore/race-run.ts'
import type { RaceTrace } from '../explore/race-trace.ts'
import { collapseRepeats, scheduleLines } from '../explore/schedule-lines.ts'
import { Divergence } from '../kernel/choices.ts'
import { UsageError } from '../kernel/errors.ts'
import type { TraceFile } from '../kernel/trace-file.ts'
import { openRecordedRace } from './recorded-race.ts'

export interface ReplayOptions {
  readonly until?: number
  /** Print what the program prints. */
  readonly logs?: boolean
}

const SAME = 'replayed: the same run, to the last step'
const OTHER = 'replayed: it fails, but it is not the recorded run any more'

/** 1: it fails as recorded; 0: it does not fail, or not before the step; 2: it fails otherwise, or diverges. */
export async function replayRace(
  file: string,
  recorded: TraceFile,
  root: string,
  options: ReplayOptions = {},
): Promise<number> {
  const output: string[] = []
  const { trace, program } = await openRecordedRace(file, recorded, root, (text) => output.push(text))
  const { config, seed, choices } = trace
  if (options.until !== undefined && options.until > config.finding.shrunk.toSteps) {
    throw new UsageError(
      'ERR_WAVETANK_STEP',
      `replay: --until ${options.until}: the recorded run has ${config.finding.shrunk.toSteps} steps`,
    )
  }
  try {
    const view = viewOf(options, config.finding.failure.step)
    const result = await macrotask(() => rerun(program, seed, choices, 'diverge', view))
    const { text, code } = view.until === undefined ? whole(trace, result) : part(trace, result, view.until)
    const logs = options.logs === true ? ['\n', ...stackLines(trace, result), ...output] : []
    process.stdout.write(`${text}\n${logs.join('')}`)
    return code
  } catch (error) {
    if (!(error instanceof Divergence)) throw error
    process.stdout.write(`${config.race.title}: diverges at step ${error.step}: ${error.message}\n`)
    return 2
  }
}

/** With a debugger there is more to see than a list of steps: the run goes on after the stop. */
function viewOf({ until }: ReplayOptions, failingStep: number): RunView {
  if (inspectorUrl() === undefined) return { until, record: until !== undefined }
  const at = until ?? failingStep
  return { beforeStep: (step) => step === at && stopHere(step) }
}

/** The next thing called is the step's own callback: `event.run()`, in the frame below this one. */
function stopHere(step: number): void {
  // eslint-disable-next-line no-debugger -- this is what it is for
  debugger
  void step
}

/** The failure's own stack, whole: the recorded one, which also says where tasks wait, if it is the same failure. */
function stackLines({ config }: RaceTrace, { failure }: RaceRunResult): string[] {
  const recorded = config.finding.failure
  const { stack } = failure?.key === recorded.key ? recorded : (failure ?? { stack: null })
  return stack === null ? [] : [stack, '\n\n']
}

interface Answer {
  readonly text: string
  readonly code: number
}

function whole({ config, digest }: RaceTrace, { failure, hash }: RaceRunResult): Answer {
  if (failure === null) return { text: `${config.race.title}: does not fail any more`, code: 0 }
  const same = failure.key === config.finding.failure.key
  const verdict = same ? (hash === digest ? SAME : OTHER) : `fails otherwise: ${failure.message}`
  return { text: `${findingText(config.finding)}\n\n  ${verdict}`, code: same ? 1 : 2 }
}

/** The steps so far, and what could come next in the recorded run. */
function part({ config }: RaceTrace, { schedule, failure }: RaceRunResult, until: number): Answer {
  const { finding, race } = config
  const next = finding.schedule.find(({ step }) => step === until + 1)
  const lines = [
    `${race.title}: the first ${until} steps`,
    '',
    ...scheduleLines(collapseRepeats(schedule), null),
  ]
  if (next !== undefined && next.ready.length > 1) {
    lines.push('', '  ready to be next; the recorded run took the one marked')
    const taken = picksOf(finding).get(next.step)
    lines.push(...next.ready.map((what, i) => `  ${i === taken ? '→' : ' '} ${what}`))
  } else if (next !== undefined) lines.push('', `  next is the only event there is: ${next.what}`)
  if (failure !== null) lines.push('', `  ${failure.message}  (${failure.category})`)
  return { text: lines.join('\n'), code: failure === null ? 0 : 1 }
}
