/**
 * The members of `fs` that copy and remove whole trees natively: `cpSync*` (22 and later), `rmSync` (24 and later) and
 * `CpDirJob` (26). They follow what Node's C++ does with `std::filesystem`, errors included.
 */
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { copyFile } from '../../../world/disk/copy.ts'
import { Directory } from '../../../world/disk/directory.ts'
import { fail } from '../../../world/disk/errno.ts'
import type { FileView } from '../../../world/disk/file-view.ts'
import { FileInode, type Inode, SymlinkInode } from '../../../world/disk/inode.ts'
import { mkdir, rmdir, symlink, unlink } from '../../../world/disk/names.ts'
import { find, peek, walk } from '../../../world/disk/path-walk.ts'
import { current } from '../../process/current.ts'
import { Request } from '../../process/handle.ts'
import type { Binding } from '../../library/internals.ts'
import { checkMode } from './checks.ts'
import { asyncError, codeOf, syncError } from './errors.ts'
import { makeAll } from './names.ts'
import { pathOf } from './path.ts'
import { filesOf } from './view.ts'

interface CopyOptions {
  readonly force: boolean
  readonly dereference: boolean
  readonly errorOnExist: boolean
  readonly verbatimSymlinks: boolean
  readonly preserveTimestamps: boolean
}

/** An error of Node's own, made without its error classes, as C++ does. */
class CopyError extends Error {
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

export function copyMembers(): Binding {
  return { cpSyncCheckPaths, cpSyncOverrideFile, cpSyncCopyDir, rmSync, CpDirJob }
}

function cpSyncCheckPaths(from: unknown, to: unknown, dereference: boolean, recursive: boolean): void {
  const view = filesOf(current())
  const [source, target] = [pathOf(from), pathOf(to)]
  let inode: Inode
  try {
    inode = find(view, source, true)
  } catch (failure) {
    throw syncError(
      codeOf(failure),
      { syscall: dereference ? 'stat' : 'lstat', path: source },
      cpSyncCheckPaths,
    )
  }
  const existing = lookup(view, target, dereference)
  const isTree = inode.kind === 'directory'
  if (existing !== null) {
    if (peek(view, target) === inode) refuse('ERR_FS_CP_EINVAL', `src and dest cannot be the same ${target}`)
    const isDirectory = existing instanceof Directory
    if (isTree && !isDirectory) {
      refuse('ERR_FS_CP_DIR_TO_NON_DIR', `Cannot overwrite non-directory ${target} with directory ${source}`)
    }
    if (!isTree && isDirectory) {
      refuse('ERR_FS_CP_NON_DIR_TO_DIR', `Cannot overwrite directory ${target} with non-directory ${source}`)
    }
  }
  const prefix = source.endsWith('/') ? source : `${source}/`
  if (isTree && (target.startsWith(prefix) || isBelow(view, target, inode))) {
    refuse('ERR_FS_CP_EINVAL', `Cannot copy ${prefix} to a subdirectory of self ${target}`)
  }
  if (isTree && !recursive) {
    refuse('ERR_FS_EISDIR', `Recursive option not enabled, cannot copy a directory: ${prefix}`)
  }
  if (inode.kind === 'socket') refuse('ERR_FS_CP_SOCKET', `Cannot copy a socket file: ${target}`)
  if (existing === null) makeParents(view, target)
}

function cpSyncOverrideFile(from: unknown, to: unknown, mode: number, preserveTimestamps: boolean): void {
  checkMode(mode)
  const view = filesOf(current())
  const [source, target] = [pathOf(from), pathOf(to)]
  try {
    unlink(view, target)
  } catch (failure) {
    throw syncError(codeOf(failure), { syscall: 'unlink', path: target }, cpSyncOverrideFile)
  }
  try {
    copyFile(view, source, target, mode)
    if (preserveTimestamps) copyTimes(view, source, target)
  } catch (failure) {
    throw syncError(codeOf(failure), { syscall: 'cp', path: target }, cpSyncOverrideFile)
  }
}

function cpSyncCopyDir(from: unknown, to: unknown, ...flags: boolean[]): void {
  const view = filesOf(current())
  const target = pathOf(to)
  try {
    makeAll(view, target, 0o777)
    copyTree(view, pathOf(from), target, optionsOf(flags))
  } catch (failure) {
    if (failure instanceof CopyError) throw failure
    throw syncError(codeOf(failure), { syscall: 'cp', path: target }, cpSyncCopyDir)
  }
}

function rmSync(path: unknown, _maxRetries: number, recursive: boolean): void {
  const view = filesOf(current())
  const target = pathOf(path)
  try {
    const { inode } = walk(view, target, false)
    if (inode === null) return
    if (inode instanceof Directory && !recursive) refuse('ERR_FS_EISDIR', `Path is a directory: ${target}`)
    removeTree(view, target, inode)
  } catch (failure) {
    if (failure instanceof CopyError) throw failure
    const code = codeOf(failure)
    if (code === 'ENOENT' || code === 'ENOTDIR') return
    const error = syncError(code, { syscall: 'rm', path: target }, rmSync)
    error.message = `${code}, ${RM_TEXT[code] ?? 'Unknown error'}: ${target} '${target}'`
    throw error
  }
}

const RM_TEXT: Readonly<Record<string, string>> = {
  EPERM: 'Operation not permitted',
  ENOTEMPTY: 'Directory not empty',
  ENOTDIR: 'Not a directory',
  EACCES: 'Permission denied',
}

/** Copies a tree into a directory that does not exist yet, as one piece of work in the thread pool. */
class CpDirJob extends Request {
  ondone: ((error: unknown, kind?: string, path?: string) => void) | undefined
  private readonly from: string
  private readonly to: string
  private readonly options: CopyOptions

