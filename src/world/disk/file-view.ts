/** A disk as one process sees it: from its working directory, with its user and umask, through its descriptors. */
import { DescriptorTable } from './descriptors.ts'
import type { Disk } from './disk.ts'
import { fail } from './errno.ts'
import { type Inode, OWNER_ID } from './inode.ts'
import type { Lookups } from './image-changes.ts'

export class FileView {
  readonly disk: Disk
  readonly descriptors: DescriptorTable
  readonly pid: number
  cwd: string
  umask = 0o022
  /** 0 is root, who may do everything. */
  uid = OWNER_ID
  gid = OWNER_ID
  /** Where to write down what its paths lead through. */
  lookups: Lookups | null = null

  constructor(disk: Disk, options: { cwd: string; pid?: number }) {
    this.disk = disk
    this.cwd = options.cwd
    this.pid = options.pid ?? 1
    this.descriptors = new DescriptorTable(disk)
  }

  /** Throws EACCES unless the user may do that with the inode: a mask of 4 (read), 2 (write), 1 (execute, search). */
  requirePermission(inode: Inode, mask: number): void {
    if (!this.mayAccess(inode, mask)) fail('EACCES')
  }

  mayAccess(inode: Inode, mask: number): boolean {
    const bits = inode.permissions
    if (this.uid === 0) return (mask & 1) === 0 || inode.kind === 'directory' || (bits & 0o111) !== 0
    const shift = inode.uid === this.uid ? 6 : inode.gid === this.gid ? 3 : 0
    return ((bits >> shift) & mask) === mask
  }

  /** Throws EPERM unless the user owns the inode. */
  requireOwner(inode: Inode): void {
    if (this.uid !== 0 && this.uid !== inode.uid) fail('EPERM')
  }
}
