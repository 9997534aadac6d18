/** The message that Node prints on stderr when an exception ends a process. */
import { ProcessSlot } from './process-slot.ts'
import type { RunningProcess } from './running-process.ts'

/** Errors by which the tank refused a module. Loaders of native packages often throw an error of their own instead. */
export const refusals = new ProcessSlot<Error[]>()

export function printUncaught(process: RunningProcess, error: unknown): void {
  const { inspect } = process.modules.require('internal/util/inspect')
  let text: string
  if (error instanceof Error && typeof error.stack === 'string') {
    const extra = Object.keys(error).length > 0 || error.cause !== undefined
    text = extra ? inspect(error) : error.stack
  } else {
    text = `Uncaught:\n${inspect(error)}`
  }
  for (const { name, message, code } of (refusals.get(process) ?? []) as NodeJS.ErrnoException[])
    if (!text.includes(message)) text += `\n${name} [${code}]: ${message}`
  process.printError(`${text}\n\nNode.js ${process.object.version}\n`)
}
