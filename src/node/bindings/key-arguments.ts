/**
 * How native calls of `crypto` take a key: its data, format, type and passphrase as four arguments in a row. Late versions
 * of Node 24 and all of 26 have a fifth, the name of a curve. What stands behind them tells which form a call has.
 */
import { isAnyArrayBuffer } from 'node:util/types'
import type { Binding } from '../library/internals.ts'

/** The arguments that describe a key; `init` of a native key takes exactly these. */
export type KeyArguments = readonly any[]

const SHORT = 4

/** Parts the arguments of a call that takes a key and bytes to work on. */
export function partAtData(args: readonly any[]): [key: KeyArguments, rest: readonly any[]] {
  const data = args[SHORT]
  const length = ArrayBuffer.isView(data) || isAnyArrayBuffer(data) ? SHORT : SHORT + 1
  return [args.slice(0, length), args.slice(length)]
}

/** The native key that a call was given, or one made of what describes it. It throws where OpenSSL cannot read a key. */
export function nativeKey(real: Binding, kind: number, [data, ...form]: KeyArguments): any {
  if (data instanceof real.KeyObjectHandle) return data
  const key = new real.KeyObjectHandle()
  key.init(kind, data, ...form.map((part) => part ?? null))
  return key
}
