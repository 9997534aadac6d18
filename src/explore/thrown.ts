/** What a run has thrown, on its way from one thread to another: an error loses its class and its code there. */
import { inspect } from 'node:util'
import { UsageError } from '../kernel/errors.ts'

export interface ThrownData {
  readonly iteration: number
  readonly name: string
  readonly message: string
  readonly code: string | null
  readonly stack: string | null
}

export function thrownData(iteration: number, thrown: unknown): ThrownData {
  if (!(thrown instanceof Error))
    return { iteration, name: 'Error', message: inspect(thrown), code: null, stack: null }
  const { name, message, stack } = thrown
  const { code } = thrown as { code?: unknown }
  return { iteration, name, message, code: typeof code === 'string' ? code : null, stack: stack ?? null }
}

/** The error again, which says where it comes from. */
export function thrownOf({ iteration, name, message, code, stack }: ThrownData): Error {
  const told = `${message} (schedule ${iteration}, in a worker thread)`
  const error =
    name === 'UsageError'
      ? new UsageError(code ?? '', told)
      : Object.assign(new Error(told), { name, ...(code === null ? {} : { code }) })
  if (stack !== null) error.stack = stack.replace(message, () => told)
  return error
}
