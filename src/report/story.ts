/** A story as text: one line per step, faults with ⚡, an arrow at the violation. */
import type { Story, StoryStep } from '../sim/story.ts'
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
  if (step.violation) return paint.bad(`${moment(step.timeUs)}  ${who}  ← ${step.text}`)
  if (step.kind === 'fault') return `${time}  ${paint.fault(`${who}  ⚡ ${step.text}`)}`
  if (step.kind === 'heal') return `${time}  ${paint.dim(`${who}    ${step.text}`)}`
  return `${time}  ${who}    ${step.text}`
}
