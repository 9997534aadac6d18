/** What an exploration that found nothing did, in a line: `2000 schedules hold (in 3.2 s, by places 400, pos 400)`. */
import type { ExploreResult } from './explore.ts'

export function heldText({ summary, schedulesBy, wallMs }: ExploreResult): string {
  const by = Object.entries(schedulesBy)
  const names = by.map(([name, schedules]) => (by.length === 1 ? name : `${name} ${schedules}`))
  const whose = names.length === 0 ? '' : `, by ${names.join(', ')}`
  return `${summary} (in ${(wallMs / 1000).toFixed(1)} s${whose})`
}
