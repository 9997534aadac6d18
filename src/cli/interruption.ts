/**
 * Ctrl-C and SIGTERM as a signal to finish: the first ends what runs and lets the command report what it has, the second
 * ends the process at once, with the code that shells use for the signal.
 */
import { constants } from 'node:os'

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/** Calls `use` with a signal that the user can raise. */
export async function interruptible<T>(use: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  const raise = (name: (typeof SIGNALS)[number]): void => {
    if (controller.signal.aborted) process.exit(128 + constants.signals[name])
    process.stderr.write('\nwavetank: interrupted; finishing the report. Once more ends it at once\n')
    controller.abort()
  }
  for (const name of SIGNALS) process.on(name, raise)
  try {
    return await use(controller.signal)
  } finally {
    for (const name of SIGNALS) process.off(name, raise)
  }
}
