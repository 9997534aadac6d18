/**
 * Reading and writing open files, and getting them to the medium: read, write, truncate, fsync, fdatasync, with the
 * faults that belong to each. A position of null is the file's own, which then moves.
 */
import { ceil, min } from '../../kernel/arithmetic.ts'
import { Directory } from './directory.ts'
import type { Disk } from './disk.ts'
import { fail } from './errno.ts'
import type { FileView } from './file-view.ts'
import { DeviceInode, FileInode } from './inode.ts'
import { isReadable, isWritable, O_APPEND, O_DSYNC, O_NOATIME } from './open-flags.ts'
import { isBefore } from './timestamp.ts'
import { notifyChange } from './watch.ts'

const DAY_SECONDS = 86_400
const MAX_FILE_BYTES = 2 ** 44 - 4096

export function read(view: FileView, fd: number, target: Uint8Array, position: number | null): number {
  const file = view.descriptors.get(fd)
  if (!isReadable(file.flags)) fail('EBADF')
  const { inode } = file
  if (inode instanceof DeviceInode) return inode.device.read(target)
  if (inode.kind === 'directory') fail('EISDIR')
  if (!(inode instanceof FileInode)) fail('EINVAL')
  const at = position ?? file.position
  const { faults } = view.disk
  const vulnerable = !inode.isPristine
  if (vulnerable && faults.strikes('read-error', faults.rates.readErrorPpm)) {
    faults.land('read-error', inode.ino)
    fail('EIO')
  }
  if (vulnerable && target.length > 0) rot(view.disk, inode, at, target.length)
  const count = inode.data.read(at, vulnerable ? shortened(view.disk, inode, target) : target)
  if (position === null) file.position = at + count
  if ((file.flags & O_NOATIME) === 0) touchAtime(view.disk, inode)
  return count
}

/** The part of a read's target that is filled: all of it, unless a fault cuts it short. */
function shortened({ faults }: Disk, inode: FileInode, target: Uint8Array): Uint8Array {
  if (target.length < 2 || !faults.strikes('short-read', faults.rates.shortReadPpm)) return target
  faults.land('short-read', inode.ino)
  return target.subarray(0, 1 + faults.stream('short read length').below(target.length - 1))
}

export function write(view: FileView, fd: number, bytes: Uint8Array, position: number | null): number {
  const file = view.descriptors.get(fd)
  if (!isWritable(file.flags)) fail('EBADF')
  const { inode } = file
  if (inode instanceof DeviceInode) return inode.device.write(bytes)
  if (!(inode instanceof FileInode)) fail('EINVAL')
  const { disk } = view
  const isAppend = (file.flags & O_APPEND) !== 0
  // Linux appends even where pwrite names a position.
  const at = isAppend ? inode.data.size : (position ?? file.position)
  const taken = strikeWrite(disk, inode, bytes)
  if (at + taken.length > MAX_FILE_BYTES) fail('EFBIG')
  const count = writeInode(disk, inode, at, taken)
  if (position === null) file.position = at + count
  if ((file.flags & O_DSYNC) !== 0) syncData(disk, inode)
  if (count > 0) notifyChange(file)
  return count
}

/** Puts bytes into a file, open or not. */
export function writeInode(disk: Disk, inode: FileInode, at: number, bytes: Uint8Array): number {
  const { now, hash } = disk.kernel
  let count: number
  try {
    count = inode.data.write(at, bytes, now)
  } catch (failure) {
    disk.faults.land('no-space', inode.ino)
    throw failure
  }
  hash.addWide(inode.ino)
  hash.addWide(at)
  hash.addBytes(count === bytes.length ? bytes : bytes.subarray(0, count), 'writes')
  touchMtime(disk, inode)
  return count
}

export function ftruncate(view: FileView, fd: number, size: number): void {
  const file = view.descriptors.get(fd)
  if (!isWritable(file.flags) || !(file.inode instanceof FileInode)) fail('EINVAL')
  if (size < 0) fail('EINVAL')
  if (size > MAX_FILE_BYTES) fail('EFBIG')
  truncateInode(view, file.inode, size)
  notifyChange(file)
}

export function truncateInode(view: FileView, inode: FileInode, size: number): void {
  const { now, hash } = view.disk.kernel
  hash.addWide(inode.ino)
  hash.addWide(size)
  inode.data.truncate(size, now)
  touchMtime(view.disk, inode)
}

