/** Two runs of one seed that differ, for people: the step at which they part, both stacks there, what to look for. */
import type { RunDifference } from '../../sim/campaign/verification.ts'
import type { AccountDifference, Feed } from '../../sim/running/step-account.ts'
import { PLAIN, type Paint } from '../form/paint.ts'
import { count } from '../form/quantity.ts'

const MOST_FRAMES = 6

export function runDifferenceText(difference: RunDifference, paint: Paint = PLAIN): string[] {
  const { seed, step, steps, results, parting } = difference
  if (step === null && !results.includes('digest')) {
    return [
      `  ${paint.warn(`two runs of seed ${seed} took the same steps, and their results differ`)}: ${results.join(', ')}`,
      `  look for  ${ADVICE.result}`,
    ]
  }
  if (step === null) {
    return [
      `  ${paint.warn(`two runs of seed ${seed} differed`)}, and agreed when they were repeated`,
      `  look for  ${ADVICE.once}`,
    ]
  }
  const [first, second] = steps.map(count)
  const head = `  ${paint.warn(`two runs of seed ${seed} part at step ${count(step)}`)} (of ${first} and ${second})`
  if (parting === null)
    return [head, `  no two runs could be caught at that step`, `  look for  ${ADVICE.once}`]
  return [
    head,
    ...runLines('one run', parting.runs[0], paint),
    ...runLines('another', parting.runs[1], paint),
    `  look for  ${adviceFor(parting)}`,
  ]
}

function runLines(title: string, { what, stack }: Feed, paint: Paint): string[] {
  const frames = stack.slice(0, MOST_FRAMES).map((frame) => `      ${paint.dim(frame)}`)
  return [`    ${title}  ${what}`, ...(frames.length > 0 ? frames : [`      ${paint.dim(NO_STACK)}`])]
}

const NO_STACK = '(not called by code of the program)'

const ADVICE = {
  feed: 'what the differing value comes from: something the tank does not control reached the program there',
  event: 'what decided when, or whether, this was scheduled: a delay, a count, an order of promises',
  result:
    'a value in a check, an invariant or an assertion that comes from outside the tank: only what was found is another',
  once: 'state that outlives a run (a module shared with the host, a native addon, a cache on globalThis), or time and randomness taken from outside the tank',
}

function adviceFor({ kind, unseeded }: AccountDifference): string {
  if (unseeded.length > 0)
    return `${unseeded.join(', ')}: OpenSSL draws real randomness there, which no seed decides (docs/fidelity.md)`
  return `${ADVICE[kind]}; ${ADVICE.once}`
}
