/** Errors of file operations, made as Node's C++ makes them: same text, same properties in the same order. */
import { DiskFailure } from '../../../world/disk/errno.ts'
import { takeInternals } from '../../library/internals.ts'
import { uvCode } from '../binding.ts'

/** The subject of an operation, for the error's text. */
export interface Subject {
  readonly syscall: string
  readonly path?: string
  readonly dest?: string
}

let texts: Map<string, string> | undefined

function textOf(code: string): string {
  if (texts === undefined) {
    texts = new Map()
    for (const [label, text] of takeInternals().internalBinding('uv').getErrorMap().values())
      texts.set(label, text)
  }
  return texts.get(code) ?? 'unknown error'
}

/** An error thrown to the caller of a synchronous operation; its stack begins at who called `below`. */
export function syncError(code: string, subject: Subject, below: (...args: any[]) => unknown): Error {
  const error = describe(new Error(messageOf(code, subject)), code, subject)
  Error.captureStackTrace(error, below)
  return error
}

/** An error handed to a callback or a promise: it has no stack frames. */
export function asyncError(code: string, subject: Subject): Error {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  const error = new Error(messageOf(code, subject))
  Error.stackTraceLimit = stackTraceLimit
  return describe(error, code, subject)
}

/** The code of a failed disk operation; anything else that was thrown goes on. */
export function codeOf(failure: unknown): string {
  if (failure instanceof DiskFailure) return failure.code
  throw failure
}

function messageOf(code: string, { syscall, path, dest }: Subject): string {
  let message = `${code}: ${textOf(code)}, ${syscall}`
  if (path !== undefined) message += ` '${path}'`
  if (dest !== undefined) message += ` -> '${dest}'`
  return message
}

function describe(error: Error, code: string, { syscall, path, dest }: Subject): Error {
  const target = error as unknown as Record<string, unknown>
  target.errno = uvCode(code)
  target.code = code
  target.syscall = syscall
  if (path !== undefined) target.path = path
  if (dest !== undefined) target.dest = dest
  return error
}
