/**
 * The disk of one host: a tree of inodes over the image, with a page cache above a medium that only a sync reaches.
 * Written data survives its process; unsynced data may not survive a power loss of the host. The same inode objects
 * serve before and after a power loss: {@link Disk.powerLoss} takes back the lost changes.
 */
import { min } from '../../kernel/arithmetic.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { Evidence } from '../evidence.ts'
import { below, Directory, type Materialise } from './directory.ts'
import { pathsOf, type ContentLoss, type DiskLoss } from './disk-loss.ts'
import { DiskFaultBook, NO_DISK_FAULTS, type DiskFaults } from './disk-faults.ts'
import type { Medium } from './file-data.ts'
import type { ImageKind, ImageMount } from './image.ts'
import {
  type Device,
  DeviceInode,
  FileInode,
  FROM_IMAGE,
  numberOf,
  type ImageSource,
  type Inode,
  SocketInode,
  SymlinkInode,
} from './inode.ts'
import { type DiskModel, type NameChange, NamespaceLog } from './namespace-log.ts'
import { ImageChanges } from './image-changes.ts'
import { loseAttributes, loseFilePower } from './power-loss.ts'
import { Space } from './space.ts'
import { standardRoot } from './standard-tree.ts'
import { fromMicroseconds, type Timestamp } from './timestamp.ts'

export type { DiskModel }

export interface DiskOptions {
  /** The host's name: choices of this disk are named after it. */
  readonly name: string
  readonly kernel: Kernel
  /** The host's wall clock in microseconds since 1970. */
  readonly wallUs: () => number
  readonly image?: readonly ImageMount[]
  readonly capacityBytes?: number
  readonly faults?: DiskFaults
  /** Where faults that took effect are reported. */
  readonly evidence?: Evidence
  /** What a power loss may take; `posix` by default. */
  readonly model?: DiskModel
  /** How long data and names may stay unsynced before the system writes them by itself. */
  readonly writebackUs?: number
}

const DEFAULT_CAPACITY_BYTES = 64 * 1024 ** 3
/** Linux writes pages back when they have been dirty for thirty seconds. */
const DEFAULT_WRITEBACK_US = 30_000_000
/** ext4 commits its journal every five seconds. */
const COMMIT_US = 5_000_000

/** The image's files, and what every machine has, are a day older than the world. */
const IMAGE_AGE_US = 86_400_000_000

export class Disk {
  readonly name: string
  readonly kernel: Kernel
  readonly faults: DiskFaultBook
  readonly medium: Medium
  readonly space: Space
  readonly names: NamespaceLog
  readonly model: DiskModel
  /** When the journal was last committed. */
  private committedUs = -1
  /** The changes that programs made to the image. */
  changes = new ImageChanges()
  root: Directory
  /** What the last power loss took. */
  losses: readonly DiskLoss[] = []
  private readonly options: DiskOptions
  private readonly bornAt: Timestamp
  private nextInode = 2
  private lastUs = -1
  private lastTime: Timestamp

  constructor(options: DiskOptions) {
    this.options = options
    this.name = options.name
    this.kernel = options.kernel
    this.faults = new DiskFaultBook({
      choices: options.kernel.choices,
      host: options.name,
      rates: options.faults ?? NO_DISK_FAULTS,
      evidence: options.evidence ?? new Evidence(),
      nowUs: () => options.kernel.now,
    })
    this.space = new Space(options.capacityBytes ?? DEFAULT_CAPACITY_BYTES)
    const writebackUs = options.writebackUs ?? DEFAULT_WRITEBACK_US
    this.medium = { space: this.space, writebackUs, imageReads: new Set(), changes: 0 }
    this.model = options.model ?? 'posix'
    this.names = new NamespaceLog(
      this.model === 'ext4' ? min(writebackUs, COMMIT_US) : writebackUs,
      this.model,
    )
    this.bornAt = fromMicroseconds(options.wallUs() - IMAGE_AGE_US)
    this.lastTime = this.bornAt
    for (const { at } of this.image) options.kernel.hash.hide(at)
    this.root = this.makeTree()
  }

  /** The image files that this world has read: with their hashes, what a run depended on. */
  get imageReads(): ReadonlySet<string> {
    return this.medium.imageReads
  }

  /** The host's wall-clock time. */
  time(): Timestamp {
    const us = this.options.wallUs()
    if (us !== this.lastUs) {
      this.lastUs = us
      this.lastTime = fromMicroseconds(us)
    }
    return this.lastTime
  }

  /** The image that it was made from. */
  get image(): readonly ImageMount[] {
    return this.options.image ?? []
  }

  /** The same disk as it was when it was new. */
  pristine(): Disk {
    return new Disk(this.options)
  }

  newFile(permissions: number): FileInode {
    return new FileInode(this.nextInode++, permissions, this.time(), { medium: this.medium })
  }

  newDirectory(parent: Directory | null, permissions: number): Directory {
    return new Directory(this.nextInode++, permissions, this.time(), { parent })
  }

  newSymlink(target: string): SymlinkInode {
    return new SymlinkInode(this.nextInode++, this.time(), target)
  }

  newSocket(permissions: number): SocketInode {
    return new SocketInode(this.nextInode++, permissions, this.time(), null)
  }

  newDevice(permissions: number, device: Device): DeviceInode {
    return new DeviceInode(this.nextInode++, permissions, this.bornAt, device)
  }

  takeInodeNumber(): number {
    return this.nextInode++
  }

