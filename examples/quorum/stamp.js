/** Stamps order writes: by number, then by who wrote. No two writes have the same one. */

export const NOTHING = { stamp: [0, 0], value: null }

export function isNewer([number, writer], [otherNumber, otherWriter]) {
  return number > otherNumber || (number === otherNumber && writer > otherWriter)
}
