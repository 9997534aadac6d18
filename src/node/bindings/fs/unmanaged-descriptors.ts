/**
 * Descriptors that a worker thread opens by number (`fs.open`) belong to the whole process, so they would outlive the
 * thread. Node therefore keeps account of them and closes what is left (`trackUnmanagedFds`, src/env.cc).
 */
import { close } from '../../../world/disk/open.ts'
import type { FileView } from '../../../world/disk/file-view.ts'
import { current } from '../../process/current.ts'
import { ProcessSlot } from '../../process/process-slot.ts'
import type { RunningProcess } from '../../process/running-process.ts'

const OPENED = new ProcessSlot<Set<number>>()

/** A thread is to keep account. */
export function trackDescriptors(thread: RunningProcess, files: () => FileView): void {
  const opened = OPENED.set(thread, new Set())
  thread.natives.add({
    close() {
      for (const fd of opened) if (files().descriptors.has(fd)) close(files(), fd)
    },
  })
}

export function descriptorOpened(fd: number): number {
  const opened = OPENED.get(current())
  if (opened?.has(fd)) warn(`File descriptor ${fd} opened in unmanaged mode twice`)
  opened?.add(fd)
  return fd
}

export function descriptorClosed(fd: number): void {
  const opened = OPENED.get(current())
  if (opened?.delete(fd) === false) warn(`File descriptor ${fd} closed but not opened in unmanaged mode`)
}

function warn(message: string): void {
  current().object.emitWarning(message)
}
