/**
 * From a path to what it names, as Linux walks it: component by component, `..` through the real parent, symbolic links
 * replaced by their target, at most forty of them.
 */
import type { Directory } from './directory.ts'
import { fail } from './errno.ts'
import type { FileView } from './file-view.ts'
import type { Inode } from './inode.ts'
import { SymlinkInode } from './inode.ts'

const MAX_LINKS = 40
const MAX_NAME_BYTES = 255
const MAX_PATH_BYTES = 4095

export interface Found {
  /** The directory that holds the last component. */
  readonly parent: Directory
  /** The last component; '.' or '..' where the path ends so, '' for the root. */
  readonly name: string
  readonly inode: Inode | null
  /** The path ended with a slash: it can only be a directory. */
  readonly slash: boolean
}

/** Walks a path. `follow` says whether a symbolic link at its end is followed; before a slash it always is. */
export function walk(view: FileView, path: string, follow: boolean): Found {
  return resolve(view, path, follow ? 'follow' : 'keep')
}

/** Walks to the name that an operation is going to make, move or remove: its last component is taken as it stands. */
export function walkToName(view: FileView, path: string): Found {
  return resolve(view, path, 'name')
}

/**
 * How the last component is taken, and whether a way that leads nowhere is a failure: a resolver that asks for hundreds
 * of files that do not exist should not throw for each (`peek`).
 */
type Manner = 'follow' | 'keep' | 'name' | 'peek'

function resolve(view: FileView, path: string, manner: Manner): Found {
  if (path.length === 0) fail('ENOENT')
  if (path.length > MAX_PATH_BYTES / 3 && byteLength(path) > MAX_PATH_BYTES) fail('ENAMETOOLONG')
  const { root } = view.disk
  let rest = path.charCodeAt(0) === 47 ? path : `${view.cwd}/${path}`
  let directory: Directory = root
  let links = 0
  let at = 0
  for (;;) {
    while (rest.charCodeAt(at) === 47) at++
    if (at >= rest.length) return { parent: directory.parent, name: '', inode: directory, slash: true }
    let end = rest.indexOf('/', at)
    if (end < 0) end = rest.length
    const name = rest.slice(at, end)
    let next = end
    while (rest.charCodeAt(next) === 47) next++
    const isLast = next >= rest.length
    const slash = isLast && next > end
    if (name.length > MAX_NAME_BYTES / 3 && byteLength(name) > MAX_NAME_BYTES) fail('ENAMETOOLONG')
    if (view.uid !== 0) view.requirePermission(directory, 1)
    if (view.lookups !== null) view.lookups.note(directory, name)
    const inode = name === '.' ? directory : name === '..' ? directory.parent : directory.lookup(name, view)
    if (
      inode instanceof SymlinkInode &&
      (!isLast || manner === 'follow' || manner === 'peek' || (slash && manner === 'keep'))
    ) {
      if (++links > MAX_LINKS) fail('ELOOP')
      const { target } = inode
      rest = isLast ? (slash ? `${target}/` : target) : `${target}/${rest.slice(next)}`
      if (rest.charCodeAt(0) === 47) directory = root
      at = 0
      continue
    }
    if (isLast) {
      if (slash && manner !== 'name' && inode !== null && inode.kind !== 'directory') fail('ENOTDIR')
      return { parent: directory, name, inode, slash }
    }
    if (inode === null || inode.kind !== 'directory') {
      if (manner === 'peek') return { parent: directory, name, inode: null, slash }
      fail(inode === null ? 'ENOENT' : 'ENOTDIR')
    }
    directory = inode as Directory
    at = next
  }
}

/** The inode of a path; ENOENT if there is none. */
export function find(view: FileView, path: string, follow: boolean): Inode {
  return walk(view, path, follow).inode ?? fail('ENOENT')
}

/** The inode of a path, or null if there is none or no way to it. */
export function peek(view: FileView, path: string): Inode | null {
  try {
    return resolve(view, path, 'peek').inode
  } catch {
    return null
  }
}

/** The canonical path: without links, `.` and `..`. */
export function realPath(view: FileView, path: string): string {
  const { parent, name, inode } = walk(view, path, true)
  if (inode === null) fail('ENOENT')
  if (inode.kind === 'directory') return pathOf(inode as Directory)
  const above = pathOf(parent)
  return above === '/' ? `/${name}` : `${above}/${name}`
}

/** Where a directory is. */
function pathOf(directory: Directory): string {
  let path = ''
  for (let at = directory; at !== at.parent; at = at.parent) {
    path = `/${at.parent.nameOf(at) ?? fail('ENOENT')}${path}`
  }
  return path === '' ? '/' : path
}

function byteLength(text: string): number {
  let bytes = text.length
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit >= 0x80) bytes += unit >= 0x800 && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1
  }
  return bytes
}