  /** Changes names, all together, and logs that until the directories are synced. */
  changeNames(changes: readonly NameChange[]): void {
    const time = this.time()
    const { hash } = this.kernel
    for (const { directory, name, before, after } of changes) {
      hash.addText(name, 'names')
      hash.addWide(directory.ino)
      hash.addWide(after === null ? 0 : after.ino)
      directory.put(name, after)
      if (directory.place !== null) this.changes.add(below(directory.place, name))
      directory.mtime = time
      directory.ctime = time
      if (before !== null) before.links--
      if (after !== null) {
        after.links++
        if (after.kind === 'directory') (after as Directory).parent = directory
      }
    }
    this.names.append(changes, this.kernel.now)
    this.medium.changes++
    for (const { before } of changes) if (before !== null) this.releaseUnused(before)
  }

  /** A sync of anything: on ext4 everything that was done to names and attributes before it is on the medium. */
  commitJournal(): void {
    if (this.model !== 'ext4') return
    this.names.commit()
    this.committedUs = this.kernel.now
    this.medium.changes++
  }

  /** Gives back the space of an inode that cannot be reached. Its content stays: power loss may bring its name back. */
  releaseUnused(inode: Inode): void {
    if (inode.links === 0 && inode.opens === 0 && inode instanceof FileInode)
      this.space.give(inode.allocatedPages)
  }

  /**
   * The host loses power: every process is gone already, and by choice so is what was not synced. Sockets stay behind
   * as names without a listener. {@link losses} says what is gone.
   */
  powerLoss(): void {
    const nowUs = this.kernel.now
    this.medium.changes++
    const { faults } = this
    const names = this.names.powerLoss(faults.stream('name survival'), nowUs, faults.survival === 'nameless')
    for (const _ of names) this.faults.land('lost-name', 0)
    const contents = new Map<Inode, Omit<ContentLoss, 'what' | 'path'>>()
    const reachable = this.recount()
    for (const inode of [...reachable].sort((a, b) => a.ino - b.ino)) {
      if (inode.attributesSinceUs <= this.committedUs) inode.durableAttributes = null
      loseAttributes(inode, this.faults, nowUs, this.medium.writebackUs)
      if (!(inode instanceof FileInode) || !inode.hasUnsynced) continue
      const loss = loseFilePower(inode, this.faults, nowUs, this.model)
      if (loss !== null) contents.set(inode, loss)
    }
    const paths = pathsOf(this.root, new Set(contents.keys()))
    this.losses = [
      ...names,
      ...[...contents].map(
        ([inode, loss]) => ({ what: 'content', path: paths.get(inode)!, ...loss }) as const,
      ),
    ]
    this.space.usedPages = 0
    for (const inode of reachable) {
      if (inode instanceof FileInode) this.space.usedPages += inode.allocatedPages
    }
  }

  /** A new disk in the same machine: only the image is left. */
  wipe(): void {
    this.names.clear()
    this.medium.changes++
    this.space.usedPages = 0
    this.changes = new ImageChanges()
    this.root = this.makeTree()
  }

  /** Counts links anew from the root, drops what cannot be reached, and forgets that anything is open or watched. */
  private recount(): Set<Inode> {
    const reachable = new Set<Inode>([this.root])
    for (const inode of reachable) {
      inode.opens = 0
      inode.watches = null
      if (inode instanceof SocketInode) inode.listener = null
      if (!(inode instanceof Directory)) continue
      for (const [, entry] of inode.materialised()) {
        entry.links = reachable.has(entry) ? entry.links + 1 : 1
        if (entry instanceof Directory) entry.parent = inode
        reachable.add(entry)
      }
    }
    return reachable
  }

  private makeTree(): Directory {
    const root = new Directory(this.nextInode++, 0o755, this.bornAt, {
      parent: null,
      image: standardRoot(this),
    })
    root.links = 1
    root.pinned = true
    for (const [i, mount] of this.image.entries()) this.mount(root, mount, `image ${i}`)
    return root
  }

  private mount(root: Directory, { at, from, reader }: ImageMount, key: string): void {
    const names = at.split('/').filter((name) => name !== '')
    let directory = root
    let place = '/'
    for (const [i, name] of names.entries()) {
      const isLast = i === names.length - 1
      place = below(place, name)
      let next = isLast ? null : directory.lookup(name)
      if (!(next instanceof Directory)) {
        next = isLast
          ? this.imageInode('directory', { reader, path: from, place, key }, directory, this.materialise)
          : new Directory(numberOf(`${key} above ${names.length - i}`), 0o755, this.bornAt, {
              parent: directory,
              place,
            })
        next.links = 1
        directory.put(name, next)
      }
      directory = next as Directory
      directory.pinned = true
    }
  }

  private readonly materialise: Materialise = (kind, source, parent) =>
    this.imageInode(kind, source, parent, this.materialise)

  /** The inode of an image entry; what is below it is made by `materialise`. */
  imageInode(kind: ImageKind, source: ImageSource, parent: Directory, materialise: Materialise): Inode {
    switch (kind) {
      case 'file':
        return new FileInode(FROM_IMAGE, FROM_IMAGE, this.bornAt, { medium: this.medium, source })
      case 'symlink':
        return new SymlinkInode(FROM_IMAGE, this.bornAt, source)
      case 'directory':
        return new Directory(FROM_IMAGE, FROM_IMAGE, this.bornAt, {
          parent,
          image: { ...source, materialise },
        })
    }
  }
}
