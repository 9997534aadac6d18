/** A replayed failure for people and as JSON: whether it is the recorded one, and its story. */
import { picksOf } from '../../explore/finding/picks.ts'
import type { RaceReplay, Replay, SimulationReplay } from '../../failures/recorded-failure.ts'
import { findingText } from '../race/finding-text.ts'
import { PLAIN, type Paint } from '../form/paint.ts'
import { logLines } from '../campaign/log-text.ts'
import { printable } from '../form/printable.ts'
import { counted } from '../form/quantity.ts'
import { collapseRepeats, scheduleLines } from '../race/schedule-lines.ts'
import { storyText } from './story.ts'

export interface ReplayView {
  /** Print what the program wrote as well. */
  readonly logs: boolean
  readonly paint?: Paint
}

export function replayText(replay: Replay, { logs, paint = PLAIN }: ReplayView): string {
  const lines = replay.kind === 'simulation' ? simulationLines(replay, paint) : raceLines(replay)
  if (logs) lines.push(...(replay.kind === 'simulation' ? simulationLog(replay) : raceLog(replay)))
  return `${lines.join('\n')}\n`
}

/** The same as data: without the trace, which is in its file, and with what the program wrote if it was asked for. */
export function replayJson(replay: Replay, logs: boolean): string {
  const { trace, ...rest } = replay
  const { seed } = trace
  const written = replay.kind === 'simulation' ? { log: replay.log } : { output: replay.output }
  const facts = { ...rest, log: undefined, output: undefined, ...(logs ? written : {}) }
  return `${JSON.stringify({ seed, recorded: trace.failure, ...facts }, null, 1)}\n`
}

const SHOWN_FILES = 8

/** What is not as it was when the failure was recorded, a line each. */
export function replayWarnings({ changed, trace }: Replay): string[] {
  const files = changed.slice(0, SHOWN_FILES).join(', ')
  const more = changed.length > SHOWN_FILES ? ` and ${changed.length - SHOWN_FILES} more` : ''
  return [
    ...(changed.length === 0 ? [] : [`changed since the recording: ${files}${more}`]),
    ...(trace.nodeVersion === process.version
      ? []
      : [`recorded on Node ${trace.nodeVersion}, replayed on ${process.version}`]),
  ]
}

const SAME = 'the same run, to the last step'

function difference({ differsFrom }: Replay): string {
  return differsFrom === null ? SAME : `this run differs from the recorded one from step ${differsFrom} on`
}

function simulationLines(replay: SimulationReplay, paint: Paint): string[] {
  const { trace, failure, story, until, outcome, nextActor } = replay
  const { simulation, level } = trace.config
  const lines = [`${simulation.name}  level ${level}  seed ${trace.seed}`]
  if (outcome === 'stopped') lines.push(`the first ${until} of ${counted(trace.steps, 'step')}`)
  else if (failure === null) lines.push(paint.good('does not fail any more'))
  else
    lines.push(
      `${paint.bad(`${failure.category}: ${failure.title}`)}  ${paint.dim(difference(replay))}`,
      printable(failure.message),
      '',
    )
  lines.push(...storyText(story, paint, '  '))
  if (outcome === 'stopped' && nextActor !== null) lines.push(`  next is an event of ${nextActor}`)
  return lines
}

function simulationLog({ log }: SimulationReplay): string[] {
  return ['', 'logs', ...logLines(log)]
}

function raceLines(replay: RaceReplay): string[] {
  const { trace, failure, divergence, outcome, until } = replay
  const { title } = trace.config.race
  if (divergence !== null) return [`${title}: diverges at step ${divergence.step}: ${divergence.message}`]
  if (until !== null) return stoppedLines(replay, until)
  if (failure === null) return [`${title}: does not fail any more`]
  const verdict =
    outcome === 'otherwise' ? `fails otherwise: ${failure.message}` : `replayed: ${difference(replay)}`
  return [findingText(trace.config.finding), '', `  ${verdict}`]
}

/** The steps so far, and what could come next in the recorded run. */
function stoppedLines({ trace, schedule, failure }: RaceReplay, until: number): string[] {
  const { finding, race } = trace.config
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
  return lines
}

/** The failure's own stack, whole (the recorded one also says where tasks wait), and what the program printed. */
function raceLog({ trace, failure, outcome, output }: RaceReplay): string[] {
  const { stack } = outcome === 'as-recorded' ? trace.failure : (failure ?? { stack: null })
  return ['', ...(stack === null ? [] : [stack, '']), output.replace(/\n$/, '')]
}
