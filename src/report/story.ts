/** A story as text: one line per step, with a count if it repeats; faults have ⚡, the violation an arrow. */
import type { Story, StoryStep } from '../sim/campaign/result.ts'
import { PLAIN, type Paint } from './paint.ts'
import { moment } from './quantity.ts'

export function storyText(story: Story, paint: Paint = PLAIN, indent = '    '): string[] {
  const width = Math.max(0, ...story.steps.map((step) => step.who.length))
  const lines = story.steps.map((step) => indent + stepText(step, width, paint))
  if (story.omitted > 0) {
    lines.splice(
      story.head,
      0,
      `${indent}${paint.dim(`… ${story.omitted} steps left out (wavetank trace --all shows them)`)}`,
    )
  }
  return lines
}

function stepText(step: StoryStep, width: number, paint: Paint): string {
  const time = paint.dim(moment(step.timeUs))
  const who = step.who.padEnd(width)
  const text = step.text + countOf(step)
  if (step.violation) return paint.bad(`${moment(step.timeUs)}  ${who}  ← ${step.text}`)
  if (step.kind === 'fault') return `${time}  ${paint.fault(`${who}  ⚡ ${text}`)}`
  if (step.kind === 'heal') return `${time}  ${paint.dim(`${who}    ${text}`)}`
  return `${time}  ${who}    ${text}`
}

/** ` × 12, until 2.480s`. */
function countOf({ repeats }: StoryStep): string {
  return repeats === undefined ? '' : ` × ${repeats.times}, until ${moment(repeats.untilUs).trim()}`
}
