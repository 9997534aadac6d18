/**
 * Iterative-deepening PCT: the depth of a bug is not known beforehand, so the depth goes round from run to run. Of the
 * guarantee for the right depth, only a constant factor is lost.
 */
import type { ExploreStrategy } from '../strategy.ts'
import { prioritised } from './pct.ts'

export interface IdpctOptions {
  readonly minDepth?: number
  readonly maxDepth?: number
}

export function idpct({ minDepth = 2, maxDepth = 6 }: IdpctOptions = {}): ExploreStrategy {
  let depth = maxDepth
  const inner = prioritised(
    'idpct',
    () => depth,
    (event) => event.task,
  )
  return {
    ...inner,
    begin(seed) {
      depth = depth >= maxDepth ? minDepth : depth + 1
      inner.begin(seed)
    },
  }
}
