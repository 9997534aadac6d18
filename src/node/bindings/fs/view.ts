/**
 * The files of a simulated process: its view of its host's disk, with its descriptors. They are closed when the process
 * ends. Descriptors 0, 1 and 2 are there from the start: writing to 1 and 2 is the process's output.
 */
import type { Disk } from '../../../world/disk/disk.ts'
import { fail } from '../../../world/disk/errno.ts'
import { OpenFile } from '../../../world/disk/descriptors.ts'
import { FileView } from '../../../world/disk/file-view.ts'
import type { Device } from '../../../world/disk/inode.ts'
import { UsageError } from '../../../kernel/errors.ts'
import { ProcessSlot } from '../../process/process-slot.ts'
import type { RunningProcess } from '../../process/running-process.ts'
import { USER_ID } from '../credentials.ts'
import { PipeInput } from './pipe-input.ts'
import type { Stdio } from '../../process/stdio.ts'

const FILES = new ProcessSlot<FileView>()
const O_RDONLY = 0
const O_RDWR = 2
const O_WRONLY = 1
/** The device number of `/dev/null`. */
const NULL_DEVICE = 0x103

/** Threads share the files of their process. */
export function filesOf({ main: process }: RunningProcess): FileView {
  const view = FILES.get(process) ?? createView(process)
  view.cwd = process.cwd
  view.umask = process.umask
  return view
}

function createView(process: RunningProcess): FileView {
  const disk = process.placement.host?.disk as Disk | null | undefined
  if (!disk) {
    throw new UsageError(
      'ERR_WAVETANK_NO_DISK',
      `process ${process.placement.name} uses files, but its host has no disk`,
    )
  }
  const view = new FileView(disk, { cwd: process.cwd, pid: process.placement.pid })
  view.uid = USER_ID
  view.gid = USER_ID
  FILES.set(process, view)
  process.natives.add({ close: () => view.descriptors.closeAll() })
  installStdio(process, view)
  return view
}

function installStdio(process: RunningProcess, view: FileView): void {
  for (const [fd, stdio] of process.placement.stdio.entries()) {
    if (stdio?.type === 'file') view.descriptors.install(fd, stdio.file)
    if (stdio === undefined || stdio.type === 'file') continue
    if (stdio.type === 'pipe' && stdio.ipc === true) continue // Node's own, not the program's
    const inode = view.disk.newDevice(0o600, deviceOf(process, stdio))
    const access = fd === 0 ? O_RDONLY : fd > 2 ? O_RDWR : O_WRONLY
    view.descriptors.install(fd, new OpenFile(inode, access, null, ''))
  }
}

function deviceOf(process: RunningProcess, stdio: Exclude<Stdio, { type: 'file' }>): Device {
  switch (stdio.type) {
    case 'output':
      return {
        type: 'pipe',
        rdev: 0,
        read: () => fail('EBADF'),
        write: (bytes) => {
          process.placement.output(stdio.fd, bytes.slice())
          return bytes.length
        },
      }
    case 'pipe': {
      const input = new PipeInput(stdio.endpoint)
      return {
        type: 'pipe',
        rdev: 0,
        read: (target) => input.read(target),
        whenReadable: (callback) => input.wait(callback),
        write: (bytes) => {
          stdio.endpoint.write([bytes.slice()], () => {})
          return bytes.length
        },
      }
    }
    case 'ignore':
      return { rdev: NULL_DEVICE, read: () => 0, write: (bytes) => bytes.length }
  }
}
