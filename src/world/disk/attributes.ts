/** Reads and changes the attributes of inodes: stat, statfs, access, chmod, chown, utimes. */
import { Directory } from './directory.ts'
import { fail } from './errno.ts'
import type { FileView } from './file-view.ts'
import { DeviceInode, FileInode, type Inode, SymlinkInode, typeBits } from './inode.ts'
import { find, walk } from './path-walk.ts'
import { PAGE_BYTES } from './space.ts'
import type { Timestamp } from './timestamp.ts'
import { notify } from './watch.ts'

export interface Stat {
  readonly dev: number
  readonly mode: number
  readonly nlink: number
  readonly uid: number
  readonly gid: number
  readonly rdev: number
  readonly blksize: number
  readonly ino: number
  readonly size: number
  readonly blocks: number
  readonly atime: Timestamp
  readonly mtime: Timestamp
  readonly ctime: Timestamp
  readonly birthtime: Timestamp
}

export type NewTimes = Pick<Stat, 'atime' | 'mtime'>

export interface StatFs {
  readonly type: number
  readonly bsize: number
  readonly blocks: number
  readonly bfree: number
  readonly bavail: number
  readonly files: number
  readonly ffree: number
}

/** One device for the whole disk: nothing a program does crosses a file system. */
const DEVICE = 0x801
const EXT4_MAGIC = 0xef53
const INODES = 4_194_304

export function stat(view: FileView, path: string, follow: boolean): Stat {
  return statOf(find(view, path, follow))
}

export function fstat(view: FileView, fd: number): Stat {
  return statOf(view.descriptors.get(fd).inode)
}

function statOf(inode: Inode): Stat {
  const isDirectory = inode instanceof Directory
  let size = 0
  let blocks = 0
  if (inode instanceof FileInode) {
    size = inode.size
    blocks = inode.blocks
  } else if (isDirectory) {
    size = PAGE_BYTES
    blocks = PAGE_BYTES / 512
  } else if (inode instanceof SymlinkInode) {
    size = inode.target.length
  }
  return {
    dev: DEVICE,
    mode: typeBits(inode) | inode.permissions,
    nlink: isDirectory && inode.links > 0 ? 2 + inode.subdirectories : inode.links,
    uid: inode.uid,
    gid: inode.gid,
    rdev: inode instanceof DeviceInode ? inode.device.rdev : 0,
    blksize: PAGE_BYTES,
    ino: inode.ino,
    size,
    blocks,
    atime: inode.atime,
    mtime: inode.mtime,
    ctime: inode.ctime,
    birthtime: inode.birthtime,
  }
}

export function statfs(view: FileView, path: string): StatFs {
  find(view, path, true)
  const { space } = view.disk
  const bfree = space.freePages
  return {
    type: EXT4_MAGIC,
    bsize: PAGE_BYTES,
    blocks: space.capacityPages,
    bfree,
    bavail: bfree,
    files: INODES,
    ffree: INODES / 2,
  }
}

export function access(view: FileView, path: string, mask: number): void {
  view.requirePermission(find(view, path, true), mask)
}

export function chmod(view: FileView, path: string, permissions: number): void {
  const { inode, parent, name } = walk(view, path, true)
  if (inode === null) fail('ENOENT')
  changeMode(view, inode, permissions)
  notify(parent, 'change', name)
}

export function fchmod(view: FileView, fd: number, permissions: number): void {
  changeMode(view, view.descriptors.get(fd).inode, permissions)
}

/** A uid or gid of −1 (as unsigned: 2^32 − 1) stays as it is. */
export function chown(view: FileView, path: string, uid: number, gid: number, follow: boolean): void {
  const { inode, parent, name } = walk(view, path, follow)
  if (inode === null) fail('ENOENT')
  changeOwner(view, inode, uid, gid)
  notify(parent, 'change', name)
}

export function fchown(view: FileView, fd: number, uid: number, gid: number): void {
  changeOwner(view, view.descriptors.get(fd).inode, uid, gid)
}

/** Sets both times. */
export function utimes(view: FileView, path: string, times: NewTimes, follow: boolean): void {
  const { inode, parent, name } = walk(view, path, follow)
  if (inode === null) fail('ENOENT')
  changeTimes(view, inode, times)
  notify(parent, 'change', name)
}

export function futimes(view: FileView, fd: number, times: NewTimes): void {
  changeTimes(view, view.descriptors.get(fd).inode, times)
}

function changeMode(view: FileView, inode: Inode, permissions: number): void {
  view.requireOwner(inode)
  touch(view, inode, permissions)
  inode.permissions = permissions
  notify(inode, 'change', null)
}

function changeOwner(view: FileView, inode: Inode, uid: number, gid: number): void {
  const newUid = uid === -1 || uid === 0xffffffff ? inode.uid : uid
  const newGid = gid === -1 || gid === 0xffffffff ? inode.gid : gid
  view.requireOwner(inode)
  // A user other than root can only give a file to itself.
  if (view.uid !== 0 && (newUid !== inode.uid || (newGid !== inode.gid && newGid !== view.gid))) fail('EPERM')
  touch(view, inode, newUid, newGid)
  inode.uid = newUid
  inode.gid = newGid
  notify(inode, 'change', null)
}

function changeTimes(view: FileView, inode: Inode, { atime, mtime }: NewTimes): void {
  view.requireOwner(inode)
  touch(view, inode, atime.sec, atime.nsec, mtime.sec, mtime.nsec)
  inode.atime = atime
  inode.mtime = mtime
  notify(inode, 'change', null)
}

/** `change` is what becomes of the inode: it is part of the run. */
function touch(view: FileView, inode: Inode, ...change: readonly number[]): void {
  const { hash } = view.disk.kernel
  hash.addWide(inode.ino)
  for (const value of change) hash.addWide(value)
  view.disk.changes.note(inode)
  inode.noteAttributes(view.disk.kernel.now)
  inode.ctime = view.disk.time()
}
