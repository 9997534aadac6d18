/**
 * `fs.openAsBlob` on the simulated disk. Node's blob of a file reads it when it is read, and fails when the file has
 * changed since. Ours takes the bytes when it is made, since parts of native blobs must be native, and looks at the
 * file again whenever a reader is asked for: a program sees the same, except that memory holds the file.
 */
import type { BigIntStats } from 'node:fs'
import { running } from '../../process/current.ts'
import type { Internals } from '../../library/internals.ts'

/** Any file, for a sample. Taken when this module loads: during a burst, `process` is a simulated one. */
const REAL_FILE = process.execPath

/** Node's `BlobReader` reports by a number: the end is 0, data 1, an error anything below. */
const FAILED = -1

interface Reader {
  pull(callback: (status: number, buffer?: ArrayBuffer) => void): void
}

interface BlobHandle {
  getReader(): Reader
  slice(start: number, end: number): BlobHandle
}

type CreateFileBlob = (path: string | Buffer, options?: { readonly type?: string }) => unknown

/** What takes the place of `createBlobFromFilePath` of `internal/blob`. */
export function fileBlobs(blob: any, internals: Internals): CreateFileBlob {
  const { createBlob } = internals.internalBinding('blob')
  const notCloneable = internalSymbol(blob.createBlobFromFilePath(REAL_FILE) as object, 'kNotCloneable')

  return (path, options) => {
    const fs = running!.modules.require('fs')
    const stat = (): BigIntStats | undefined => fs.statSync(path, { bigint: true, throwIfNoEntry: false })
    const made = attempt(stat)
    if (made === undefined) throw unopenable()
    const bytes = attempt((): Uint8Array => Uint8Array.from(fs.readFileSync(path) as Uint8Array))
    const readable = (): boolean => {
      const now = attempt(stat)
      return bytes !== undefined && now?.size === made.size && now.mtimeNs === made.mtimeNs
    }
    const size = Number(made.size)
    const content = bytes?.byteLength === size ? bytes : new Uint8Array(size)
    const handle = guarded(createBlob([content], size) as BlobHandle, readable)
    const file = blob.createBlob(handle, size, options?.type)
    if (notCloneable !== undefined) file[notCloneable] = true
    return file
  }
}

/** A native handle that hands out readers only while its file is as it was. */
function guarded(handle: BlobHandle, readable: () => boolean): BlobHandle {
  const getReader = handle.getReader.bind(handle)
  const slice = handle.slice.bind(handle)
  const failing: Reader = { pull: (callback) => callback(FAILED) }
  handle.getReader = () => (readable() ? getReader() : failing)
  handle.slice = (start, end) => guarded(slice(start, end), readable)
  return handle
}

/** As native code makes it. */
function unopenable(): Error {
  return Object.assign(new TypeError('Unable to open file as blob'), { code: 'ERR_INVALID_ARG_VALUE' })
}

function attempt<T>(action: () => T): T | undefined {
  try {
    return action()
  } catch {
    return undefined
  }
}

function internalSymbol(sample: object, description: string): symbol | undefined {
  return Object.getOwnPropertySymbols(sample).find((symbol) => symbol.description === description)
}
