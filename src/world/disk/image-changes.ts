/**
 * The changes that programs made to a disk since it was made from its image. A thread remembers answers about an image,
 * such as where a module's name leads. An answer that was found on one disk holds on every disk with the same image, as
 * long as none of the names that it looked up, and nothing that it read, is among that disk's changes.
 *
 * Names are paths of the image. A directory that was moved is a change of its old name, and later changes inside it keep
 * that name. A file in a directory that a program made has no such name; that directory itself has one.
 */
import type { Directory } from './directory.ts'
import type { Inode } from './inode.ts'

/** Nothing is taken back: a name that was changed twice may be as it was. */
export class ImageChanges {
  /** In the order in which they were first changed. */
  readonly places: string[] = []
  private readonly known = new Set<string>()

  add(place: string): void {
    if (this.known.has(place)) return
    this.known.add(place)
    this.places.push(place)
  }

  /** The content or the attributes of an inode changed. */
  note(inode: Inode): void {
    const { place } = inode
    if (place !== null) this.add(place)
  }
}

/** Records the names that paths led through. */
export interface Lookups {
  note(directory: Directory, name: string): void
}
