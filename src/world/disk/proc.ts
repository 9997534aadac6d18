/**
 * `/proc/self`: the part of it that programs read. Its entries depend on who looks: `fd` leads to the open files of the
 * process that asks, which is also how `/dev/stdin` works. Opening such an entry opens what is behind it anew.
 */
import { Directory } from './directory.ts'
import type { Disk } from './disk.ts'
import type { FileView } from './file-view.ts'
import type { Inode } from './inode.ts'

export class ProcSelf extends Directory {
  private readonly disk: Disk
  private readonly fd: ProcDescriptors

  constructor(disk: Disk, parent: Directory) {
    super(disk.takeInodeNumber(), 0o555, disk.time(), { parent })
    this.disk = disk
    this.pinned = true
    this.fd = new ProcDescriptors(disk, this)
  }

  override lookup(name: string, view?: FileView): Inode | null {
    if (name === 'fd') return this.fd
    if (view === undefined) return null
    switch (name) {
      case 'cwd':
        return this.disk.newSymlink(view.cwd)
      case 'exe':
        return this.disk.newSymlink('/usr/bin/node')
      case 'cgroup':
        return this.text('0::/\n')
      case 'mountinfo':
      case 'mounts':
        return this.text('')
      case 'status':
        return this.text(
          `Name:\tnode\nPid:\t${view.pid}\nUid:\t${view.uid}\t${view.uid}\t${view.uid}\t${view.uid}\n`,
        )
      default:
        return null
    }
  }

  override names(): string[] {
    return ['cgroup', 'cwd', 'exe', 'fd', 'mountinfo', 'mounts', 'status']
  }

  override nameOf(inode: Inode): string | null {
    return inode === this.fd ? 'fd' : null
  }

  private text(content: string): Inode {
    const file = this.disk.newFile(0o444)
    file.data.write(0, encodeAscii(content), 0)
    file.data.sync()
    return file
  }
}

class ProcDescriptors extends Directory {
  constructor(disk: Disk, parent: Directory) {
    super(disk.takeInodeNumber(), 0o555, disk.time(), { parent })
  }

  override lookup(name: string, view?: FileView): Inode | null {
    const fd = Number(name)
    if (view === undefined || !Number.isInteger(fd) || !view.descriptors.has(fd)) return null
    return view.descriptors.get(fd).inode
  }

  override names(view?: FileView): string[] {
    return view === undefined ? [] : [...view.descriptors.descriptors()].map(String)
  }
}

export function encodeAscii(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0))
}
