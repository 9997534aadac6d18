/**
 * What `wavetank explain` sends: the finding as a person reads it, and the source files that its steps name, each line
 * with its number. Nothing else of the project or of the machine: paths are relative to the project, and a file that no
 * step names is not read.
 */
import type { RaceFinding } from '../../explore/finding/finding.ts'
import { findingText } from '../../report/finding-text.ts'

export interface ExplanationRequest {
  readonly model: string
  readonly max_tokens: number
  readonly system: string
  readonly messages: readonly [{ readonly role: 'user'; readonly content: string }]
}

const MAX_TOKENS = 1_500
/** A longer file is sent only around the lines that matter. */
const WHOLE_FILE_LINES = 250
const LINES_AROUND = 25

const SYSTEM = `You explain concurrency bugs in Node.js programs to their authors. You are given the failing schedule of a
test, found by running it under many orders of events and shrunk to the steps that matter, and the source files involved.
Each line of the schedule is a step: its number, the task it belongs to, what happened, and where in the source it was asked
for. Say in plain language, in at most five short paragraphs: what goes wrong, in the order in which it happens; which two
events must not change places, and why the code allows it; how to fix it, with the lines concerned. Name steps by their
numbers. If the schedule does not explain the failure, say so.`

/** `read` gives the text of a file by its path in the project, or null where there is none. */
export function explanationRequest(
  finding: RaceFinding,
  raceFile: string,
  model: string,
  read: (path: string) => string | null,
): ExplanationRequest {
  const files = [...linesByFile(finding, raceFile)]
    .map(([path, lines]) => ({ path, lines, text: read(path) }))
    .filter(({ text }) => text !== null)
    .map(({ path, lines, text }) => `<file path=${JSON.stringify(path)}>\n${numbered(text!, lines)}\n</file>`)
  const stack = finding.failure.stack === null ? '' : `\n<stack>\n${finding.failure.stack}\n</stack>\n`
  const content = `<schedule>\n${findingText(finding)}\n</schedule>\n${stack}\n${files.join('\n\n')}\n`
  return { model, max_tokens: MAX_TOKENS, system: SYSTEM, messages: [{ role: 'user', content }] }
}

/** The files that the slice and the failure name, with the lines they name. */
function linesByFile(finding: RaceFinding, raceFile: string): Map<string, Set<number>> {
  const found = new Map<string, Set<number>>([[raceFile, new Set()]])
  const note = (position: string | undefined): void => {
    const parts = /^(.*):(\d+):\d+$/.exec(position ?? '')
    if (parts === null) return
    const [, path, line] = parts
    found.set(path, (found.get(path) ?? new Set()).add(Number(line)))
  }
  const wanted = new Set(finding.slice)
  for (const { step, position, via } of finding.schedule) {
    if (!wanted.has(step)) continue
    note(position ?? undefined)
    note(via?.position)
  }
  const { stack, message } = finding.failure
  for (const [, position] of `${stack ?? ''}\n${message}`.matchAll(/\(?([^\s()]+:\d+:\d+)\)?/g))
    note(position)
  return found
}

function numbered(text: string, wanted: ReadonlySet<number>): string {
  const lines = text.split('\n')
  const shown = (number: number): boolean =>
    lines.length <= WHOLE_FILE_LINES || [...wanted].some((line) => Math.abs(line - number) <= LINES_AROUND)
  const out: string[] = []
  let skipping = false
  for (const [index, line] of lines.entries()) {
    if (shown(index + 1)) out.push(`${String(index + 1).padStart(5)}  ${line}`)
    else if (!skipping) out.push('    …')
    skipping = !shown(index + 1)
  }
  return out.join('\n')
}
