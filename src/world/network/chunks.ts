/** Lists of byte chunks, as `writev` takes them: measured, copied and cut without joining them first. */

export function lengthOf(chunks: readonly Uint8Array[]): number {
  let length = 0
  for (const chunk of chunks) length += chunk.length
  return length
}

/** The first `size` bytes of the chunks, in a buffer of their own. */
export function gather(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const bytes = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    if (at + chunk.length > size) {
      bytes.set(chunk.subarray(0, size - at), at)
      break
    }
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}

/** The rest of the chunks after the first `size` bytes. */
export function skip(chunks: readonly Uint8Array[], size: number): Uint8Array[] {
  const rest: Uint8Array[] = []
  for (const chunk of chunks) {
    if (size >= chunk.length) size -= chunk.length
    else {
      rest.push(size === 0 ? chunk : chunk.subarray(size))
      size = 0
    }
  }
  return rest
}
