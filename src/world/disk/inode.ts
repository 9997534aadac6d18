/**
 * Inodes: what a name leads to. Files, symbolic links, unix sockets and character devices are here, directories in
 * `directory.ts`. An inode lives as long as a name or an open file refers to it.
 *
 * Attributes (mode, owner, times) changed since the last fsync may be gone after power loss, so the first change keeps
 * what they were. An image inode asks the image for its size and permissions only when they are read. Its number
 * comes from its place in the image: what a program has looked at must not show in the numbers of the files that it
 * makes, and two clones of a project have the same numbers wherever they are.
 */
import { ceil, imul } from '../../kernel/arithmetic.ts'
import { FileData, type Medium } from './file-data.ts'
import type { ImageReader } from './image.ts'
import type { Timestamp } from './timestamp.ts'
import type { Watches } from './watch.ts'

export const S_IFMT = 0o170000
const S_IFSOCK = 0o140000
const S_IFLNK = 0o120000
export const S_IFREG = 0o100000
export const S_IFDIR = 0o040000
const S_IFCHR = 0o020000
const S_IFIFO = 0o010000
const PERMISSION_BITS = 0o7777

/** The user whose machine this is: programs run as this one and own everything, so only what they forbid is forbidden. */
export const OWNER_ID = 1000

export type InodeKind = 'file' | 'directory' | 'symlink' | 'socket' | 'device'

/** The attributes that `chmod`, `chown` and `utimes` change. */
export interface Attributes {
  readonly permissions: number
  readonly uid: number
  readonly gid: number
  readonly mtime: Timestamp
}

/** Where an inode comes from when the image has it. */
export interface ImageSource {
  readonly reader: ImageReader
  readonly path: string
  /** Where a disk shows it until it is moved. */
  readonly place: string
  /** Its place within its part of the image, whichever folder of the real machine that part is. */
  readonly key: string
}

export abstract class Inode {
  abstract readonly kind: InodeKind
  uid = OWNER_ID
  gid = OWNER_ID
  /** Names that lead here. */
  links = 0
  /** Open files that refer here. */
  opens = 0
  atime: Timestamp
  mtime: Timestamp
  ctime: Timestamp
  readonly birthtime: Timestamp
  /** The attributes on the medium, while they differ. */
  durableAttributes: Attributes | null = null
  attributesSinceUs = 0
  watches: Watches | null = null
  protected bits: number
  protected readonly source: ImageSource | null
  private number: number

  /** Image inodes have no number to be given: {@link FROM_IMAGE}. */
  constructor(ino: number, permissions: number, time: Timestamp, source: ImageSource | null) {
    this.number = ino
    this.bits = permissions
    this.atime = time
    this.mtime = time
    this.ctime = time
    this.birthtime = time
    this.source = source
  }

  get ino(): number {
    if (this.number < 0) this.number = numberOf(this.source!.key)
    return this.number
  }

  /** Where it was when the disk was new; null for what was made since. */
  get place(): string | null {
    return this.source === null ? null : this.source.place
  }

  get permissions(): number {
    if (this.bits < 0) this.bits = this.source!.reader.facts(this.source!.path).permissions
    return this.bits
  }

  set permissions(bits: number) {
    this.bits = bits & PERMISSION_BITS
  }

  /** Call before changing an attribute. */
  noteAttributes(nowUs: number): void {
    if (this.durableAttributes !== null) return
    this.durableAttributes = {
      permissions: this.permissions,
      uid: this.uid,
      gid: this.gid,
      mtime: this.mtime,
    }
    this.attributesSinceUs = nowUs
  }

  revertAttributes(): void {
    const before = this.durableAttributes
    if (before === null) return
    this.durableAttributes = null
    this.bits = before.permissions
    this.uid = before.uid
    this.gid = before.gid
    this.mtime = before.mtime
  }
}

/** Stands for a number or permission bits that are still to be had from the image. */
export const FROM_IMAGE = -1

