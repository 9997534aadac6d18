/** copyFile, as libuv does it on Linux: open both, empty the target, give it the source's permissions, copy. */
import { min } from '../../kernel/arithmetic.ts'
import type { FileView } from './file-view.ts'
import { fail } from './errno.ts'
import { FileInode, type Inode } from './inode.ts'
import type { OpenFile } from './descriptors.ts'
import { unlink } from './names.ts'
import { openFile } from './open.ts'
import { O_CREAT, O_EXCL, O_WRONLY } from './open-flags.ts'
import { truncateInode, writeInode } from './read-write.ts'
import { notifyChange } from './watch.ts'

const COPYFILE_EXCL = 1
const COPYFILE_FICLONE_FORCE = 4

const CHUNK_BYTES = 1 << 20

export function copyFile(view: FileView, from: string, to: string, mode: number): void {
  const source = openFile(view, from, 0, 0).inode
  const permissions = source.permissions
  const flags = O_WRONLY | O_CREAT | ((mode & COPYFILE_EXCL) !== 0 ? O_EXCL : 0)
  const target = openFile(view, to, flags, permissions)
  if (target.inode === source) return
  try {
    // Before anything can go wrong: what was there is lost.
    if (target.inode instanceof FileInode) truncateInode(view, target.inode, 0)
    target.inode.permissions = permissions
    copyInto(view, source, target, mode)
  } catch (failure) {
    unlink(view, to) // even where it was there before
    throw failure
  }
  notifyChange(target)
}

function copyInto(view: FileView, source: Inode, target: OpenFile, mode: number): void {
  if (!(source instanceof FileInode)) fail(source.kind === 'directory' ? 'EISDIR' : 'EINVAL')
  if ((mode & COPYFILE_FICLONE_FORCE) !== 0) fail('ENOTSUP')
  if (!(target.inode instanceof FileInode)) return
  const { size } = source.data
  const chunk = new Uint8Array(min(size, CHUNK_BYTES))
  for (let at = 0; at < size;) {
    const count = source.data.read(at, chunk)
    at += writeInode(view.disk, target.inode, at, count === chunk.length ? chunk : chunk.subarray(0, count))
  }
}
