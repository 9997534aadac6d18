/** How many threads an exploration may have, as its users say it. */
import { inspect } from 'node:util'
import { UsageError } from '../kernel/errors.ts'

/** `by` names who said it. */
export function jobsOf(said: unknown, by: string): number {
  if (Number.isSafeInteger(said) && (said as number) >= 1) return said as number
  throw new UsageError(
    'ERR_WAVETANK_JOBS',
    `${by}: expected a whole number of threads, 1 or more, and got ${inspect(said)}`,
  )
}

/** Of an environment variable; undefined where it says nothing. */
export function jobsFromText(text: string | undefined, by: string): number | undefined {
  if (text === undefined || text === '') return undefined
  return jobsOf(/^\d+$/.test(text) ? Number(text) : text, by)
}
