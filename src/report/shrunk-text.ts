/** What shrinking a recorded failure did, for people: how far it came, what is left, and how to replay that. */
import type { ShrunkFailure } from '../failures/recorded-failure.ts'
import type { ShrinkSummary } from '../sim/campaign/result.ts'
import { findingText } from './finding-text.ts'
import { PLAIN, type Paint } from './paint.ts'
import { counted } from './quantity.ts'
import { storyText } from './story.ts'

const INCOMPLETE = 'not minimal: the budget ended'

/** `683 → 9 choices, 1 fault, in 229 runs`. */
export function shrinkSummaryText({ before, after, faults, runs, minimal }: ShrinkSummary): string {
  const left = faults === undefined ? '' : `, ${counted(faults, 'fault')}`
  return `${before} → ${after} choices${left}, in ${counted(runs, 'run')}${minimal ? '' : ` (${INCOMPLETE})`}`
}

export function shrunkText(shrunk: ShrunkFailure, replay: string, paint: Paint = PLAIN): string {
  if (shrunk.kind === 'race') {
    const { finding } = shrunk.trace.config
    return `${findingText(finding, replay)}${finding.shrunk.minimal ? '' : `\n  (${INCOMPLETE})`}\n`
  }
  const { trace, story } = shrunk
  const lines = [
    shrinkSummaryText(trace.config.shrunk!),
    ...storyText(story, paint),
    '',
    `  replay  ${replay}`,
  ]
  return `${lines.join('\n')}\n`
}
