/** What an exit that nobody ordered is called: how the process ended, and the line of its stderr that says most. */
import type { ExitStatus } from '../world/process.ts'
import type { EventLog } from './event-log.ts'

export function exitMessage(process: string, { code, signal }: ExitStatus, events: EventLog): string {
  const how = signal === null ? `exited with code ${code}` : `was ended by ${signal}`
  const said = lastWords(process, events)
  return `${process} ${how}${said === '' ? '' : `: ${said}`}`
}

/** With a stack (`TypeError: …`), and without one, as failures of the system come (`[Error: EIO: i/o error, write] {`). */
const ERROR = /^(?:Uncaught )?\[?\w*(?:Error|Exception)\b.*:/
/** What Node adds below an uncaught exception. */
const TRAILER = /^(?:Node\.js v.*)?$/

/** The error of an uncaught exception, or else the last line; empty where the process said nothing. */
export function lastWords(process: string, events: EventLog): string {
  const lines = events.named('stderr').filter((event) => event.source === process)
  const texts = lines.map((event) => event.data)
  return texts.findLast((text) => ERROR.test(text)) ?? texts.findLast((text) => !TRAILER.test(text)) ?? ''
}
