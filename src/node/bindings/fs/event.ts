/**
 * `fs_event_wrap`: what `fs.watch` stands on, as libuv uses inotify. Made per process, since the library changes the
 * class it finds here.
 */
import { basename } from 'node:path'
import { find } from '../../../world/disk/path-walk.ts'
import { watch, type WatchEvent } from '../../../world/disk/watch.ts'
import { Handle } from '../../process/handle.ts'
import type { Binding } from '../../library/internals.ts'
import type { RunningProcess } from '../../process/running-process.ts'
import { closed, uvCode } from '../binding.ts'
import { codeOf } from './errors.ts'
import { encodeName, pathOf } from './path.ts'
import { filesOf } from './view.ts'

/** From the change to the loop's wake-up. */
const EVENT_LATENCY_US = 1

export function fsEventWrap(_process: RunningProcess): Binding {
  class FSEvent extends Handle {
    onchange: ((status: number, event: WatchEvent, name: unknown) => void) | undefined
    private stop: (() => void) | null = null
    /** The last event that is on its way. */
    private waiting = ''

    constructor() {
      super('FSEVENTWRAP')
    }

    get initialized(): boolean {
      return this.stop !== null && this.isOpen
    }

    start(path: string | Uint8Array, persistent: boolean, _recursive: boolean, encoding: string): number {
      if (this.stop !== null) return 0
      const text = pathOf(path)
      try {
        const inode = find(filesOf(this.process), text, true)
        this.stop = watch(inode, (event, name) =>
          this.queue(event, encodeName(name ?? basename(text), encoding)),
        )
      } catch (failure) {
        return uvCode(codeOf(failure))
      }
      this.active = true
      if (!persistent) this.unref()
      return 0
    }

    /** Like inotify, drops an event that equals the last one still waiting to be read. */
    private queue(event: WatchEvent, name: string | Uint8Array): void {
      const { kernel, actor, loop } = this.process
      const waiting = `${event} ${String(name)}`
      if (waiting === this.waiting) return
      this.waiting = waiting
      kernel.schedule(actor, 'fs-event', EVENT_LATENCY_US, () => {
        loop.receive(() => {
          if (this.waiting === waiting) this.waiting = ''
          if (this.isOpen) this.callback('onchange', 0, event, name)
        })
      })
    }

    protected override release(): void {
      this.stop?.()
    }
  }
  return closed('fs_event_wrap', { FSEvent })
}
