/**
 * What an agent names as a word of a command line: a value that begins with `-` would be an option, and could write a file
 * or read another one than the tool is for.
 */
import { UsageError } from '../kernel/errors.ts'

export function word(text: string): string {
  if (text.startsWith('-'))
    throw new UsageError(
      'ERR_WAVETANK_MCP_WORD',
      `"${text}" begins with "-": a name was expected, not an option`,
    )
  return text
}
