/**
 * The files of processes, for invariants and checks: their content now, what is surely left of it after a power loss,
 * and a `file` event after every step in which a declared file changed. Looking leaves no trace in the world (see
 * `world/disk/glance.ts`); a simulation that declares no file pays nothing.
 */
import { Buffer } from 'node:buffer'
import { resolve } from 'node:path/posix'
import { UsageError } from '../../kernel/errors.ts'
import type { Disk } from '../../world/disk/disk.ts'
import { glanceAt, glanceBytes, type Moment } from '../../world/disk/glance.ts'
import { FileInode } from '../../world/disk/inode.ts'

export interface WatchedFile {
  /** A group of processes, or one process by its name. */
  readonly of: string
  /** Absolute, or relative to the working directory of the process. */
  readonly path: string
}

/** What a `file` event carries. */
export interface FileEvent {
  /** The name of the declaration. */
  readonly file: string
  readonly process: string
  readonly path: string
  /**
   * What the step did, the first that applies: the name is there or gone, leads to another file, the content changed,
   * or only what is on the medium did.
   */
  readonly change: 'created' | 'removed' | 'replaced' | 'written' | 'synced'
  readonly sizeBytes: number
}

/** Reads files of processes by the processes' names. Null: there is no such file. */
export interface ProcessFiles {
  /** As every process of the host sees it. */
  read(process: string, path: string): Buffer | null
  /** What is left if the power fails now and nothing unsynced survives: neither bytes nor names. */
  readSynced(process: string, path: string): Buffer | null
}

/** Where a process keeps its files. */
export interface FileSite {
  readonly process: string
  readonly group: string
  readonly disk: Disk
  readonly cwd: string
}

export class SiteFiles implements ProcessFiles {
  private readonly sites: () => readonly FileSite[]

  constructor(sites: () => readonly FileSite[]) {
    this.sites = sites
  }

  read(process: string, path: string): Buffer | null {
    return this.bytes(process, path, 'current')
  }

  readSynced(process: string, path: string): Buffer | null {
    return this.bytes(process, path, 'synced')
  }

  private bytes(process: string, path: string, moment: Moment): Buffer | null {
    const all = this.sites()
    const site = all.find((each) => each.process === process)
    if (site === undefined) {
      const names = all.map((each) => each.process).join(', ')
      throw new UsageError(
        'ERR_WAVETANK_PROCESS',
        `files: no process is named '${process}'; there are ${names}`,
      )
    }
    const bytes = glanceBytes(site.disk, resolve(site.cwd, path), moment)
    return bytes === null ? null : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }
}

interface Watch {
  readonly file: string
  readonly process: string
  readonly path: string
  readonly disk: Disk
  seen: Sight
}

/** What tells one state of a file from another. */
interface Sight {
  readonly inode: number
  readonly content: number
  readonly synced: number
  readonly syncedInode: number
  readonly sizeBytes: number
}

const NONE = -1

/** Compares declared files after steps. */
export class FileWatch {
  private readonly watches: readonly Watch[]
  private readonly disks: { readonly disk: Disk; changes: number }[]
  private readonly publish: (event: FileEvent) => void

  constructor(
    files: Readonly<Record<string, WatchedFile>>,
    sites: readonly FileSite[],
    publish: (event: FileEvent) => void,
  ) {
    this.publish = publish
    this.watches = Object.entries(files).flatMap(([file, { of, path }]) =>
      sites
        .filter(({ process, group }) => process === of || group === of)
        .map(({ process, disk, cwd }) => {
          const absolute = resolve(cwd, path)
          return { file, process, path: absolute, disk, seen: look(disk, absolute) }
        }),
    )
    const disks = new Set(this.watches.map((watch) => watch.disk))
    this.disks = [...disks].map((disk) => ({ disk, changes: disk.medium.changes }))
  }

  afterStep(): void {
    for (const entry of this.disks) {
      const { changes } = entry.disk.medium
      if (changes === entry.changes) continue
      entry.changes = changes
      for (const watch of this.watches) if (watch.disk === entry.disk) this.compare(watch)
    }
  }

  private compare(watch: Watch): void {
    const now = look(watch.disk, watch.path)
    const change = changeOf(watch.seen, now)
    watch.seen = now
    if (change === null) return
    const { file, process, path } = watch
    this.publish({ file, process, path, change, sizeBytes: now.sizeBytes })
  }
}

function look(disk: Disk, path: string): Sight {
  const now = glanceAt(disk, path, 'current')
  const synced = glanceAt(disk, path, 'synced')
  const syncedInode = synced instanceof FileInode ? synced.ino : NONE
  if (!(now instanceof FileInode))
    return { inode: now === null ? NONE : 0, content: 0, synced: 0, syncedInode, sizeBytes: 0 }
  const { ino, contentVersion, syncVersion, size } = now
  return { inode: ino, content: contentVersion, synced: syncVersion, syncedInode, sizeBytes: size }
}

/** A file of the image is no event: it was there before the world, and becomes an inode at the first look-up. */
function changeOf(before: Sight, now: Sight): FileEvent['change'] | null {
  if (before.inode !== now.inode) {
    if (now.inode === NONE) return 'removed'
    if (before.inode === NONE) return 'created'
    return before.inode === 0 && now.content === 0 ? null : 'replaced'
  }
  if (before.content !== now.content) return 'written'
  return before.synced !== now.synced || before.syncedInode !== now.syncedInode ? 'synced' : null
}
