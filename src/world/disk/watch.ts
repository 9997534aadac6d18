/**
 * Watching, as inotify does it for libuv: a watch sits on an inode and hears that its content or attributes changed
 * (`change`), or that names in it came, went or moved, or it itself did (`rename`). Events come with the entry's name
 * where a directory is watched. A watch listens only to its own inode: below a watched directory nothing is heard.
 */
import type { OpenFile } from './descriptors.ts'
import type { Inode } from './inode.ts'

export type WatchEvent = 'change' | 'rename'

export type WatchListener = (event: WatchEvent, name: string | null) => void

export type Watches = Set<WatchListener>

/** Starts to watch; returns what ends it. */
export function watch(inode: Inode, listener: WatchListener): () => void {
  inode.watches ??= new Set()
  inode.watches.add(listener)
  return () => inode.watches?.delete(listener)
}

export function notify(inode: Inode, event: WatchEvent, name: string | null): void {
  if (inode.watches === null) return
  for (const listener of Array.from(inode.watches)) listener(event, name)
}

/** An open file's content changed: its own watchers hear it, and those of the directory it was opened in. */
export function notifyChange(file: OpenFile): void {
  notify(file.inode, 'change', null)
  if (file.parent !== null) notify(file.parent, 'change', file.name)
}
