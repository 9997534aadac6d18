/**
 * The disk image: the read-only lower layer of every disk, the project's own files as they lie on the real machine.
 * This layer knows it only as a reader that it is given, so that nothing here touches a real file system. The answers
 * of a reader must not change during a run; it is asked lazily, and it keeps the content hash of everything that was
 * read, which goes into the trace.
 *
 * Owners, times and inode numbers of image files are not the real machine's: they would differ between two clones of
 * one commit. Only names, kinds, contents, link targets and permission bits come from the image.
 */
export type ImageKind = 'file' | 'directory' | 'symlink'

export interface ImageFacts {
  readonly sizeBytes: number
  /** The nine permission bits. */
  readonly permissions: number
}

export interface ImageReader {
  /** The names in a directory with their kinds. Entries that are neither file, directory nor link are left out. */
  list(path: string): ReadonlyMap<string, ImageKind>
  facts(path: string): ImageFacts
  /** A file's bytes. The caller never writes into them. */
  read(path: string): Uint8Array
  readLink(path: string): string
  /** Content hashes by path, at least of every file that was read. */
  readonly hashes: ReadonlyMap<string, string>
}

/** Shows the image directory `from` at the path `at` of a disk. */
export interface ImageMount {
  readonly at: string
  readonly from: string
  readonly reader: ImageReader
}
