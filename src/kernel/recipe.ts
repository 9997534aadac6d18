/**
 * Branches: a run that follows one seed for a while and another from then on. Since a run is a function of its choices,
 * going back to an interesting moment needs no snapshot: run again up to the same number of choices, then draw from a new
 * seed. A recipe lists these turns, `151@8837201 -> 80@1293847`: after 151 choices, go on with seed 8837201; after 80
 * more, with seed 1293847. Entropy, the random values that programs draw, stays that of the first seed.
 */
import { UsageError } from './errors.ts'

export interface Branch {
  /** How many choices are asked for since the last branch (or the beginning) before this one. */
  readonly after: number
  readonly seed: number
}

export function printRecipe(branches: readonly Branch[]): string {
  return branches.map(({ after, seed }) => `${after}@${seed}`).join(' -> ')
}

export function parseRecipe(text: string): Branch[] {
  if (text.trim() === '') return []
  return text.split('->').map((part) => {
    const [, after, seed] = /^\s*(\d+)@(\d+)\s*$/.exec(part) ?? []
    const branch = { after: Number(after), seed: Number(seed) }
    if (!Number.isSafeInteger(branch.after) || !Number.isSafeInteger(branch.seed)) {
      throw new UsageError(
        'ERR_WAVETANK_RECIPE',
        `a recipe is a list such as '151@8837201 -> 80@1293847' (choices@seed), and '${part.trim()}' is no part of one`,
      )
    }
    return branch
  })
}
