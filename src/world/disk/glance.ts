/**
 * Looking at a disk from outside the world: what a file holds now, or what would be left of it if the power went and
 * nothing unsynced survived. A glance leaves no trace: it makes no inode, touches no time, asks for no choice, meets no
 * fault and needs no permission, so a run that is watched is the run that is not.
 *
 * A power loss may leave more than the synced state, never less, except where a fault took back what was synced.
 */
import { Directory, imageEntry, type ImageEntry } from './directory.ts'
import type { Disk } from './disk.ts'
import { FileInode, Inode, SymlinkInode } from './inode.ts'

/** `current`: as processes see it. `synced`: what the medium surely holds. */
export type Moment = 'current' | 'synced'

const MAX_LINKS = 40

/** The file that a path names, by following links; null where there is none. */
export function glanceAt(disk: Disk, path: string, moment: Moment): FileInode | ImageEntry | null {
  const found = resolve(disk, path, moment)
  if (found instanceof FileInode) return found
  return found !== null && !(found instanceof Inode) && found.kind === 'file' ? found : null
}

/** A file's bytes, which are the caller's own; null where the path names no file. */
export function glanceBytes(disk: Disk, path: string, moment: Moment): Uint8Array | null {
  const found = glanceAt(disk, path, moment)
  if (found === null) return null
  if (!(found instanceof FileInode)) return found.source.reader.read(found.source.path).slice()
  if (moment === 'synced') return found.data.syncedBytes(disk.kernel.now)
  const bytes = new Uint8Array(found.size)
  found.data.read(0, bytes)
  return bytes
}

function resolve(disk: Disk, path: string, moment: Moment): Inode | ImageEntry | null {
  let rest = path.split('/').filter((name) => name !== '' && name !== '.')
  let above: (Inode | ImageEntry)[] = [disk.root]
  for (let links = 0; rest.length > 0;) {
    const [name, ...after] = rest
    rest = after
    if (name === '..') {
      if (above.length > 1) above.pop()
      continue
    }
    const found = step(disk, above[above.length - 1], name, moment)
    if (found === null) return null
    const target = linkTarget(found)
    if (target === null) {
      above.push(found)
      continue
    }
    if (++links > MAX_LINKS) return null
    rest = [...target.split('/').filter((each) => each !== '' && each !== '.'), ...rest]
    if (target.startsWith('/')) above = [disk.root]
  }
  return above[above.length - 1]
}

function step(disk: Disk, at: Inode | ImageEntry, name: string, moment: Moment): Inode | ImageEntry | null {
  if (at instanceof Directory) {
    const synced = moment === 'synced' ? disk.names.syncedEntry(at, name, disk.kernel.now) : undefined
    return synced === undefined ? at.glance(name) : synced
  }
  if (at instanceof Inode || at.kind !== 'directory') return null
  return imageEntry(at.source, name, at.source.reader.list(at.source.path).get(name))
}

function linkTarget(found: Inode | ImageEntry): string | null {
  if (found instanceof SymlinkInode) return found.target
  if (found instanceof Inode || found.kind !== 'symlink') return null
  return found.source.reader.readLink(found.source.path)
}
