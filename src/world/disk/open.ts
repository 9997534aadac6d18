/** open(2) and close(2). */
import { OpenFile } from './descriptors.ts'
import type { Directory } from './directory.ts'
import { fail } from './errno.ts'
import type { FileView } from './file-view.ts'
import { FileInode, type Inode, SymlinkInode, typeBits } from './inode.ts'
import {
  isReadable,
  isWritable,
  O_CREAT,
  O_DIRECTORY,
  O_EXCL,
  O_NOFOLLOW,
  O_TMPFILE,
  O_TRUNC,
} from './open-flags.ts'
import { type Found, walk, walkToName } from './path-walk.ts'
import { truncateInode } from './read-write.ts'
import { notify, notifyChange } from './watch.ts'

/** Opens a path and returns the descriptor. */
export function open(view: FileView, path: string, flags: number, permissions: number): number {
  const file = openFile(view, path, flags, permissions)
  return view.descriptors.open(file)
}

export function close(view: FileView, fd: number): void {
  view.descriptors.close(fd)
}

export function openFile(view: FileView, path: string, flags: number, permissions: number): OpenFile {
  const follow = (flags & O_NOFOLLOW) === 0 && (flags & (O_CREAT | O_EXCL)) !== (O_CREAT | O_EXCL)
  if ((flags & O_CREAT) !== 0 && path.endsWith('/')) {
    const { name } = walkToName(view, path)
    fail((flags & O_EXCL) !== 0 && (name === '' || name === '.' || name === '..') ? 'EEXIST' : 'EISDIR')
  }
  const found = walk(view, path, follow)
  if ((flags & O_TMPFILE) !== 0) return openUnnamed(view, found, flags, permissions)
  const { inode } = found
  strikeOpen(view, inode)
  if (inode === null) return createAndOpen(view, found, flags, permissions)
  if ((flags & O_CREAT) !== 0 && (flags & O_EXCL) !== 0) fail('EEXIST')
  if (inode.kind === 'symlink') fail('ELOOP')
  if ((flags & O_DIRECTORY) !== 0 && inode.kind !== 'directory') fail('ENOTDIR')
  if (inode.kind === 'directory' && (isWritable(flags) || (flags & O_CREAT) !== 0)) fail('EISDIR')
  if (inode.kind === 'socket') fail('ENXIO')
  if (view.uid !== 0) {
    view.requirePermission(inode, (isReadable(flags) ? 4 : 0) | (isWritable(flags) ? 2 : 0))
  }
  const file = new OpenFile(inode, flags, found.parent, found.name)
  if ((flags & O_TRUNC) !== 0 && inode instanceof FileInode) {
    truncateInode(view, inode, 0)
    notifyChange(file)
  }
  return file
}

/** No descriptor is left. The program's own files are spared, as from every fault. */
function strikeOpen({ disk: { faults } }: FileView, inode: Inode | null): void {
  if (inode instanceof FileInode && inode.isPristine) return
  if (inode !== null && inode.kind !== 'file') return
  if (!faults.strikes('no-descriptor', faults.rates.openErrorPpm)) return
  faults.land('no-descriptor', inode?.ino ?? 0)
  fail('EMFILE')
}

function createAndOpen(view: FileView, found: Found, flags: number, permissions: number): OpenFile {
  if ((flags & O_CREAT) === 0) fail('ENOENT')
  const { parent, name } = found
  requireLive(parent)
  if (view.uid !== 0) view.requirePermission(parent, 3)
  const inode = view.disk.newFile(permissions & ~view.umask & 0o7777)
  ownBy(view, inode)
  view.disk.changeNames([{ directory: parent, name, before: null, after: inode }])
  notify(parent, 'rename', name)
  return new OpenFile(inode, flags, parent, name)
}

/** O_TMPFILE: a file without a name. */
function openUnnamed(view: FileView, found: Found, flags: number, permissions: number): OpenFile {
  if (found.inode === null) fail('ENOENT')
  if (found.inode.kind !== 'directory') fail('ENOTDIR')
  const inode = view.disk.newFile(permissions & ~view.umask & 0o7777)
  ownBy(view, inode)
  return new OpenFile(inode, flags & ~O_DIRECTORY, null, '')
}

/** A new inode belongs to the process that makes it. What it is goes into the run's hash, unless it is a usual file. */
export function ownBy(view: FileView, inode: Inode): void {
  inode.uid = view.uid
  inode.gid = view.gid
  const { hash } = view.disk.kernel
  if (inode instanceof SymlinkInode) hash.addText(inode.target, 'links to')
  else if (inode.kind !== 'file' || inode.permissions !== USUAL_MODE)
    hash.addWide(typeBits(inode) | inode.permissions)
}

/** That of a file which is made without a mode. */
const USUAL_MODE = 0o644

/** A directory that was removed while a process stood in it takes no new names. */
export function requireLive(directory: Directory): void {
  if (directory.links === 0) fail('ENOENT')
}