/** fsync: of a file its data and attributes, of a directory its names. */
export function fsync(view: FileView, fd: number): void {
  const { inode } = view.descriptors.get(fd)
  if (inode instanceof FileInode) {
    if (!syncData(view.disk, inode)) return
    view.disk.commitJournal()
    inode.durableAttributes = null
  } else if (inode instanceof Directory) {
    if (!syncSucceeds(view.disk, inode.ino)) return
    view.disk.names.syncDirectory(inode)
    view.disk.commitJournal()
    view.disk.medium.changes++
    inode.durableAttributes = null
  } else {
    fail('EINVAL')
  }
}

/** fdatasync: what is needed to read the data again, not times and modes. */
export function fdatasync(view: FileView, fd: number): void {
  const { inode } = view.descriptors.get(fd)
  if (inode instanceof FileInode) syncData(view.disk, inode)
  else fsync(view, fd)
}

/** Returns false where the sync lied. */
function syncData(disk: Disk, inode: FileInode): boolean {
  const { faults } = disk
  const { data } = inode
  if (data.hasUnsynced && !inode.isPristine) {
    if (faults.strikes('sync-error', faults.rates.syncErrorPpm)) {
      faults.land('sync-error', inode.ino)
      data.abandonDirty()
      fail('EIO')
    }
    if (faults.strikes('lying-sync', faults.rates.lyingSyncPpm)) {
      faults.land('lying-sync', inode.ino)
      return false
    }
    strikePages(disk, inode)
  }
  if (data.hasNewPlaces) disk.commitJournal()
  data.sync()
  return true
}

function syncSucceeds(disk: Disk, ino: number): boolean {
  const { faults } = disk
  if (disk.names.length === 0) return true
  if (faults.strikes('sync-error', faults.rates.syncErrorPpm)) {
    faults.land('sync-error', ino)
    fail('EIO')
  }
  if (!faults.strikes('lying-sync', faults.rates.lyingSyncPpm)) return true
  faults.land('lying-sync', ino)
  return false
}

/** Faults of single pages on their way to the medium. They show after the cache is gone: after power loss. */
function strikePages(disk: Disk, inode: FileInode): void {
  const { faults } = disk
  const { phantomWritePpm, misdirectedWritePpm } = faults.rates
  if (phantomWritePpm === 0 && misdirectedWritePpm === 0) return
  const { data } = inode
  for (const index of data.dirty.keys()) {
    if (faults.strikes('phantom-write', phantomWritePpm)) {
      data.loseQuietly(index)
      faults.land('phantom-write', inode.ino)
    } else if (faults.strikes('misdirected-write', misdirectedWritePpm)) {
      const pages = ceil(data.size / 4096)
      if (pages < 2) continue
      const target = (index + 1 + faults.stream('misdirected page').below(pages - 1)) % pages
      data.misdirect(index, target)
      faults.land('misdirected-write', inode.ino)
    }
  }
}

/** The part of the bytes that is really written. */
function strikeWrite(disk: Disk, inode: FileInode, bytes: Uint8Array): Uint8Array {
  const { faults } = disk
  if (faults.strikes('write-error', faults.rates.writeErrorPpm)) {
    faults.land('write-error', inode.ino)
    fail('EIO')
  }
  if (bytes.length < 2 || !faults.strikes('short-write', faults.rates.shortWritePpm)) return bytes
  faults.land('short-write', inode.ino)
  return bytes.subarray(0, bytes.length - 1 - faults.stream('short write length').below(bytes.length - 1))
}

function rot(disk: Disk, inode: FileInode, at: number, length: number): void {
  const { faults } = disk
  const reach = min(length, inode.data.size - at)
  if (reach <= 0 || !faults.strikes('bit-rot', faults.rates.bitRotPpm)) return
  const stream = faults.stream('rotten bit')
  inode.data.flipBit(at + stream.below(reach), stream.below(8))
  faults.land('bit-rot', inode.ino)
}

function touchMtime(disk: Disk, inode: FileInode): void {
  disk.changes.note(inode)
  inode.noteAttributes(disk.kernel.now)
  const time = disk.time()
  inode.mtime = time
  inode.ctime = time
}

/** As mounted with `relatime`: once after a change, and once a day. */
function touchAtime(disk: Disk, inode: FileInode): void {
  const time = disk.time()
  if (isBefore(inode.mtime, inode.atime) && time.sec - inode.atime.sec < DAY_SECONDS) return
  inode.atime = time
}
