/** Argument checks that Node's C++ makes itself since version 22, with the texts it uses. */
import { takeInternals } from '../../library/internals.ts'

const validators = takeInternals().require('internal/validators')
const { codes } = takeInternals().require('internal/errors')

const MAX_INT32 = 2 ** 31 - 1

export function checkDescriptor(fd: unknown): void {
  if (typeof fd === 'number' && fd >= 0 && (fd | 0) === fd) return
  validators.validateInt32(fd, 'fd', 0, MAX_INT32)
}

export function checkMode(mode: unknown): void {
  if (mode === undefined || mode === null) return
  if (typeof mode !== 'number')
    throw asTypeError('ERR_INVALID_ARG_TYPE', 'mode must be int32 or null/undefined')
  if (!Number.isFinite(mode)) throw asRangeError('mode is out of range')
  if (mode < 0 || mode > 7) throw asRangeError('mode is out of range: >= 0 && <= 7')
}

function asRangeError(message: string): Error {
  return Object.assign(new RangeError(message), { code: 'ERR_OUT_OF_RANGE' })
}

function asTypeError(code: string, message: string): Error {
  return Object.assign(new TypeError(message), { code })
}

/** An error class of Node's own, by its code. */
export function nodeError(code: string): new (...args: any[]) => Error {
  return codes[code]
}
