/** `fs_dir`: open directories. The entries are those at the time of opening. */
import { Directory } from '../../../world/disk/directory.ts'
import { fail } from '../../../world/disk/errno.ts'
import type { FileView } from '../../../world/disk/file-view.ts'
import { type DirectoryEntry, entriesOf } from '../../../world/disk/names.ts'
import { find } from '../../../world/disk/path-walk.ts'
import { Request } from '../../process/handle.ts'
import type { Binding } from '../../library/internals.ts'
import { closed } from '../binding.ts'
import { DIRENT_TYPE } from './names.ts'
import { operation } from './operation.ts'
import { encodeName, pathOf } from './path.ts'

class DirHandle extends Request {
  private readonly entries: readonly DirectoryEntry[]
  private next = 0
  readonly read: (...args: any[]) => unknown
  readonly close: (...args: any[]) => unknown

  constructor(entries: readonly DirectoryEntry[]) {
    super('DIRHANDLE')
    this.entries = entries
    this.read = operation({
      syscall: 'scandir',
      inputs: 2,
      run: (_view, [encoding, count]) => this.take(encoding, count),
    })
    this.close = operation({ syscall: 'closedir', inputs: 0, run: () => undefined })
  }

  /** Some names, each followed by its type; null at the end. */
  private take(encoding: unknown, count: number): unknown {
    if (this.next >= this.entries.length) return null
    const result: unknown[] = []
    for (const { name, kind } of this.entries.slice(this.next, this.next + count)) {
      result.push(encodeName(name, encoding), DIRENT_TYPE[kind])
    }
    this.next += count
    return result
  }
}

function openDirectory(view: FileView, path: string): DirHandle {
  const inode = find(view, path, true)
  if (!(inode instanceof Directory)) return fail('ENOTDIR')
  return new DirHandle(entriesOf(view, inode))
}

export function fsDir(): Binding {
  const opendir = operation({
    syscall: 'opendir',
    inputs: 2,
    path: 0,
    run: (view, [path]) => openDirectory(view, pathOf(path)),
  })
  // Its errors name no path.
  const opendirSync = operation({
    syscall: 'opendir',
    inputs: 1,
    run: (view, [path]) => openDirectory(view, pathOf(path)),
  })
  return closed('fs_dir', { opendir, opendirSync, DirHandle })
}
