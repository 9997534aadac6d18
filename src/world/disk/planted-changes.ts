/**
 * What programs changed of a disk as it was planted, and what an answer about that disk depended on. An answer that was
 * found on one disk holds on another one with the same image as long as no name that it looked up, and nothing that it
 * read, is among the changes: so a thread may remember it.
 *
 * Names are paths as planted: a directory that was moved is a change of its old name, and what happens in it later is
 * under that name. What stands in a directory that a program made has no such name; that directory itself has.
 */
import type { Directory } from './directory.ts'
import type { Inode } from './inode.ts'

/** Nothing is taken back: a name that was changed twice may be as it was. */
export class PlantedChanges {
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

/** What paths led through. */
export interface Lookups {
  note(directory: Directory, name: string): void
}
