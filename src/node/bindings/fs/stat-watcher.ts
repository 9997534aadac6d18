/**
 * `StatWatcher`, what `fs.watchFile` stands on: a stat now and one every interval of virtual time, as libuv's
 * `uv_fs_poll` does, and a call whenever something of it changed. The first stat is silent, unless the file is missing.
 */
import { max } from '../../../kernel/arithmetic.ts'
import { type Stat, stat } from '../../../world/disk/attributes.ts'
import { Handle } from '../../process/handle.ts'
import { uvCode } from '../binding.ts'
import { codeOf } from './errors.ts'
import { pathOf } from './path.ts'
import { fillStat, STAT_FIELDS } from './stats.ts'
import { filesOf } from './view.ts'
import type { KernelEvent } from '../../../kernel/event.ts'

export class StatWatcher extends Handle {
  onchange: ((status: number, stats: Float64Array | BigInt64Array) => void) | undefined
  private readonly bigint: boolean
  private path = ''
  private intervalUs = 0
  private last: Stat | null = null
  private lastStatus = 0
  private started = false
  private event: KernelEvent | null = null

  constructor(bigint?: boolean) {
    super('STATWATCHER')
    this.bigint = bigint === true
  }

  start(path: string | Uint8Array, intervalMs: number): number {
    if (this.active) return 0
    this.path = pathOf(path)
    this.intervalUs = max(1, intervalMs) * 1000
    this.active = true
    this.process.complete('fs', 0, () => this.poll())
    return 0
  }

  private poll(): void {
    if (!this.isOpen) return
    let found: Stat | null = null
    let status = 0
    try {
      found = stat(filesOf(this.process), this.path, true)
    } catch (failure) {
      status = uvCode(codeOf(failure))
    }
    const before = this.last
    const isNews =
      status < 0
        ? status !== this.lastStatus
        : this.started && (this.lastStatus < 0 || !isSame(before, found))
    if (status < 0) {
      if (isNews) this.report(status, null, before)
    } else {
      if (isNews) this.report(0, found, this.lastStatus < 0 ? null : before)
      this.last = found
    }
    this.lastStatus = status
    this.started = true
    this.arm()
  }

  private report(status: number, now: Stat | null, before: Stat | null): void {
    const stats = this.bigint ? new BigInt64Array(2 * STAT_FIELDS) : new Float64Array(2 * STAT_FIELDS)
    fillStat(stats, now)
    fillStat(stats, before, STAT_FIELDS)
    this.callback('onchange', status, stats)
  }

  private arm(): void {
    if (!this.isOpen) return
    const { kernel, actor, loop } = this.process
    this.event = kernel.schedule(actor, 'stat-watch', this.intervalUs, () => loop.receive(() => this.poll()))
  }

  protected override release(): void {
    if (this.event !== null) this.process.kernel.cancel(this.event)
    this.event = null
  }
}

function isSame(a: Stat | null, b: Stat | null): boolean {
  if (a === null || b === null) return a === b
  return (
    a.ctime.nsec === b.ctime.nsec &&
    a.mtime.nsec === b.mtime.nsec &&
    a.birthtime.nsec === b.birthtime.nsec &&
    a.ctime.sec === b.ctime.sec &&
    a.mtime.sec === b.mtime.sec &&
    a.birthtime.sec === b.birthtime.sec &&
    a.size === b.size &&
    a.mode === b.mode &&
    a.uid === b.uid &&
    a.gid === b.gid &&
    a.ino === b.ino &&
    a.dev === b.dev
  )
}
