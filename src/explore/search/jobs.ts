/** Parses the number of threads of an exploration. */
import { inspect } from 'node:util'
import { UsageError } from '../../kernel/errors.ts'

/** `by` is the option or variable, for the message. */
export function jobsOf(given: unknown, by: string): number {
  if (Number.isSafeInteger(given) && (given as number) >= 1) return given as number
  throw new UsageError(
    'ERR_WAVETANK_JOBS',
    `${by}: expected a whole number of threads, 1 or more, and got ${inspect(given)}`,
  )
}

/** From an environment variable; undefined if it is not set. */
export function jobsFromText(text: string | undefined, by: string): number | undefined {
  if (text === undefined || text === '') return undefined
  return jobsOf(/^\d+$/.test(text) ? Number(text) : text, by)
}
