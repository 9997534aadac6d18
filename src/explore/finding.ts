/**
 * What an exploration found, as plain versioned data, and the error that carries it through a test runner. The text is a
 * pure function of the data.
 */
import type { Choice } from '../kernel/choices.ts'
import type { CriticalPair } from './critical-pair.ts'
import type { RaceFailure } from './failure.ts'
import type { ScheduleStep } from './race-run.ts'

export interface RaceFinding {
  readonly version: 1
  readonly title: string
  readonly failure: RaceFailure
  /** The run that found it, counted from 1, of how many were allowed. */
  readonly iteration: number
  readonly iterations: number
  readonly seed: number
  readonly strategy: string
  readonly shrunk: {
    readonly fromSteps: number
    readonly toSteps: number
    readonly runs: number
    readonly minimal: boolean
  }
  readonly preemptions: number
  /** The shrunk schedule, whole; the slice is the part that matters. */
  readonly schedule: readonly ScheduleStep[]
  readonly slice: readonly number[]
  readonly criticalPair: CriticalPair | null
  /** With the seed, the whole run: every choice that is not the simplest. */
  readonly choices: readonly Choice[]
  /** The run's hash: a replay is the same run if its hash is the same. */
  readonly digest: string
}

export class RaceFound extends Error {
  override readonly name = 'RaceFound'
  readonly code = 'ERR_WAVETANK_RACE_FOUND'
  readonly finding: RaceFinding
  constructor(finding: RaceFinding, text: string) {
    super(text)
    this.finding = finding
  }
}

const STEP_WIDTH = 5
const ARROW = '← FAILED HERE'

/** What a person needs, and nothing else. */
export function findingText(finding: RaceFinding, replayCommand: string | null = null): string {
  const { failure, shrunk } = finding
  const rows = finding.schedule.filter(({ step }) => finding.slice.includes(step))
  const taskWidth = Math.max(4, ...rows.map(({ task }) => task.length))
  const whatWidth = Math.max(...rows.map(({ what }) => what.length), 4)
  const lines = [
    `✗ ${finding.title}`,
    `  ${failure.message}  (${failure.category})`,
    `  seed ${finding.seed}  iteration ${finding.iteration}/${finding.iterations}  strategy ${finding.strategy}  ` +
      `shrunk ${shrunk.fromSteps} → ${shrunk.toSteps} steps, ${plural(finding.preemptions, 'preemption')}, in ${plural(shrunk.runs, 'run')}`,
    '',
    ...rows.map(({ step, task, what, position }) =>
      [
        String(step).padStart(STEP_WIDTH),
        task.padEnd(taskWidth),
        what.padEnd(whatWidth),
        step === failure.step ? ARROW : (position ?? ''),
      ]
        .join('  ')
        .trimEnd(),
    ),
  ]
  const left = finding.schedule.length - rows.length
  if (left > 0)
    lines.push(`${' '.repeat(STEP_WIDTH)}  (${plural(left, 'step')} that did not matter left out)`)
  if (finding.criticalPair !== null) {
    const { first, second } = finding.criticalPair
    lines.push(
      '',
      `  what matters: "${first.task}: ${first.what}" came before "${second}"; the other way round it passes`,
    )
  }
  if (replayCommand !== null) lines.push('', `  replay  ${replayCommand}`)
  return lines.join('\n')
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
