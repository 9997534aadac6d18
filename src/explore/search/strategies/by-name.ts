/** A strategy as options name it. */
import { UsageError } from '../../../kernel/errors.ts'
import type { ExploreStrategy } from '../strategy.ts'
import { STRATEGIES, type NamedStrategyOptions, type StrategyName } from './index.ts'

/** A new strategy by its name, or the one that is given. */
export function strategyOf(
  strategy: StrategyName | ExploreStrategy,
  { depth }: NamedStrategyOptions,
): ExploreStrategy {
  if (typeof strategy !== 'string') return strategy
  const make = STRATEGIES[strategy]
  if (make === undefined) {
    throw new UsageError(
      'ERR_WAVETANK_STRATEGY',
      `explore: there is no strategy "${strategy as string}"; choose one of ${Object.keys(STRATEGIES).join(', ')}`,
    )
  }
  return make({ depth })
}
