/** An error of a run as plain data: between threads an error loses its class and its code. */
import { inspect } from 'node:util'
import { UsageError } from '../../kernel/errors.ts'

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

/** The error again; its message says which schedule of which thread threw it. */
export function thrownOf({ iteration, name, message, code, stack }: ThrownData): Error {
  const text = `${message} (schedule ${iteration}, in a worker thread)`
  const error =
    name === 'UsageError'
      ? new UsageError(code ?? '', text)
      : Object.assign(new Error(text), { name, ...(code === null ? {} : { code }) })
  if (stack !== null) error.stack = stack.replace(message, () => text)
  return error
}
