/** The members of `fs` that make, move, remove and list names. */
import { join } from 'node:path'
import { stat } from '../../../world/disk/attributes.ts'
import { copyFile } from '../../../world/disk/copy.ts'
import { fail } from '../../../world/disk/errno.ts'
import type { FileView } from '../../../world/disk/file-view.ts'
import { type InodeKind, S_IFDIR, S_IFMT } from '../../../world/disk/inode.ts'
import {
  type DirectoryEntry,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readlink,
  rename,
  rmdir,
  symlink,
  unlink,
} from '../../../world/disk/names.ts'
import { realPath } from '../../../world/disk/path-walk.ts'
import type { Binding } from '../../library/internals.ts'
import { checkMode } from './checks.ts'
import { codeOf } from './errors.ts'
import { operation } from './operation.ts'
import { encodeName, pathOf } from './path.ts'

/** libuv's numbers for kinds of directory entries. */
export const DIRENT_TYPE: Readonly<Record<InodeKind, number>> = {
  file: 1,
  directory: 2,
  symlink: 3,
  socket: 5,
  device: 6,
}

export function nameMembers(): Binding {
  return {
    rename: operation({
      syscall: 'rename',
      inputs: 2,
      path: 0,
      dest: 1,
      run: (view, [from, to]) => rename(view, pathOf(from), pathOf(to)),
    }),
    link: operation({
      syscall: 'link',
      inputs: 2,
      path: 0,
      dest: 1,
      run: (view, [existing, path]) => link(view, pathOf(existing), pathOf(path)),
    }),
    symlink: operation({
      syscall: 'symlink',
      inputs: 3,
      path: 0,
      dest: 1,
      run: (view, [target, path]) => symlink(view, pathOf(target), pathOf(path)),
    }),
    unlink: operation({
      syscall: 'unlink',
      inputs: 1,
      path: 0,
      run: (view, [path]) => unlink(view, pathOf(path)),
    }),
    rmdir: operation({
      syscall: 'rmdir',
      inputs: 1,
      path: 0,
      run: (view, [path]) => rmdir(view, pathOf(path)),
    }),
    mkdir: operation({
      syscall: 'mkdir',
      inputs: 3,
      path: 0,
      run: (view, [path, mode, recursive]) =>
        recursive === true ? makeAll(view, pathOf(path), mode) : mkdir(view, pathOf(path), mode),
    }),
    mkdtemp: operation({
      syscall: 'mkdtemp',
      inputs: 2,
      path: (args) => `${pathOf(args[0])}XXXXXX`,
      run: (view, [prefix, encoding], process) =>
        encodeName(mkdtemp(view, pathOf(prefix), process.entropy), encoding),
    }),
    readlink: operation({
      syscall: 'readlink',
      inputs: 2,
      path: 0,
      run: (view, [path, encoding]) => encodeName(readlink(view, pathOf(path)), encoding),
    }),
    realpath: operation({
      syscall: 'realpath',
      inputs: 2,
      path: 0,
      run: (view, [path, encoding]) => encodeName(realPath(view, pathOf(path)), encoding),
    }),
    copyFile: operation({
      syscall: 'copyfile',
      inputs: 3,
      path: 0,
      dest: 1,
      check: (args) => checkMode(args[2]),
      run: (view, [from, to, mode]) => copyFile(view, pathOf(from), pathOf(to), mode ?? 0),
    }),
    readdir: operation({
      syscall: 'scandir',
      inputs: 3,
      path: 0,
      run: (view, [path, encoding, withTypes]) =>
        listing(readdir(view, pathOf(path)), encoding, withTypes === true),
    }),
    readdirRecursive: operation({
      syscall: 'scandir',
      inputs: 3,
      path: 0,
      run: (view, [path, encoding, withTypes]) =>
        recursiveListing(view, pathOf(path), encoding, withTypes === true),
    }),
  }
}

function listing(entries: readonly DirectoryEntry[], encoding: unknown, withTypes: boolean): unknown {
  const names = entries.map((entry) => encodeName(entry.name, encoding))
  return withTypes ? [names, entries.map((entry) => DIRENT_TYPE[entry.kind])] : names
}

/** mkdir with all that is missing above, in the manner of Node: returns the first directory that was made. */
export function makeAll(view: FileView, path: string, mode: number): string | undefined {
  const pending = [path]
  let first: string | undefined
  while (pending.length > 0) {
    const next = pending.pop()!
    let code: string | null = null
    try {
      mkdir(view, next, mode)
    } catch (failure) {
      code = codeOf(failure)
    }
    if (code === null) {
      first ??= next
      continue
    }
    if (code === 'EACCES' || code === 'ENOSPC' || code === 'ENOTDIR' || code === 'EPERM') fail(code)
    if (code === 'ENOENT') {
      const slash = next.lastIndexOf('/')
      const above = slash < 0 ? next : next.slice(0, slash)
      if (above !== next) {
        pending.push(next, above)
        continue
      }
      if (pending.length > 0) continue
    }
    const isDirectory = (stat(view, next, true).mode & S_IFMT) === S_IFDIR
    if (!isDirectory) fail(code === 'EEXIST' && pending.length > 0 ? 'ENOTDIR' : 'EEXIST')
  }
  return first
}

/**
 * All names below a directory, breadth first. Without types: paths relative to it. With types: names, types, how many
 * of them belong to each directory, and those directories.
 */
function recursiveListing(view: FileView, path: string, encoding: unknown, withTypes: boolean): unknown {
  const names: (string | Uint8Array)[] = []
  const types: number[] = []
  const counts: number[] = []
  const directories: string[] = ['']
  for (const directory of directories) {
    const entries = readdir(view, join(path, directory))
    counts.push(entries.length)
    for (const { name, kind } of entries) {
      const relative = directory === '' ? name : join(directory, name)
      names.push(encodeName(withTypes ? name : relative, encoding))
      types.push(DIRENT_TYPE[kind])
      if (kind === 'directory') directories.push(relative)
    }
  }
  if (!withTypes) return names
  const encoded = directories.map((directory) => encodeName(directory, encoding))
  return [names, Uint8Array.from(types), Uint32Array.from(counts), encoded]
}
