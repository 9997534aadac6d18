/** The strategies by name. */
import type { ExploreStrategy } from '../strategy.ts'
import { delayBound } from './delay-bound.ts'
import { dfs } from './dfs.ts'
import { fairPct } from './fair-pct.ts'
import { idpct } from './idpct.ts'
import { noisyPct } from './noisy-pct.ts'
import { pct } from './pct.ts'
import { pctcp } from './pctcp.ts'
import { places } from './places.ts'
import { portfolio } from './portfolio.ts'
import { pos } from './pos.ts'
import { random } from './random.ts'
import { slow } from './slow.ts'
import { surw } from './surw.ts'
import { urw } from './urw.ts'

export {
  delayBound,
  dfs,
  fairPct,
  idpct,
  noisyPct,
  pct,
  pctcp,
  places,
  portfolio,
  pos,
  random,
  slow,
  surw,
  urw,
}

/** The options of a strategy that is given by name. Its function has more. */
export interface NamedStrategyOptions {
  /** The bug depth for PCT and its relatives. */
  readonly depth: number
}

export const STRATEGIES: Readonly<Record<StrategyName, (options: NamedStrategyOptions) => ExploreStrategy>> =
  {
    portfolio,
    random,
    pct,
    fairPct,
    pos,
    noisyPct,
    idpct: ({ depth }) => idpct({ maxDepth: depth + 3 }),
    urw,
    surw,
    pctcp,
    places,
    delayBound: ({ depth }) => delayBound({ delays: depth - 1 }),
    slow: ({ depth }) => slow({ delays: depth - 1 }),
    dfs: () => dfs(),
  }

export type StrategyName =
  | 'portfolio'
  | 'random'
  | 'pct'
  | 'fairPct'
  | 'pos'
  | 'noisyPct'
  | 'idpct'
  | 'urw'
  | 'surw'
  | 'pctcp'
  | 'places'
  | 'delayBound'
  | 'slow'
  | 'dfs'
