/** What a failed assertion says besides its name, as one line: the message is the same in every run, its details are not. */
import { inspect } from 'node:util'

const MOST_CHARS = 1000

export function withDetails(message: string, details: unknown): string {
  if (details === null || details === undefined) return message
  const text = inspect(details, { depth: 5, breakLength: Infinity, compact: true })
  return `${message}: ${text.length > MOST_CHARS ? `${text.slice(0, MOST_CHARS)}…` : text}`
}
