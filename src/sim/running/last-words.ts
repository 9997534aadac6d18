/** How a process that exits on its own ended, and the line of its stderr that says most about why. */
import type { ExitStatus } from '../../world/process.ts'
import type { EventLog, PublishedEvent } from '../authoring/event-log.ts'

export function exitMessage(process: string, { code, signal }: ExitStatus, said: string): string {
  const how = signal === null ? `exited with code ${code}` : `was ended by ${signal}`
  return `${process} ${how}${said === '' ? '' : `: ${said}`}`
}

/** With a stack (`TypeError: …`), and without one, as failures of the system come (`[Error: EIO: i/o error, write] {`). */
const ERROR = /^(?:Uncaught )?\[?\w*(?:Error|Exception)\b.*:/
/** Node prints the error's properties on the lines below. */
const PROPERTIES_FOLLOW = /\] \{$/
/** What Node adds below an uncaught exception. */
const TRAILER = /^(?:Node\.js v.*)?$/

/** What the tank's own errors look like when Node prints them. */
const UNSUPPORTED = /\bERR_WAVETANK_(?:UNSUPPORTED|NATIVE_ADDON)/

/** The error of an uncaught exception, or else the last line; empty if the process printed nothing. */
export function lastWords(process: string, events: EventLog): string {
  return wordsIn(stderrOf(process, events).map((event) => event.data))
}

/** The same of some lines of a process's stderr. */
export function wordsIn(texts: readonly string[]): string {
  const said =
    texts.findLast((text) => ERROR.test(text)) ?? texts.findLast((text) => !TRAILER.test(text)) ?? ''
  return said.replace(PROPERTIES_FOLLOW, ']')
}

/**
 * The message of an error that names something the tank lacks, if the process has printed one since its boot: Node prints
 * the code of an uncaught error, and programs that end by themselves usually print what they caught. Null if there is
 * none.
 */
export function unsupportedWords(process: string, events: EventLog): string | null {
  const boots = events
    .named('process')
    .filter(({ data }) => data.process === process && data.change === 'boot')
  const since = boots.at(-1)?.seq ?? 0
  const lines = stderrOf(process, events).filter(({ seq }) => seq >= since)
  const at = lines.findIndex(({ data }) => UNSUPPORTED.test(data))
  if (at < 0) return null
  const error = lines.slice(0, at + 1).findLast(({ data }) => ERROR.test(data)) ?? lines[at]
  return error.data.replace(/^(?:Uncaught )?\[?\w*Error(?: \[\w+\])?: /, '').replace(/\]? \{$|\]$/, '')
}

function stderrOf(process: string, events: EventLog): PublishedEvent<string>[] {
  return events.named('stderr').filter((event) => event.source === process)
}