  constructor(from: unknown, to: unknown, ...flags: boolean[]) {
    super('CPDIRREQUEST')
    this.from = pathOf(from)
    this.to = pathOf(to)
    this.options = optionsOf(flags)
  }

  run(): void {
    const process = current()
    process.complete('fs', 0, () => {
      const view = filesOf(process)
      let error: unknown = null
      let special: readonly [string, string] | null = null
      try {
        mkdir(view, this.to, 0o777)
        special = copyTree(view, this.from, this.to, this.options)
        find(view, this.to, true).permissions = find(view, this.from, true).permissions
        if (this.options.preserveTimestamps) copyTimes(view, this.from, this.to)
      } catch (failure) {
        error =
          failure instanceof CopyError
            ? failure
            : asyncError(codeOf(failure), { syscall: 'cp', path: this.to })
      }
      process.makeCallback(this, () => this.ondone?.(error ?? undefined, ...(special ?? [])), this)
      this.emitDestroy()
    })
  }
}

/** Copies what is in a directory. Returns the kind and path of an entry that cannot be copied. */
function copyTree(
  view: FileView,
  from: string,
  to: string,
  options: CopyOptions,
): readonly [string, string] | null {
  const directory = find(view, from, true)
  if (!(directory instanceof Directory)) return fail('ENOTDIR')
  for (const name of directory.names(view)) {
    const [source, target] = [join(from, name), join(to, name)]
    const inode = directory.lookup(name, view)
    if (inode instanceof SymlinkInode) copyLink(view, inode, from, target, options)
    else if (inode instanceof Directory) {
      if (!(peek(view, target) instanceof Directory)) mkdir(view, target, 0o777)
      const special = copyTree(view, source, target, options)
      if (special !== null) return special
    } else if (inode instanceof FileInode) copyOne(view, source, target, options)
    else if (inode !== null) return [inode.kind === 'socket' ? 'socket' : 'unknown', target]
  }
  return null
}

function copyOne(view: FileView, source: string, target: string, options: CopyOptions): void {
  if (lookup(view, target, false) !== null && !options.force) {
    if (!options.errorOnExist) return
    refuse(
      'ERR_FS_CP_EEXIST',
      `[ERR_FS_CP_EEXIST]: Target already exists: cp returned EEXIST (${target} already exists)`,
    )
  }
  copyFile(view, source, target, 0)
  if (options.preserveTimestamps) copyTimes(view, source, target)
}

function copyLink(
  view: FileView,
  inode: SymlinkInode,
  from: string,
  target: string,
  options: CopyOptions,
): void {
  if (options.verbatimSymlinks) {
    symlink(view, inode.target, target)
    return
  }
  const existing = lookup(view, target, false)
  const absolute = isAbsolute(inode.target) ? inode.target : resolve(view.cwd, from, inode.target)
  if (existing instanceof SymlinkInode) {
    if (
      !options.dereference &&
      peek(view, absolute) instanceof Directory &&
      isInside(inode.target, existing.target)
    ) {
      refuse('ERR_FS_CP_EINVAL', `Cannot copy ${inode.target} to a subdirectory of self ${existing.target}`)
    }
    if (peek(view, target) instanceof Directory && isInside(existing.target, inode.target)) {
      refuse('ERR_FS_CP_SYMLINK_TO_SUBDIRECTORY', `cannot overwrite ${existing.target} with ${inode.target}`)
    }
    unlink(view, target)
  } else if (existing !== null) fail('EEXIST')
  symlink(view, absolute, target)
}

function removeTree(view: FileView, path: string, inode: Inode): void {
  if (!(inode instanceof Directory)) {
    unlink(view, path)
    return
  }
  for (const name of inode.names(view)) {
    const entry = inode.lookup(name, view)
    if (entry !== null) removeTree(view, join(path, name), entry)
  }
  rmdir(view, path)
}

function copyTimes(view: FileView, source: string, target: string): void {
  const from = find(view, source, true)
  const to = find(view, target, true)
  to.atime = from.atime
  to.mtime = from.mtime
}

function lookup(view: FileView, path: string, follow: boolean): Inode | null {
  try {
    return walk(view, path, follow).inode
  } catch {
    return null
  }
}

/** Whether a path, existing or not, lies below a directory. */
function isBelow(view: FileView, path: string, directory: Inode): boolean {
  for (let at = dirname(resolve(view.cwd, path)); ; at = dirname(at)) {
    if (peek(view, at) === directory) return true
    if (at === dirname(at)) return false
  }
}

function isInside(outer: string, inner: string): boolean {
  const way = relative(outer, inner)
  return way === '' || (!way.startsWith('..') && !isAbsolute(way))
}

function makeParents(view: FileView, path: string): void {
  try {
    makeAll(view, dirname(path), 0o777)
  } catch {
    // The copy itself will say what is wrong with that place.
  }
}

function optionsOf(flags: readonly boolean[]): CopyOptions {
  const [force, dereference, errorOnExist, verbatimSymlinks, preserveTimestamps] = flags
  return { force, dereference, errorOnExist, verbatimSymlinks, preserveTimestamps }
}

function refuse(code: string, message: string): never {
  throw new CopyError(code, message)
}
