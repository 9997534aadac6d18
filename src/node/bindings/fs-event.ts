/**
 * `fs_event_wrap`: what `fs.watch` stands on, as libuv uses inotify. Made per process, since the library changes the
 * class it finds here. Events are read in one go per wake-up of the loop, like inotify's queue.
 */
import { basename } from 'node:path'
import { find } from '../../world/disk/path-walk.ts'
import { watch, type WatchEvent } from '../../world/disk/watch.ts'
import { Handle } from '../handle.ts'
import type { Binding } from '../internals.ts'
import type { NodeProcess } from '../process.ts'
import { closed, uvCode } from './binding.ts'
import { codeOf } from './fs-errors.ts'
import { encodeName, pathOf } from './fs-path.ts'
import { filesOf } from './fs-view.ts'

export function fsEventWrap(_process: NodeProcess): Binding {
  class FSEvent extends Handle {
    onchange: ((status: number, event: WatchEvent, name: unknown) => void) | undefined
    private stop: (() => void) | null = null

    constructor() {
      super('FSEVENTWRAP')
    }

    get initialized(): boolean {
      return this.stop !== null && this.isOpen
    }

    start(path: string | Uint8Array, persistent: boolean, _recursive: boolean, encoding: string): number {
      if (this.stop !== null) return 0
      const text = pathOf(path)
      const { kernel, actor } = this.process
      try {
        const inode = find(filesOf(this.process), text, true)
        this.stop = watch(inode, (event, name) => {
          kernel.schedule(actor, 'fs-event', 1, () => {
            this.process.loop.receive(() => {
              if (this.isOpen)
                this.callback('onchange', 0, event, encodeName(name ?? basename(text), encoding))
            })
          })
        })
      } catch (failure) {
        return uvCode(codeOf(failure))
      }
      this.active = true
      if (!persistent) this.unref()
      return 0
    }

    protected override release(): void {
      this.stop?.()
    }
  }
  return closed('fs_event_wrap', { FSEvent })
}
