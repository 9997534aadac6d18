/** An exploration that found nothing, in a line: `2000 schedules hold (in 3.2 s, by places 400, pos 400)`. */
import type { ExploreResult } from '../../explore/search/exploration.ts'

export function heldText({ summary, schedulesBy, wallMs, neverEnded }: ExploreResult): string {
  const by = Object.entries(schedulesBy)
  const names = by.map(([name, schedules]) => (by.length === 1 ? name : `${name} ${schedules}`))
  const whose = names.length === 0 ? '' : `, by ${names.join(', ')}`
  const unended = neverEnded.length === 0 ? '' : `; never ended: ${neverEnded.join('; ')}`
  return `${summary} (in ${(wallMs / 1000).toFixed(1)} s${whose})${unended}`
}
