/** An exploration in which no schedule failed, but which shows less than its race asks for. */
import type { ExploreResult } from '../../explore/search/exploration.ts'
import { heldText } from './held-text.ts'

export function gapText(title: string, result: ExploreResult): string {
  return [
    `? ${title}`,
    `  ${heldText(result)}`,
    '  but this shows less than it should:',
    ...result.gaps.map((gap) => `  - ${gap}`),
    '  Change the workload so that this happens, explore more schedules, or accept it with allowGaps: true.',
  ].join('\n')
}
