/** The parser: oxc's, which reads JavaScript, TypeScript and JSX of every module kind. Loaded when a review begins. */
import { parseSync } from 'oxc-parser'
import type { Node, ParsedText } from './syntax.ts'

export function parse(file: string, text: string): ParsedText {
  const { program, comments, errors } = parseSync(file, text)
  const problem = errors.length === 0 ? null : errors[0].message
  return { program: program as unknown as Node, comments, problem }
}
