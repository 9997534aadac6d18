/**
 * A story as text: one line per step, with a count if it repeats; faults have ⚡, the violation an arrow. Values come from
 * the program: what a terminal would obey is escaped, and a message of several lines keeps its column.
 */
import type { Story, StoryStep } from '../../sim/campaign/result.ts'
import { PLAIN, type Paint } from '../form/paint.ts'
import { printable } from '../form/printable.ts'
import { moment } from '../form/quantity.ts'

export function storyText(story: Story, paint: Paint = PLAIN, indent = '    '): string[] {
  const steps = story.steps.map((step) => ({ ...step, who: inLine(step.who) }))
  const width = Math.max(0, ...steps.map((step) => step.who.length))
  const lines = steps.map((step) => stepText(step, width, paint, indent))
  if (story.omitted > 0) {
    lines.splice(
      story.head,
      0,
      `${indent}${paint.dim(`… ${story.omitted} steps left out (wavetank trace --all shows them)`)}`,
    )
  }
  return lines
}

function stepText(step: StoryStep, width: number, paint: Paint, indent: string): string {
  const when = moment(step.timeUs)
  const who = step.who.padEnd(width)
  if (step.violation) {
    const column = ' '.repeat(indent.length + when.length + width + 6)
    const message = printable(step.text).replaceAll('\n', `\n${column}`)
    return indent + paint.bad(`${when}  ${who}  ← ${message}`)
  }
  const time = indent + paint.dim(when)
  const text = inLine(step.text) + countOf(step)
  if (step.kind === 'fault') return `${time}  ${paint.fault(`${who}  ⚡ ${text}`)}`
  if (step.kind === 'loss') return `${time}  ${paint.fault(`${who}    ${text}`)}`
  if (step.kind === 'heal') return `${time}  ${paint.dim(`${who}    ${text}`)}`
  return `${time}  ${who}    ${text}`
}

function inLine(text: string): string {
  return printable(text.replaceAll('\n', '\\n'))
}

/** ` × 12, until 2.480s`. */
function countOf({ repeats }: StoryStep): string {
  return repeats === undefined ? '' : ` × ${repeats.times}, until ${moment(repeats.untilUs).trim()}`
}
