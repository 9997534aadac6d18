/**
 * Typed arrays to work in. Large ones lie in shared memory, though nothing is shared: V8 counts ordinary array buffers
 * as pressure on the heap and marks all of it, a million transactions, for every 64 MB of them; measured, that took
 * more time than the check itself. Shared memory is not counted there, and is freed like any other.
 * A check's budget counts both, and is asked before a large one is made.
 */
import { reserve } from './budget.ts'

/** Bytes from which on it pays. */
const LARGE = 1 << 20

function memory(bytes: number): ArrayBufferLike {
  if (bytes < LARGE) return new ArrayBuffer(bytes)
  reserve(bytes)
  return new SharedArrayBuffer(bytes)
}

/** Filled with zeros, or with a value. */
export function int32(length: number, fill = 0): Int32Array {
  const array = new Int32Array(memory(length * 4))
  return fill === 0 ? array : array.fill(fill)
}

export function uint8(length: number, fill = 0): Uint8Array {
  const array = new Uint8Array(memory(length))
  return fill === 0 ? array : array.fill(fill)
}

/** A copy, with room for more. */
export function copyInt32(from: Int32Array, length = from.length): Int32Array {
  const array = int32(length)
  array.set(from)
  return array
}

export function copyUint8(from: Uint8Array, length = from.length): Uint8Array {
  const array = uint8(length)
  array.set(from)
  return array
}
