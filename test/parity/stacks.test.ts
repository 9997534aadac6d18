/** What the stack of an error shows: what awaits it, too, and nothing of what runs the program. */
import { describe } from 'vitest'
import { same } from './parity.ts'

describe('the stack of an error', () => {
  same('shows who awaits the function that threw', async (log) => {
    const inner = async (wait: () => Promise<unknown>): Promise<void> => {
      await wait()
      throw new Error('thrown')
    }
    const middle = async (wait: () => Promise<unknown>): Promise<void> => await inner(wait)
    const waits = {
      microtask: async () => {},
      immediate: () => new Promise((resolve) => setImmediate(resolve)),
      timer: () => new Promise((resolve) => setTimeout(resolve, 1)),
    }
    for (const [name, wait] of Object.entries(waits)) {
      const outer = async (): Promise<void> => await middle(wait)
      await outer().catch((error: unknown) => log(name, (error as Error).stack))
    }
  })

  same('shows who awaits a call of the file system that failed', async (log, require) => {
    const { readFile } = require('node:fs/promises')
    const outer = async (): Promise<void> => await readFile('/no/such/file')
    await outer().catch((error: unknown) => log((error as Error).stack))
  })

  same('shows ten frames', async (log) => {
    const inner = async (deep: number): Promise<void> => {
      await Promise.resolve()
      if (deep === 0) throw new Error('thrown')
      await inner(deep - 1)
    }
    await inner(30).catch((error: unknown) => log((error as Error).stack))
  })

  same('ends at the loop, however many frames are asked for', async (log) => {
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 100
    await new Promise<void>((resolve) =>
      setTimeout(() => {
        log(new Error('here').stack)
        resolve()
      }, 1),
    )
    Error.stackTraceLimit = stackTraceLimit
  })
})
