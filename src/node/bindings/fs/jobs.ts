/**
 * `ReadFileJob` and `WriteFileJob` (26): a whole `readFile` or `writeFile` as one piece of work in the thread pool. A
 * file larger than one chunk comes back as an open descriptor and its size; the library reads it from there.
 */
import { Buffer } from 'node:buffer'
import { basename } from 'node:path'
import { fstat } from '../../../world/disk/attributes.ts'
import type { FileView } from '../../../world/disk/file-view.ts'
import { S_IFDIR, S_IFMT, S_IFREG } from '../../../world/disk/inode.ts'
import { close, open } from '../../../world/disk/open.ts'
import { current } from '../../process/current.ts'
import { Request } from '../../process/handle.ts'
import type { Binding } from '../../library/internals.ts'
import { readAll, writeAll } from './data.ts'
import { asyncError, codeOf, type Subject } from './errors.ts'
import { bytesOf, describe } from './operation.ts'
import { pathOf } from './path.ts'
import { filesOf } from './view.ts'

export function jobMembers(): Binding {
  return { ReadFileJob, WriteFileJob }
}

/** Runs one part of a job and names what failed. */
function attempt<T>(subject: Subject, run: () => T): T {
  try {
    return run()
  } catch (failure) {
    throw asyncError(codeOf(failure), subject)
  }
}

abstract class FileJob extends Request {
  ondone: ((...args: unknown[]) => void) | undefined
  /** What it is for, among the calls that it makes. */
  protected abstract readonly syscall: string
  protected readonly path: string

  constructor(path: unknown) {
    super('FSREQCALLBACK')
    this.path = pathOf(path)
  }

  /** Nothing here is forbidden beforehand, so there is never an access error to return. */
  run(): undefined {
    const process = current()
    const event = process.complete('fs', filesOf(process).disk.faults.stallUs(), () => {
      let outcome: readonly unknown[]
      try {
        outcome = this.work(filesOf(process))
      } catch (error) {
        outcome = [error]
      }
      process.makeCallback(this, () => this.ondone?.(...outcome), this)
      this.emitDestroy()
    })
    describe(event, process, { syscall: this.syscall, path: basename(this.path) })
  }

  /** Does it and returns the arguments of `ondone`. */
  protected abstract work(view: FileView): readonly unknown[]
}

class ReadFileJob extends FileJob {
  protected readonly syscall = 'read'
  private readonly flags: number
  private readonly chunkBytes: number

  constructor(path: unknown, flags: number, chunkBytes: number) {
    super(path)
    this.flags = flags
    this.chunkBytes = chunkBytes
  }

  protected work(view: FileView): readonly unknown[] {
    const fd = attempt({ syscall: 'open', path: this.path }, () => open(view, this.path, this.flags, 0o666))
    const { mode, size } = fstat(view, fd)
    const kind = mode & S_IFMT
    if (kind !== S_IFDIR && (kind !== S_IFREG || size > this.chunkBytes)) {
      return [null, undefined, fd, kind === S_IFREG ? size : 0, undefined]
    }
    try {
      return [
        null,
        attempt({ syscall: 'read', path: this.path }, () => readAll(view, fd)),
        -1,
        size,
        undefined,
      ]
    } finally {
      close(view, fd)
    }
  }
}

class WriteFileJob extends FileJob {
  protected readonly syscall = 'write'
  private readonly flags: number
  private readonly mode: number
  private readonly data: Uint8Array

  constructor(path: unknown, flags: number, mode: number, data: ArrayBufferView | string) {
    super(path)
    this.flags = flags
    this.mode = mode
    this.data = typeof data === 'string' ? Buffer.from(data) : bytesOf(data)
  }

  protected work(view: FileView): readonly unknown[] {
    const fd = attempt({ syscall: 'open', path: this.path }, () =>
      open(view, this.path, this.flags, this.mode),
    )
    try {
      attempt({ syscall: 'write' }, () => writeAll(view, fd, this.data))
    } finally {
      close(view, fd)
    }
    return [null]
  }
}
