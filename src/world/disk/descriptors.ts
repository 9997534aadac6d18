/**
 * Open files and the descriptors that lead to them. An open file has its own position and flags, as in POSIX; the table
 * lives with the process and dies with it; a file without any reference is released then.
 */
import type { Directory } from './directory.ts'
import type { Disk } from './disk.ts'
import { fail } from './errno.ts'
import type { Inode } from './inode.ts'

/** Node itself holds descriptors for its event loops and pipes: the first a program gets on Linux is about this one. */
const FIRST_FREE_DESCRIPTOR = 17
const MAX_DESCRIPTORS = 1_048_576

export class OpenFile {
  readonly inode: Inode
  readonly flags: number
  position = 0
  /** Where it was opened, for watchers of that directory. */
  readonly parent: Directory | null
  readonly name: string

  constructor(inode: Inode, flags: number, parent: Directory | null, name: string) {
    this.inode = inode
    this.flags = flags
    this.parent = parent
    this.name = name
  }
}

export class DescriptorTable {
  private readonly disk: Disk
  private readonly files: (OpenFile | undefined)[] = []
  private lowestFree = FIRST_FREE_DESCRIPTOR
  /** How many may be open, as `ulimit -n` sets it. */
  limit = MAX_DESCRIPTORS

  constructor(disk: Disk) {
    this.disk = disk
  }

  get(fd: number): OpenFile {
    return this.files[fd] ?? fail('EBADF')
  }

  has(fd: number): boolean {
    return this.files[fd] !== undefined
  }

  /** The lowest free descriptor, taken. */
  open(file: OpenFile): number {
    let fd = this.lowestFree
    while (this.files[fd] !== undefined) fd++
    if (fd >= this.limit) fail('EMFILE')
    this.lowestFree = fd + 1
    this.install(fd, file)
    return fd
  }

  /** Puts a file at a given descriptor: standard input and output of a process, inherited pipes. */
  install(fd: number, file: OpenFile): void {
    if (this.files[fd] !== undefined) this.close(fd)
    this.files[fd] = file
    file.inode.opens++
  }

  close(fd: number): void {
    const file = this.get(fd)
    this.files[fd] = undefined
    if (fd >= FIRST_FREE_DESCRIPTOR && fd < this.lowestFree) this.lowestFree = fd
    file.inode.opens--
    this.disk.releaseUnused(file.inode)
  }

  /** The descriptors in use, in order. */
  *descriptors(): IterableIterator<number> {
    for (let fd = 0; fd < this.files.length; fd++) if (this.files[fd] !== undefined) yield fd
  }

  closeAll(): void {
    for (const fd of this.descriptors()) this.close(fd)
  }
}
