/**
 * Directories: names that lead to inodes. A directory of the image shows the image's names until one is replaced or
 * removed; that leaves a whiteout, so that the image's entry never shows again. The image's listing is fetched once:
 * asking for a name that does not exist then costs one look into a map, which is most of what a module resolver does.
 *
 * Listings are in byte order, as libuv sorts them for `readdir`. `opendir` gives the same order here, where a real file
 * system gives an arbitrary one.
 */
import { min } from '../../kernel/arithmetic.ts'
import type { FileView } from './file-view.ts'
import type { ImageKind } from './image.ts'
import { type ImageSource, Inode } from './inode.ts'
import type { Timestamp } from './timestamp.ts'

/** Makes the inode for an image entry when it is first looked up. */
export type Materialise = (kind: ImageKind, source: ImageSource, parent: Directory) => Inode

export interface ImageDirectory extends ImageSource {
  readonly materialise: Materialise
}

export class Directory extends Inode {
  readonly kind = 'directory'
  /** The directory above; the root's is itself. A removed directory keeps its last one. */
  parent: Directory
  protected readonly entries = new Map<string, Inode>()
  private whiteouts: Set<string> | null = null
  private readonly image: ImageDirectory | null
  private imageNames: ReadonlyMap<string, ImageKind> | null = null
  /** Directories that must stay: the root, and what a mount needs. */
  pinned = false
  private readonly placeInImage: string | null

  constructor(
    ino: number,
    permissions: number,
    time: Timestamp,
    options: { parent: Directory | null; image?: ImageDirectory; place?: string },
  ) {
    super(ino, permissions, time, options.image ?? null)
    this.placeInImage = options.place ?? null
    this.parent = options.parent ?? this
    this.image = options.image ?? null
  }

  override get place(): string | null {
    return this.placeInImage ?? super.place
  }

  /** The inode of a name. A directory of `/proc` answers by the asking process. */
  lookup(name: string, _view?: FileView): Inode | null {
    const entry = this.entries.get(name)
    if (entry !== undefined) return entry
    const { image } = this
    if (image === null || this.whiteouts?.has(name) === true) return null
    const found = imageEntry(image, name, this.listImage(image).get(name))
    if (found === null) return null
    const inode = image.materialise(found.kind, found.source, this)
    inode.links = 1
    this.entries.set(name, inode)
    return inode
  }

  /** The inode of a name, or its entry in the image: makes no inode for a name that only the image has. */
  glance(name: string): Inode | ImageEntry | null {
    const entry = this.entries.get(name)
    if (entry !== undefined) return entry
    const { image } = this
    if (image === null || this.whiteouts?.has(name) === true) return null
    return imageEntry(image, name, this.listImage(image).get(name))
  }

  /** Lets a name lead somewhere, or nowhere. Counting links is the caller's matter. */
  put(name: string, inode: Inode | null): void {
    if (inode !== null) this.entries.set(name, inode)
    else this.entries.delete(name)
    if (this.image !== null) (this.whiteouts ??= new Set()).add(name)
  }

  /** The name under which this directory holds an inode. */
  nameOf(inode: Inode): string | null {
    for (const [name, entry] of this.entries) if (entry === inode) return name
    return null
  }

  names(_view?: FileView): string[] {
    const names = [...this.entries.keys()]
    if (this.image !== null) {
      for (const name of this.listImage(this.image).keys()) {
        if (!this.entries.has(name) && this.whiteouts?.has(name) !== true) names.push(name)
      }
    }
    return names.sort(byBytes)
  }

  get isEmpty(): boolean {
    if (this.entries.size > 0) return false
    if (this.image === null) return true
    for (const name of this.listImage(this.image).keys()) if (this.whiteouts?.has(name) !== true) return false
    return true
  }

  get subdirectories(): number {
    let count = 0
    for (const entry of this.entries.values()) if (entry.kind === 'directory') count++
    if (this.image !== null) {
      for (const [name, kind] of this.listImage(this.image)) {
        if (kind === 'directory' && !this.entries.has(name) && this.whiteouts?.has(name) !== true) count++
      }
    }
    return count
  }

  /** The inodes that were looked up or made: only these can have anything that is not on the medium. */
  materialised(): IterableIterator<[string, Inode]> {
    return this.entries.entries()
  }

  private listImage(image: ImageDirectory): ReadonlyMap<string, ImageKind> {
    this.imageNames ??= image.reader.list(image.path)
    return this.imageNames
  }
}

/** A name that only the image has: it was not looked up yet. */
export interface ImageEntry {
  readonly kind: ImageKind
  readonly source: ImageSource
}

/** The entry of a name in a directory of the image, given what the image's listing says. */
export function imageEntry(
  { reader, path, place, key }: ImageSource,
  name: string,
  kind: ImageKind | undefined,
): ImageEntry | null {
  if (kind === undefined) return null
  const source = { reader, path: below(path, name), place: below(place, name), key: below(key, name) }
  return { kind, source }
}

/** The path of a name in a directory. */
export function below(directory: string, name: string): string {
  return directory === '/' ? `/${name}` : `${directory}/${name}`
}

/** The order of the names' UTF-8 bytes: that of their code points. */
function byBytes(a: string, b: string): number {
  const length = min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x !== y) {
      // A surrogate stands for a code point above all that a single unit can be.
      const xSurrogate = x >= 0xd800 && x <= 0xdfff
      const ySurrogate = y >= 0xd800 && y <= 0xdfff
      if (xSurrogate !== ySurrogate) return xSurrogate ? 1 : -1
      return x - y
    }
  }
  return a.length - b.length
}
