/** What shrinking a recorded failure did, for people: how far it came, what is left, and how to replay that. */
import type { ShrunkFailure } from '../../failures/recorded-failure.ts'
import type { ShrinkSummary } from '../../sim/campaign/result.ts'
import { findingText } from '../race/finding-text.ts'
import { PLAIN, type Paint } from '../form/paint.ts'
import { counted } from '../form/quantity.ts'
import { storyText } from './story.ts'

const INCOMPLETE = 'not minimal: the budget ended'

/** `683 → 9 choices, 1 fault, in 229 runs`. */
export function shrinkSummaryText({ before, after, faults, runs, minimal }: ShrinkSummary): string {
  const left = faults === undefined ? '' : `, ${counted(faults, 'fault')}`
  return `${before} → ${after} choices${left}, in ${counted(runs, 'run')}${minimal ? '' : ` (${INCOMPLETE})`}`
}

const SHOWN_CHOICES = 8

/** `left    10 operations, 1 fault, disk store: name survival`: what the remaining choices decide. */
export function choicesLeft({ left = [] }: ShrinkSummary): string[] {
  if (left.length === 0) return []
  const more = left.length > SHOWN_CHOICES ? [`and ${left.length - SHOWN_CHOICES} more`] : []
  return [`  left    ${[...left.slice(0, SHOWN_CHOICES), ...more].join('; ')}`]
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
    ...choicesLeft(trace.config.shrunk!),
    `  replay  ${replay}`,
  ]
  return `${lines.join('\n')}\n`
}
