/** The position of the event that a recorded run picked, by step. The n-th step with several ready events has the n-th pick. */
import type { RaceFinding } from './finding.ts'

export function picksOf({
  schedule,
  choices,
}: Pick<RaceFinding, 'schedule' | 'choices'>): Map<number, number> {
  const values = new Map(
    choices.filter(({ entity }) => entity === 'schedule').map(({ index, value }) => [index, value]),
  )
  const contested = schedule.filter(({ ready }) => ready.length > 1)
  return new Map(contested.map(({ step }, index) => [step, values.get(index) ?? 0]))
}
