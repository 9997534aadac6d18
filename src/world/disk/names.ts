/** Making, moving and removing names: mkdir, rmdir, unlink, link, symlink, rename, readlink, readdir, mkdtemp. */
import type { Entropy } from '../../kernel/prng.ts'
import { Directory } from './directory.ts'
import { fail } from './errno.ts'
import type { FileView } from './file-view.ts'
import { type Inode, type InodeKind, type SocketInode, SymlinkInode } from './inode.ts'
import { ownBy, requireLive } from './open.ts'
import { find, walkToName } from './path-walk.ts'
import { notify } from './watch.ts'

export interface DirectoryEntry {
  readonly name: string
  readonly kind: InodeKind
}

export function mkdir(view: FileView, path: string, permissions: number): void {
  const { parent, name, inode } = walkToName(view, path)
  if (inode !== null) fail('EEXIST')
  const directory = view.disk.newDirectory(parent, permissions & ~view.umask & 0o1777)
  add(view, parent, name, directory)
}

export function rmdir(view: FileView, path: string): void {
  const { parent, name, inode } = walkToName(view, path)
  if (name === '.') fail('EINVAL')
  if (name === '..') fail('ENOTEMPTY')
  if (inode === null) fail('ENOENT')
  if (!(inode instanceof Directory)) fail('ENOTDIR')
  if (inode.pinned) fail('EBUSY')
  if (!inode.isEmpty) fail('ENOTEMPTY')
  remove(view, parent, name, inode)
}

export function unlink(view: FileView, path: string): void {
  const { parent, name, inode, slash } = walkToName(view, path)
  if (inode === null) fail('ENOENT')
  if (inode.kind === 'directory') fail('EISDIR')
  if (slash) fail('ENOTDIR')
  inode.ctime = view.disk.time()
  remove(view, parent, name, inode)
}

export function link(view: FileView, existing: string, path: string): void {
  const inode = find(view, existing, false)
  const { parent, name, inode: taken, slash } = walkToName(view, path)
  if (taken !== null) fail('EEXIST')
  if (slash) fail('ENOENT')
  if (inode.kind === 'directory') fail('EPERM')
  inode.ctime = view.disk.time()
  add(view, parent, name, inode, false)
}

export function symlink(view: FileView, target: string, path: string): void {
  if (target === '') fail('ENOENT')
  const { parent, name, inode, slash } = walkToName(view, path)
  if (inode !== null) fail('EEXIST')
  if (slash) fail('ENOENT')
  add(view, parent, name, view.disk.newSymlink(target))
}

export function readlink(view: FileView, path: string): string {
  const inode = find(view, path, false)
  if (!(inode instanceof SymlinkInode)) fail('EINVAL')
  return inode.target
}

/** A socket's name, for the network stack to listen behind. */
export function bindSocket(view: FileView, path: string): SocketInode {
  const { parent, name, inode } = walkToName(view, path)
  if (inode !== null) fail('EEXIST')
  const socket = view.disk.newSocket(0o777 & ~view.umask)
  add(view, parent, name, socket)
  return socket
}

export function rename(view: FileView, from: string, to: string): void {
  const source = walkToName(view, from)
  const target = walkToName(view, to)
  const { inode } = source
  const replaced = target.inode
  if (isDots(source.name) || isDots(target.name)) fail('EBUSY')
  if (inode === null) fail('ENOENT')
  if (!(inode instanceof Directory) && (source.slash || target.slash)) fail('ENOTDIR')
  if (isWithin(target.parent, inode)) fail('EINVAL')
  if (replaced !== null && isWithin(source.parent, replaced)) fail('ENOTEMPTY')
  if (replaced === inode) return
  if (inode instanceof Directory && inode.pinned) fail('EBUSY')
  if (replaced !== null) requireReplaceable(inode, replaced)
  requireLive(target.parent)
  if (view.uid !== 0) {
    view.requirePermission(source.parent, 3)
    view.requirePermission(target.parent, 3)
  }
  inode.ctime = view.disk.time()
  view.disk.changeNames([
    { directory: source.parent, name: source.name, before: inode, after: null },
    { directory: target.parent, name: target.name, before: replaced, after: inode },
  ])
  notify(source.parent, 'rename', source.name)
  notify(target.parent, 'rename', target.name)
  notify(inode, 'rename', null)
  if (replaced !== null) notifyRemoved(replaced)
}

export function readdir(view: FileView, path: string): DirectoryEntry[] {
  const inode = find(view, path, true)
  if (!(inode instanceof Directory)) fail('ENOTDIR')
  return entriesOf(view, inode)
}

export function entriesOf(view: FileView, directory: Directory): DirectoryEntry[] {
  view.requirePermission(directory, 4)
  const entries: DirectoryEntry[] = []
  for (const name of directory.names(view)) {
    const inode = directory.lookup(name, view)
    if (inode !== null) entries.push({ name, kind: inode.kind })
  }
  return entries
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

/** Makes a directory whose name ends in six random characters, and returns its path. */
export function mkdtemp(view: FileView, prefix: string, entropy: Entropy): string {
  for (;;) {
    let path = prefix
    for (let i = 0; i < 6; i++) path += LETTERS[entropy.uint32() % LETTERS.length]
    const { parent, name, inode } = walkToName(view, path)
    if (inode !== null) continue
    add(view, parent, name, view.disk.newDirectory(parent, 0o700))
    return path
  }
}

function add(view: FileView, parent: Directory, name: string, inode: Inode, isNew = true): void {
  requireLive(parent)
  if (view.uid !== 0) view.requirePermission(parent, 3)
  if (isNew) ownBy(view, inode)
  view.disk.changeNames([{ directory: parent, name, before: null, after: inode }])
  notify(parent, 'rename', name)
}

function remove(view: FileView, parent: Directory, name: string, inode: Inode): void {
  if (view.uid !== 0) view.requirePermission(parent, 3)
  view.disk.changeNames([{ directory: parent, name, before: inode, after: null }])
  notifyRemoved(inode)
  notify(parent, 'rename', name)
}

/** A watched file hears first that its link count changed, then that it is gone. */
function notifyRemoved(inode: Inode): void {
  if (inode.kind !== 'directory') notify(inode, 'change', null)
  if (inode.links === 0) notify(inode, 'rename', null)
}

function isDots(name: string): boolean {
  return name === '.' || name === '..' || name === ''
}

/** Whether a directory is an inode or lies below it. */
function isWithin(directory: Directory, inode: Inode): boolean {
  for (let at = directory; ; at = at.parent) {
    if (at === inode) return true
    if (at === at.parent) return false
  }
}

function requireReplaceable(inode: Inode, replaced: Inode): void {
  if (replaced instanceof Directory) {
    if (!(inode instanceof Directory)) fail('EISDIR')
    if (replaced.pinned) fail('EBUSY')
    if (!replaced.isEmpty) fail('ENOTEMPTY')
  } else if (inode instanceof Directory) fail('ENOTDIR')
}
