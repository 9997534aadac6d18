/**
 * Notes which files of the image a run read, with the hash of their content: a trace names the program it was recorded
 * with. Answers come from the thread's image, which reads every file once.
 */
import type { ImageFacts, ImageKind, ImageMount, ImageReader } from '../../world/disk/image.ts'

export class ProgramFiles {
  /** Path → content hash. */
  readonly read = new Map<string, string>()
  readonly mounts: readonly ImageMount[]

  constructor(mounts: readonly ImageMount[]) {
    this.mounts = mounts.map((mount) => ({ ...mount, reader: new NotingReader(mount.reader, this.read) }))
  }
}

class NotingReader implements ImageReader {
  private readonly reader: ImageReader
  private readonly noted: Map<string, string>

  constructor(reader: ImageReader, noted: Map<string, string>) {
    this.reader = reader
    this.noted = noted
  }

  get hashes(): ReadonlyMap<string, string> {
    return this.noted
  }

  list(path: string): ReadonlyMap<string, ImageKind> {
    return this.reader.list(path)
  }

  facts(path: string): ImageFacts {
    return this.reader.facts(path)
  }

  read(path: string): Uint8Array {
    const bytes = this.reader.read(path)
    this.noted.set(path, this.reader.hashes.get(path) ?? '')
    return bytes
  }

  readLink(path: string): string {
    return this.reader.readLink(path)
  }
}
