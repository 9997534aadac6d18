/** Which of the ready events a recorded run took, by step. The n-th step at which several were ready has the n-th pick. */
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