/** Above all numbers that are counted: two FNV-1a hashes of 24 bits each, one on top of the other. */
export function numberOf(key: string): number {
  let low = 0x811c9dc5
  let high = 0x01000193
  for (let i = 0; i < key.length; i++) {
    const unit = key.charCodeAt(i)
    low = imul(low ^ unit, 0x01000193)
    high = imul(high ^ unit, 0x01000193)
  }
  return 2 ** 48 + (high >>> 8) * 2 ** 24 + (low >>> 8)
}

export class FileInode extends Inode {
  readonly kind = 'file'
  private loaded: FileData | null = null
  private readonly medium: Medium

  constructor(
    ino: number,
    permissions: number,
    time: Timestamp,
    options: { medium: Medium; source?: ImageSource },
  ) {
    super(ino, permissions, time, options.source ?? null)
    this.medium = options.medium
  }

  get data(): FileData {
    if (this.loaded === null) {
      const { source, medium } = this
      if (source !== null) medium.imageReads.add(source.path)
      this.loaded = new FileData(medium, source === null ? null : source.reader.read(source.path))
    }
    return this.loaded
  }

  /** Where the image has it; null if it does not. */
  get imagePath(): string | null {
    return this.source === null ? null : this.source.path
  }

  /** The bytes of an unchanged image file; null for any other. Not a copy: the caller never writes into them. */
  pristineBytes(): Uint8Array | null {
    const { source } = this
    if (source === null || !this.isPristine) return null
    this.medium.imageReads.add(source.path)
    return source.reader.read(source.path)
  }

  /** The size, without reading an image file for it. */
  get size(): number {
    if (this.loaded === null && this.source !== null)
      return this.source.reader.facts(this.source.path).sizeBytes
    return this.data.size
  }

  /** An unchanged image file: the program's own code and data, which no disk fault touches. */
  get isPristine(): boolean {
    return (
      this.source !== null &&
      (this.loaded === null || (this.loaded.allocatedPages === 0 && !this.loaded.hasUnsynced))
    )
  }

  get hasUnsynced(): boolean {
    return this.loaded !== null && this.loaded.hasUnsynced
  }

  /** See {@link FileData}; content that was never loaded has not changed. */
  get contentVersion(): number {
    return this.loaded?.contentVersion ?? 0
  }

  get syncVersion(): number {
    return this.loaded?.syncVersion ?? 0
  }

  /** Pages of the writable layer. */
  get allocatedPages(): number {
    return this.loaded?.allocatedPages ?? 0
  }

  /** 512-byte blocks, as `stat` counts them. */
  get blocks(): number {
    if (this.loaded === null && this.source !== null) return ceil(this.size / 4096) * 8
    return this.data.dataPages * 8
  }
}

export class SymlinkInode extends Inode {
  readonly kind = 'symlink'
  private text: string | null

  constructor(ino: number, time: Timestamp, target: string | ImageSource) {
    super(ino, 0o777, time, typeof target === 'string' ? null : target)
    this.text = typeof target === 'string' ? target : null
  }

  get target(): string {
    this.text ??= this.source!.reader.readLink(this.source!.path)
    return this.text
  }
}

/** A unix socket's place in the file system. Who listens is the network's matter, not the disk's. */
export class SocketInode extends Inode {
  readonly kind = 'socket'
  listener: unknown = null
}

/** The behaviour of a character device. It has no positions. */
export interface Device {
  /** A character device unless it says that it is a pipe. */
  readonly type?: 'pipe'
  readonly rdev: number
  /** Reads into `target`; 0 is the end. Throws a disk failure, such as EAGAIN while there is nothing. */
  read(target: Uint8Array): number
  write(bytes: Uint8Array): number
  /** Calls back once when there is something to read. */
  whenReadable?(callback: () => void): void
}

export class DeviceInode extends Inode {
  readonly kind = 'device'
  readonly device: Device

  constructor(ino: number, permissions: number, time: Timestamp, device: Device) {
    super(ino, permissions, time, null)
    this.device = device
  }
}

export function typeBits(inode: Inode): number {
  switch (inode.kind) {
    case 'file':
      return S_IFREG
    case 'directory':
      return S_IFDIR
    case 'symlink':
      return S_IFLNK
    case 'socket':
      return S_IFSOCK
    case 'device':
      return (inode as DeviceInode).device.type === 'pipe' ? S_IFIFO : S_IFCHR
  }
}
