/**
 * The error codes of the protocol. A definite error says that the operation did not happen and never will; after an
 * indefinite one it may have happened. Codes that are not listed, such as those from 1000 on, are indefinite.
 */
export interface ErrorCode {
  readonly name: string
  readonly definite: boolean
}

export const ERROR_CODES: Readonly<Record<number, ErrorCode>> = {
  0: { name: 'timeout', definite: false },
  1: { name: 'node-not-found', definite: true },
  10: { name: 'not-supported', definite: true },
  11: { name: 'temporarily-unavailable', definite: true },
  12: { name: 'malformed-request', definite: true },
  13: { name: 'crash', definite: false },
  14: { name: 'abort', definite: true },
  20: { name: 'key-does-not-exist', definite: true },
  21: { name: 'key-already-exists', definite: true },
  22: { name: 'precondition-failed', definite: true },
  30: { name: 'txn-conflict', definite: true },
}

export function errorCode(code: number): ErrorCode {
  return Object.hasOwn(ERROR_CODES, code) ? ERROR_CODES[code] : { name: 'unknown', definite: false }
}
