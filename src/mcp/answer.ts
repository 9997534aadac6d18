/**
 * What a tool answers: the exit code with its meaning, and what the command printed, as JSON where it printed JSON. An
 * answer above the limit is cut, says so, and names the file that has all of it.
 */
import { z } from 'zod'

/** Characters of JSON in one answer at most: about 10,000 tokens. */
export const MOST_CHARACTERS = 40_000

export interface Answer {
  readonly [key: string]: unknown
  /** Null if it was cancelled. */
  readonly exitCode: number | null
  /** What the exit code means, from the command's own help. */
  readonly meaning: string
  readonly command: string
  /** What the command printed, if it is JSON. */
  readonly result?: unknown
  /** What the command printed, if it is text. */
  readonly text?: string
  /** What it said on standard error: warnings, and the reason of a refusal. */
  readonly notes?: string
  readonly truncated?: { readonly characters: number; readonly file: string }
}

/** The schema of {@link Answer} for clients. */
export const ANSWER_SCHEMA = {
  exitCode: z.number().int().nullable().describe('0 is the only pass; null if the call was cancelled'),
  meaning: z.string().describe('what the exit code means'),
  command: z.string().describe('what a person would type'),
  result: z.unknown().optional().describe('what the command printed, if it is JSON'),
  text: z.string().optional().describe('what the command printed, if it is text'),
  notes: z.string().optional().describe('warnings, progress, and the reason of a refusal'),
  truncated: z
    .object({ characters: z.number(), file: z.string() })
    .optional()
    .describe('the answer was cut; the file has all of it'),
}

/** JSON, or JSON lines, or null for anything else. */
export function parsed(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return null
  try {
    return JSON.parse(text)
  } catch {
    return parsedLines(text)
  }
}

function parsedLines(text: string): unknown {
  try {
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as unknown)
  } catch {
    return null
  }
}

/** Cuts an answer to the limit; `keep` writes the whole result to a file and returns its path. */
export function limited(answer: Answer, keep: (whole: string) => string): Answer {
  const whole = answer.text ?? JSON.stringify(answer.result, null, 1) ?? ''
  if (whole.length <= MOST_CHARACTERS) return answer
  const { result: _, text: __, ...rest } = answer
  const file = keep(whole)
  return {
    ...rest,
    text: `${whole.slice(0, MOST_CHARACTERS)}\n… cut off here; ${file} has all of it`,
    truncated: { characters: whole.length, file },
  }
}
