/**
 * Files that do not count, each pattern with its reason: what they test is something a simulated world has no
 * counterpart for. "Not built yet" is not a reason: such files count, and fail.
 */
export interface Exclusion {
  readonly pattern: RegExp
  readonly reason: string
}

export const EXCLUSIONS: readonly Exclusion[] = []

/** Source patterns that exclude a file for what it does rather than for its name. */
export const SOURCE_EXCLUSIONS: readonly Exclusion[] = []

export function exclusionOf(file: string, source: string): string | null {
  for (const { pattern, reason } of EXCLUSIONS) if (pattern.test(file)) return reason
  for (const { pattern, reason } of SOURCE_EXCLUSIONS) if (pattern.test(source)) return reason
  return null
}
