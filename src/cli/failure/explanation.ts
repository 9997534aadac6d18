/**
 * What `wavetank explain` sends: the failure as a person reads it, and source files, each line with its number. Of a race
 * these are the files that its steps name; of a simulation, the files that its program loaded, without installed packages.
 * Nothing else of the project or of the machine: paths are relative to the project.
 */
import type { RaceFinding } from '../../explore/finding/finding.ts'
import type { SimulationReplay } from '../../failures/recorded-failure.ts'
import { findingText } from '../../report/race/finding-text.ts'
import { replayText } from '../../report/failure/replay-text.ts'

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

/** Characters of sources of a simulation at most. */
const MOST_SOURCE = 80_000

const RACE_SYSTEM = `You explain concurrency bugs in Node.js programs to their authors. You are given the failing schedule of a
test, found by running it under many orders of events and shrunk to the steps that matter, and the source files involved.
Each line of the schedule is a step: its number, the task it belongs to, what happened, and where in the source it was asked
for. Say in plain language, in at most five short paragraphs: what goes wrong, in the order in which it happens; which two
events must not change places, and why the code allows it; how to fix it, with the lines concerned. Name steps by their
numbers. If the schedule does not explain the failure, say so.`

const SIMULATION_SYSTEM = `You explain failures of distributed Node.js systems to their authors. You are given the story of a
simulated run that broke a promise, shrunk to what the failure needs, and the sources of the program and of its workload.
Each line of the story has the virtual time, the client, process or nemesis, and what happened; faults are marked with ⚡, the
violation with an arrow. Say in plain language, in at most five short paragraphs: what goes wrong, in the order in which it
happens; which promise of the program is broken, and by which lines; how to fix it. Do not blame the fault: the program must
survive it. If the story does not explain the failure, say so.`

/** Gives the text of a file by its path in the project, or null where there is none. */
type Reader = (path: string) => string | null

export function raceExplanation(
  finding: RaceFinding,
  raceFile: string,
  model: string,
  read: Reader,
): ExplanationRequest {
  const files = [...linesByFile(finding, raceFile)]
    .map(([path, lines]) => ({ path, lines, text: read(path) }))
    .filter(({ text }) => text !== null)
    .map(({ path, lines, text }) => fileBlock(path, text!, lines))
  const stack = finding.failure.stack === null ? '' : `\n<stack>\n${finding.failure.stack}\n</stack>\n`
  const content = `<schedule>\n${findingText(finding)}\n</schedule>\n${stack}\n${files.join('\n\n')}\n`
  return { model, max_tokens: MAX_TOKENS, system: RACE_SYSTEM, messages: [{ role: 'user', content }] }
}

/** Of a simulation, from its replay. Sources beyond {@link MOST_SOURCE} are named, and not sent. */
export function simulationExplanation(
  replay: SimulationReplay,
  model: string,
  read: Reader,
): ExplanationRequest {
  const { trace, failure } = replay
  const { simulation } = trace.config
  const others = Object.keys(trace.program).filter((path) => path !== simulation.file && !isInstalled(path))
  const blocks: string[] = []
  const left: string[] = []
  let size = 0
  for (const path of [simulation.file, ...others.sort()]) {
    const text = read(path)
    if (text === null) continue
    const block = fileBlock(path, text, new Set(linesIn(failure?.stack, path)))
    if (size + block.length > MOST_SOURCE) left.push(path)
    else {
      blocks.push(block)
      size += block.length
    }
  }
  const stack = failure?.stack == null ? '' : `\n<stack>\n${failure.stack}\n</stack>\n`
  const omitted = left.length === 0 ? '' : `\nNot sent, for their size: ${left.join(', ')}\n`
  const story = replayText(replay, { logs: false })
  const content = `<story>\n${story}</story>\n${stack}\n${blocks.join('\n\n')}\n${omitted}`
  return { model, max_tokens: MAX_TOKENS, system: SIMULATION_SYSTEM, messages: [{ role: 'user', content }] }
}

function isInstalled(path: string): boolean {
  return path.startsWith('..') || path.split('/').includes('node_modules')
}

/** The lines of a file that a stack names. */
function linesIn(stack: string | null | undefined, path: string): number[] {
  const lines = [...(stack ?? '').matchAll(/([^\s()]+):(\d+):\d+/g)]
  return lines.filter(([, file]) => file.endsWith(path)).map(([, , line]) => Number(line))
}

function fileBlock(path: string, text: string, lines: ReadonlySet<number>): string {
  return `<file path=${JSON.stringify(path)}>\n${numbered(text, lines)}\n</file>`
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
    lines.length <= WHOLE_FILE_LINES ||
    wanted.size === 0 ||
    [...wanted].some((line) => Math.abs(line - number) <= LINES_AROUND)
  const out: string[] = []
  let skipping = false
  for (const [index, line] of lines.entries()) {
    if (shown(index + 1)) out.push(`${String(index + 1).padStart(5)}  ${line}`)
    else if (!skipping) out.push('    …')
    skipping = !shown(index + 1)
  }
  return out.join('\n')
}
