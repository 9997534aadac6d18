/**
 * What a power loss took from a disk, as data for people: which names, which bytes of which files, and since when they
 * were not on the medium. Only what is gone is listed: something unsynced that survived has made no difference.
 */
import { Directory } from './directory.ts'
import type { Inode } from './inode.ts'
import type { NameChange } from './namespace-log.ts'

export type DiskLoss = NameLoss | ContentLoss

/** A change of names that is undone. */
export interface NameLoss {
  readonly what: 'create' | 'remove' | 'replace' | 'rename'
  readonly path: string
  /** The new name of a rename. */
  readonly to: string | null
  /** When the program made it. */
  readonly sinceUs: number
}

/** Bytes of a file that are gone. */
export interface ContentLoss {
  readonly what: 'content'
  readonly path: string
  /** When the first of the lost bytes was written; null if the disk had said that all of them were synced. */
  readonly sinceUs: number | null
  /** How long the file was, and how long it is now. */
  readonly beforeBytes: number
  readonly afterBytes: number
  /** Pages whose new content is gone, and pages of which some sectors are new and some are old. */
  readonly lostPages: number
  readonly tornPages: number
}

export function nameLoss(changes: readonly NameChange[], sinceUs: number): NameLoss {
  const [first, second] = changes
  const path = pathIn(first.directory, first.name)
  if (second !== undefined)
    return { what: 'rename', path, to: pathIn(second.directory, second.name), sinceUs }
  const what = first.before === null ? 'create' : first.after === null ? 'remove' : 'replace'
  return { what, path, to: null, sinceUs }
}

/** A path of each inode that can be reached from the root. */
export function pathsOf(root: Directory, wanted: ReadonlySet<Inode>): Map<Inode, string> {
  const paths = new Map<Inode, string>()
  const open: (readonly [Directory, string])[] = [[root, '']]
  for (const [directory, path] of open) {
    for (const [name, entry] of directory.materialised()) {
      if (wanted.has(entry) && !paths.has(entry)) paths.set(entry, `${path}/${name}`)
      if (entry instanceof Directory) open.push([entry, `${path}/${name}`])
    }
  }
  return paths
}

function pathIn(directory: Directory, name: string): string {
  const names = [name]
  for (let at = directory; at.parent !== at; at = at.parent) names.unshift(at.parent.nameOf(at) ?? '…')
  return `/${names.join('/')}`
}
