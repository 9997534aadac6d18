/**
 * Sums of amounts, as they come out of a history: numbers, and bigints where a double does not hold an integer. Sums of
 * integers are exact, whatever their size. Sums of fractions are not: they depend on the order of the additions, which a
 * checker does not know, and a system may not compute with doubles at all. So what was read is compared with such a sum
 * within the rounding that it may have.
 */

export type Amount = number | bigint

export function isAmount(value: unknown): value is Amount {
  return typeof value === 'number' || typeof value === 'bigint'
}

/** The sum; a bigint only where a double does not hold it, as readers of histories have it. */
export function plus(a: Amount, b: Amount): Amount {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b
    if (Number.isSafeInteger(sum) || !Number.isSafeInteger(a) || !Number.isSafeInteger(b)) return sum
  }
  return isInteger(a) && isInteger(b) ? normal(BigInt(a) + BigInt(b)) : Number(a) + Number(b)
}

export function minus(a: Amount, b: Amount): Amount {
  return plus(a, typeof b === 'bigint' ? normal(-b) : -b)
}

export function sameAmount(a: Amount, b: Amount): boolean {
  // `===` is false for 1 and 1n; comparisons are exact between numbers and bigints.
  return a === b || (a <= b && a >= b)
}

/** Integers that are known to the last digit: bigints, and numbers that are safe. */
export function isInteger(amount: Amount): boolean {
  return typeof amount === 'bigint' || Number.isSafeInteger(amount)
}

/**
 * By how much a sum of these amounts may be off. Zero for integers. The bound of n additions of doubles is
 * n · 2⁻⁵³ · Σ|a|; here it is doubled on both sides, for the system's own rounding.
 */
export function roundingOf(amounts: Iterable<Amount>): number {
  let exact = true
  let count = 0
  let size = 0
  for (const amount of amounts) {
    exact &&= isInteger(amount)
    count++
    size += Math.abs(Number(amount))
  }
  return exact ? 0 : 2 * count * Number.EPSILON * size
}

function normal(sum: bigint): Amount {
  const double = Number(sum)
  return Number.isSafeInteger(double) ? double : sum
}
