/** The members of `fs` that open, read, write and sync files. */
import { Buffer } from 'node:buffer'
import { floor } from '../../../kernel/arithmetic.ts'
import type { FileView } from '../../../world/disk/file-view.ts'
import { close, open } from '../../../world/disk/open.ts'
import { fdatasync, fsync, ftruncate, read, write } from '../../../world/disk/read-write.ts'
import { current } from '../../process/current.ts'
import type { Binding } from '../../library/internals.ts'
import { checkDescriptor } from './checks.ts'
import { codeOf, syncError } from './errors.ts'
import { FileHandle } from './file-handle.ts'
import { type Arguments, bytesOf, operation, type Operation } from './operation.ts'
import { pathOf } from './path.ts'
import { filesOf } from './view.ts'
import { descriptorClosed, descriptorOpened } from './unmanaged-descriptors.ts'

const CHUNK_BYTES = 64 * 1024
/** How fast data goes through: two gigabytes a second. */
const BYTES_PER_US = 2000

export function dataMembers(): Binding {
  return {
    open: opening((fd) => descriptorOpened(fd)),
    openFileHandle: opening((fd) => new FileHandle(fd)),
    close: onDescriptor('close', 1, (view, [fd]) => {
      descriptorClosed(fd)
      return close(view, fd)
    }),
    read: onDescriptor(
      'read',
      5,
      (view, [fd, buffer, offset, length, position]) =>
        read(view, fd, bytesOf(buffer, offset, length), positionOf(position)),
      transferUs,
    ),
    readBuffers: onDescriptor('read', 3, (view, [fd, buffers, position]) =>
      transferAll(read, view, fd, buffers, positionOf(position)),
    ),
    writeBuffer: onDescriptor(
      'write',
      5,
      (view, [fd, buffer, offset, length, position]) =>
        write(view, fd, bytesOf(buffer, offset ?? 0, length ?? undefined), positionOf(position)),
      transferUs,
    ),
    writeBuffers: onDescriptor('write', 3, (view, [fd, buffers, position]) =>
      transferAll(write, view, fd, buffers, positionOf(position)),
    ),
    writeString: onDescriptor('write', 4, (view, [fd, text, position, encoding]) =>
      write(view, fd, Buffer.from(text, encoding ?? 'utf8'), positionOf(position)),
    ),
    fsync: onDescriptor('fsync', 1, (view, [fd]) => fsync(view, fd), syncLatencyUs),
    fdatasync: onDescriptor('fdatasync', 1, (view, [fd]) => fdatasync(view, fd), syncLatencyUs),
    ftruncate: onDescriptor('ftruncate', 2, (view, [fd, size]) => ftruncate(view, fd, Number(size))),
    readFileUtf8,
    writeFileUtf8,
  }
}

type Member = ReturnType<typeof operation>

function opening(made: (fd: number) => unknown): Member {
  return operation({
    syscall: 'open',
    inputs: 3,
    path: 0,
    run: (view, [path, flags, mode]) => made(open(view, pathOf(path), flags, mode)),
  })
}

function onDescriptor(
  syscall: string,
  inputs: number,
  run: Operation['run'],
  latencyUs?: Operation['latencyUs'],
): Member {
  const check = (args: Arguments): void => checkDescriptor(args[0])
  return operation({ syscall, inputs, check, run, ...(latencyUs && { latencyUs }) })
}

/** Reads a whole file as text: the short way of `readFileSync(path, 'utf8')`. */
function readFileUtf8(target: unknown, flags: number): string {
  const file = { target, flags, mode: 0o666, syscall: 'read', below: readFileUtf8 }
  return withFile(file, (view, fd) => readAll(view, fd).toString('utf8'))
}

function writeFileUtf8(target: unknown, text: string | Uint8Array, flags: number, mode: number): void {
  const file = { target, flags, mode, syscall: 'write', below: writeFileUtf8 }
  withFile(file, (view, fd) => writeAll(view, fd, Buffer.from(text as string)))
}

interface UsedFile {
  /** A path, to be opened and closed again; or a descriptor, to be left as it is. */
  readonly target: unknown
  readonly flags: number
  readonly mode: number
  /** What fails when the file was opened. */
  readonly syscall: string
  /** Whose caller an error's stack begins at. */
  readonly below: (...args: any[]) => unknown
}

function withFile<T>(
  { target, flags, mode, syscall, below }: UsedFile,
  use: (view: FileView, fd: number) => T,
): T {
  const view = filesOf(current())
  let fd: number
  if (typeof target === 'number') fd = target
  else {
    const path = pathOf(target)
    try {
      fd = open(view, path, flags, mode)
    } catch (failure) {
      throw syncError(codeOf(failure), { syscall: 'open', path }, below)
    }
  }
  try {
    return use(view, fd)
  } catch (failure) {
    throw syncError(codeOf(failure), { syscall }, below)
  } finally {
    if (typeof target !== 'number') close(view, fd)
  }
}

/** Reads from the descriptor's position to the end. */
export function readAll(view: FileView, fd: number): Buffer {
  const chunks: Buffer[] = []
  const { inode } = view.descriptors.get(fd)
  // One byte more than there is, so that the end shows in the first read.
  let size = 'size' in inode ? (inode.size as number) + 1 : CHUNK_BYTES
  for (;;) {
    const chunk = Buffer.allocUnsafeSlow(size)
    const count = read(view, fd, chunk, null)
    if (count === 0) break
    chunks.push(chunk.subarray(0, count))
    size = CHUNK_BYTES
  }
  return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)
}

/** Writes all bytes, however many calls that takes. */
export function writeAll(view: FileView, fd: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length;) done += write(view, fd, bytes.subarray(done), null)
}

/** Reads into or writes from one buffer after the other, up to the first that is not filled or not taken. */
function transferAll(
  transfer: typeof read | typeof write,
  view: FileView,
  fd: number,
  buffers: readonly ArrayBufferView[],
  position: number | null,
): number {
  let total = 0
  for (const buffer of buffers) {
    const count = transfer(view, fd, bytesOf(buffer), position === null ? null : position + total)
    total += count
    if (count < buffer.byteLength) break
  }
  return total
}

/** A file position; anything that is none (null, −1) means the descriptor's own. */
function positionOf(value: unknown): number | null {
  if (typeof value === 'bigint') return value < 0n ? null : Number(value)
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null
}

/** The length stands fourth; it may be left out of a write. */
function transferUs(_view: FileView, args: Arguments): number {
  return floor((args[3] ?? 0) / BYTES_PER_US)
}

/** A flush to the medium takes from half a millisecond to two and a half. */
function syncLatencyUs(view: FileView): number {
  return 500 + view.disk.faults.stream('sync latency').below(2000)
}
