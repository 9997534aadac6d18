/** Key distributions: which of n keys an operation is about. All shrink towards key 0. Weights are integers, so that a draw is the same on every machine. */
import { floor } from '../../kernel/arithmetic.ts'
import { UsageError } from '../../kernel/errors.ts'
import type { Rng } from '../authoring/rng.ts'

/** Draws a key, 0 … n−1. */
export type Keys = (rng: Rng) => number

/** Every key is as likely as any other. */
export function uniform(keys: number): Keys {
  checkKeys('uniform', keys)
  return (rng) => rng.below(keys)
}

/** Key k has the weight 1 ÷ (k + 1)^skew. */
export function zipf(keys: number, skew: 1 | 2 | 3 = 1): Keys {
  checkKeys('zipf', keys)
  let sum = 0
  const upTo = Array.from({ length: keys }, (_, key) => {
    let weight = 1_000_000
    for (let i = 0; i < skew; i++) weight /= key + 1
    return (sum += floor(weight) + 1)
  })
  return (rng) => {
    const drawn = rng.below(sum)
    return upTo.findIndex((most) => drawn < most)
  }
}

/** Key 0 takes this share of all draws, a fraction; the other keys share the rest evenly. */
export function hotKey(keys: number, share = 0.8): Keys {
  checkKeys('hotKey', keys)
  return (rng) => (keys === 1 || !rng.chance(1 - share) ? 0 : 1 + rng.below(keys - 1))
}

function checkKeys(name: string, keys: number): void {
  if (!Number.isSafeInteger(keys) || keys < 1)
    throw new UsageError('ERR_WAVETANK_KEYS', `${name}(): expected a number of keys, 1 or more, not ${keys}`)
}
