/**
 * The changes of names that are not on the medium yet: a log of records, each atomic (a rename's two names change
 * together, as in every journalling file system). After `writebackUs` a record is durable by itself. What else is durable
 * depends on the model (Pillai et al., "All File Systems Are Not Created Equal", 2014):
 *
 * - `posix`: fsync of a directory makes the records that touch it durable, and those they build upon; everything else may
 *   be lost at power loss, in any combination that leaves a tree. POSIX promises this and no more.
 * - `ext4`, in its default mode (`data=ordered`, `auto_da_alloc`): the log is a journal. A sync of any file or directory
 *   commits all of it, and a power loss takes a suffix: no record is lost before one that survives. A rename that
 *   replaces a file brings the data with it that the new file had.
 */
import type { ChoiceStream } from '../../kernel/choices.ts'
import type { Directory } from './directory.ts'
import { nameLoss, type NameLoss } from './disk-loss.ts'
import type { FileInode, Inode } from './inode.ts'

/** Which promises of a file system hold at power loss. */
export type DiskModel = 'ext4' | 'posix'

export interface NameChange {
  readonly directory: Directory
  readonly name: string
  readonly before: Inode | null
  readonly after: Inode | null
}

interface NamespaceRecord {
  readonly changes: readonly NameChange[]
  readonly sinceUs: number
  /** The file whose data is on the medium as soon as the record is. */
  readonly brings: FileInode | null
}

export class NamespaceLog {
  private records: NamespaceRecord[] = []
  private readonly writebackUs: number
  private readonly model: DiskModel

  constructor(writebackUs: number, model: DiskModel) {
    this.writebackUs = writebackUs
    this.model = model
  }

  get length(): number {
    return this.records.length
  }

  append(changes: readonly NameChange[], nowUs: number): void {
    // Expired records are dropped now and then, so that a program that never syncs does not fill the memory.
    if (this.records.length >= 256 && this.records.length % 256 === 0) this.settleWriteback(nowUs)
    const brings = this.model === 'ext4' ? replacement(changes) : null
    this.records.push({ changes, sinceUs: nowUs, brings })
  }

  /** Everything so far is on the medium. */
  commit(): void {
    settle(this.records)
    this.records = []
  }

  syncDirectory(directory: Directory): void {
    if (this.model === 'ext4') {
      this.commit()
      return
    }
    const needed = new Set<NamespaceRecord>()
    for (let i = this.records.length - 1; i >= 0; i--) {
      const record = this.records[i]
      if (record.changes.some((change) => change.directory === directory) || isNeededBy(record, needed)) {
        needed.add(record)
      }
    }
    this.records = this.records.filter((record) => !needed.has(record))
  }

  /** The inode of a name if nothing unsynced survives; undefined if nothing of it is unsynced: the name as it is. */
  syncedEntry(directory: Directory, name: string, nowUs: number): Inode | null | undefined {
    const flushedUs = nowUs - this.writebackUs
    for (const { changes, sinceUs } of this.records) {
      if (sinceUs <= flushedUs) continue
      const change = changes.find((each) => each.directory === directory && each.name === name)
      if (change !== undefined) return change.before
    }
    return undefined
  }

  settleWriteback(nowUs: number): void {
    const flushedUs = nowUs - this.writebackUs
    settle(this.records.filter((record) => record.sinceUs <= flushedUs))
    this.records = this.records.filter((record) => record.sinceUs > flushedUs)
  }

  /** Takes back what did not survive, all of it or by choice, and returns what that was, oldest first. The log is then empty. */
  powerLoss(survival: ChoiceStream, nowUs: number, isAllLost = false): NameLoss[] {
    this.settleWriteback(nowUs)
    const { records } = this
    this.records = []
    if (records.length === 0) return []
    const lost = isAllLost ? new Set(records) : closeOver(records, chooseLost(records, survival, this.model))
    settle(records.filter((record) => !lost.has(record)))
    const losses = [...lost].map(({ changes, sinceUs }) => nameLoss(changes, sinceUs)) // while the names are there
    for (let i = records.length - 1; i >= 0; i--) {
      if (!lost.has(records[i])) continue
      for (const { directory, name, before } of records[i].changes) directory.put(name, before)
    }
    return losses
  }

  clear(): void {
    this.records = []
  }
}

/** A file that takes the place of another one. */
function replacement(changes: readonly NameChange[]): FileInode | null {
  const { before = null, after = null } = changes.at(1) ?? {}
  return before?.kind === 'file' && after?.kind === 'file' ? (after as FileInode) : null
}

function settle(durable: readonly NamespaceRecord[]): void {
  for (const { brings, sinceUs } of durable) brings?.data.writtenUntil(sinceUs)
}

function chooseLost(
  records: readonly NamespaceRecord[],
  survival: ChoiceStream,
  model: DiskModel,
): Set<NamespaceRecord> {
  const outcome = survival.weighted([2, 1, 1, 1])
  switch (model === 'ext4' && outcome === 3 ? 2 : outcome) {
    case 0: // everything survives
      return new Set()
    case 1: // nothing does
      return new Set(records)
    case 2: // a prefix does
      return new Set(records.slice(records.length - survival.between(1, records.length)))
    default: // any of them may be lost
      return new Set(records.filter(() => survival.below(2) === 1))
  }
}

/** Records that build upon a lost one are lost too. */
function closeOver(records: readonly NamespaceRecord[], lost: Set<NamespaceRecord>): Set<NamespaceRecord> {
  const closed = new Set<NamespaceRecord>()
  for (const record of records) {
    if (lost.has(record) || buildsUpon(record, closed)) closed.add(record)
  }
  return closed
}

function isNeededBy(earlier: NamespaceRecord, later: ReadonlySet<NamespaceRecord>): boolean {
  for (const record of later) if (areDependent(earlier, record)) return true
  return false
}

function buildsUpon(later: NamespaceRecord, earlier: ReadonlySet<NamespaceRecord>): boolean {
  for (const record of earlier) if (areDependent(record, later)) return true
  return false
}

/** Two records are dependent that change the same name, or move the same directory: the order of those is fixed. */
function areDependent(a: NamespaceRecord, b: NamespaceRecord): boolean {
  for (const x of a.changes) {
    for (const y of b.changes) {
      if (x.directory === y.directory && x.name === y.name) return true
      const moved = x.after ?? x.before
      if (moved !== null && moved.kind === 'directory' && moved === (y.after ?? y.before)) return true
    }
  }
  return false
}
