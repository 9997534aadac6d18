/** Seeds of the runs of an exploration. */
import { mix, seedKey } from '../../kernel/prng.ts'
import type { ExploreStrategy } from './strategy.ts'

/** The seed of the n-th run: far from its neighbours', and itself a seed that can be given. */
export function iterationSeed(seed: number, iteration: number): number {
  const { lo, hi } = seedKey(seed)
  return mix(lo, hi, 0x72616365, 0, iteration)
}

/** The seed of the n-th run by a strategy. */
export function seedOfRun({ inOrder }: ExploreStrategy, seed: number, iteration: number): number {
  return iterationSeed(seed, inOrder === true ? 1 : iteration)
}
