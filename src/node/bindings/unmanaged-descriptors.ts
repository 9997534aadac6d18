/**
 * Descriptors that a worker thread opens by number (`fs.open`) belong to the whole process, so they would outlive the
 * thread. Node therefore keeps account of them and closes what is left (`trackUnmanagedFds`, src/env.cc).
 */
import { close } from '../../world/disk/open.ts'
import type { FileView } from '../../world/disk/file-view.ts'
import { current } from '../current.ts'
import type { NodeProcess } from '../process.ts'

const OPENED = Symbol('unmanaged descriptors')

/** A thread is to keep account. */
export function trackDescriptors(thread: NodeProcess, files: () => FileView): void {
  const opened = new Set<number>()
  thread.state.set(OPENED, opened)
  thread.natives.add({
    close() {
      for (const fd of opened) if (files().descriptors.has(fd)) close(files(), fd)
    },
  })
}

export function descriptorOpened(fd: number): number {
  const opened = current().state.get(OPENED) as Set<number> | undefined
  if (opened?.has(fd)) warn(`File descriptor ${fd} opened in unmanaged mode twice`)
  opened?.add(fd)
  return fd
}

export function descriptorClosed(fd: number): void {
  const opened = current().state.get(OPENED) as Set<number> | undefined
  if (opened?.delete(fd) === false) warn(`File descriptor ${fd} closed but not opened in unmanaged mode`)
}

function warn(message: string): void {
  current().object.emitWarning(message)
}
