/** The members of `fs` that open, read, write and sync files. */
import { Buffer } from 'node:buffer'
import type { FileView } from '../../world/disk/file-view.ts'
import { close, open } from '../../world/disk/open.ts'
import { fdatasync, fsync, ftruncate, read, write } from '../../world/disk/read-write.ts'
import { current } from '../current.ts'
import type { Binding } from '../internals.ts'
import type { NodeThread } from '../thread.ts'
import { checkDescriptor } from './fs-checks.ts'
import { codeOf, syncError } from './fs-errors.ts'
import { FileHandle } from './fs-file-handle.ts'
import { type Arguments, bytesOf, operation } from './fs-operation.ts'
import { pathOf } from './fs-path.ts'
import { filesOf } from './fs-view.ts'
import { descriptorClosed, descriptorOpened } from './unmanaged-descriptors.ts'

const CHUNK_BYTES = 64 * 1024
/** How fast data goes through: two gigabytes a second. */
const BYTES_PER_US = 2000

export function dataMembers(_thread: NodeThread): Binding {
  const onDescriptor = (args: Arguments): void => checkDescriptor(args[0])
  return {
    open: operation({
      syscall: 'open',
      inputs: 3,
      path: 0,
      run: (view, [path, flags, mode]) => descriptorOpened(open(view, pathOf(path), flags, mode)),
    }),
    openFileHandle: operation({
      syscall: 'open',
      inputs: 3,
      path: 0,
      run: (view, [path, flags, mode]) => new FileHandle(open(view, pathOf(path), flags, mode)),
    }),
    close: operation({
      syscall: 'close',
      inputs: 1,
      check: onDescriptor,
      run: (view, [fd]) => {
        descriptorClosed(fd)
        return close(view, fd)
      },
    }),
    read: operation({
      syscall: 'read',
      inputs: 5,
      check: onDescriptor,
      run: (view, [fd, buffer, offset, length, position]) =>
        read(view, fd, bytesOf(buffer, offset, length), positionOf(position)),
      latencyUs: (_view, args) => Math.floor(args[3] / BYTES_PER_US),
    }),
    readBuffers: operation({
      syscall: 'read',
      inputs: 3,
      check: onDescriptor,
      run: (view, [fd, buffers, position]) => readInto(view, fd, buffers, positionOf(position)),
    }),
    writeBuffer: operation({
      syscall: 'write',
      inputs: 5,
      check: onDescriptor,
      run: (view, [fd, buffer, offset, length, position]) =>
        write(view, fd, bytesOf(buffer, offset ?? 0, length ?? undefined), positionOf(position)),
      latencyUs: (_view, args) => Math.floor((args[3] ?? 0) / BYTES_PER_US),
    }),
    writeBuffers: operation({
      syscall: 'write',
      inputs: 3,
      check: onDescriptor,
      run: (view, [fd, buffers, position]) => writeFrom(view, fd, buffers, positionOf(position)),
    }),
    writeString: operation({
      syscall: 'write',
      inputs: 4,
      check: onDescriptor,
      run: (view, [fd, text, position, encoding]) =>
        write(view, fd, Buffer.from(text, encoding ?? 'utf8'), positionOf(position)),
    }),
    fsync: operation({
      syscall: 'fsync',
      inputs: 1,
      check: onDescriptor,
      run: (view, [fd]) => fsync(view, fd),
      latencyUs: syncLatencyUs,
    }),
    fdatasync: operation({
      syscall: 'fdatasync',
      inputs: 1,
      check: onDescriptor,
      run: (view, [fd]) => fdatasync(view, fd),
      latencyUs: syncLatencyUs,
    }),
    ftruncate: operation({
      syscall: 'ftruncate',
      inputs: 2,
      check: onDescriptor,
      run: (view, [fd, size]) => ftruncate(view, fd, Number(size)),
    }),
    readFileUtf8,
    writeFileUtf8,
  }
}

/** Reads a whole file as text: the short way of `readFileSync(path, 'utf8')`. */
function readFileUtf8(target: unknown, flags: number): string {
  const view = filesOf(current())
  const fd = openOrKeep(view, target, flags, 0o666, readFileUtf8)
  try {
    return readAll(view, fd).toString('utf8')
  } catch (failure) {
    throw syncError(codeOf(failure), { syscall: 'read' }, readFileUtf8)
  } finally {
    if (typeof target !== 'number') close(view, fd)
  }
}

function writeFileUtf8(target: unknown, text: string | Uint8Array, flags: number, mode: number): void {
  const view = filesOf(current())
  const fd = openOrKeep(view, target, flags, mode, writeFileUtf8)
  try {
    writeAll(view, fd, Buffer.from(text as string))
  } catch (failure) {
    throw syncError(codeOf(failure), { syscall: 'write' }, writeFileUtf8)
  } finally {
    if (typeof target !== 'number') close(view, fd)
  }
}

function openOrKeep(
  view: FileView,
  target: unknown,
  flags: number,
  mode: number,
  below: (...args: any[]) => unknown,
): number {
  if (typeof target === 'number') return target
  const path = pathOf(target)
  try {
    return open(view, path, flags, mode)
  } catch (failure) {
    throw syncError(codeOf(failure), { syscall: 'open', path }, below)
  }
}

/** Reads from the descriptor's position to the end. */
export function readAll(view: FileView, fd: number): Buffer {
  const chunks: Buffer[] = []
  let size = Math.max(CHUNK_BYTES, 1)
  const { inode } = view.descriptors.get(fd)
  if ('size' in inode) size = Math.max(1, (inode.size as number) + 1)
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

function readInto(
  view: FileView,
  fd: number,
  buffers: readonly ArrayBufferView[],
  position: number | null,
): number {
  let total = 0
  for (const buffer of buffers) {
    const count = read(view, fd, bytesOf(buffer), position === null ? null : position + total)
    total += count
    if (count < buffer.byteLength) break
  }
  return total
}

function writeFrom(
  view: FileView,
  fd: number,
  buffers: readonly ArrayBufferView[],
  position: number | null,
): number {
  let total = 0
  for (const buffer of buffers) {
    const count = write(view, fd, bytesOf(buffer), position === null ? null : position + total)
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

/** A flush to the medium takes from half a millisecond to two and a half. */
function syncLatencyUs(view: FileView): number {
  return 500 + view.disk.faults.stream('sync latency').below(2000)
}
