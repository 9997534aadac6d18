/** The message that Node prints on stderr when an exception ends a process. */
import type { RunningProcess } from './running-process.ts'

export function printUncaught(process: RunningProcess, error: unknown): void {
  const { inspect } = process.modules.require('internal/util/inspect')
  let text: string
  if (error instanceof Error && typeof error.stack === 'string') {
    const extra = Object.keys(error).length > 0 || error.cause !== undefined
    text = extra ? inspect(error) : error.stack
  } else {
    text = `Uncaught:\n${inspect(error)}`
  }
  process.printError(`${text}\n\nNode.js ${process.object.version}\n`)
}
