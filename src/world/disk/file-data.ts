/**
 * The bytes of one file, twice: as every process of the host sees them (the page cache), and as they are on the medium.
 * The two differ in the *dirty* pages, written since the last sync, and in the *stale* ones, which the system believes
 * to be clean although the medium holds something else: after a failed fsync, a phantom write or a misdirected one.
 *
 * Pages are 4096 bytes; a page that was never written is a hole. An image file's pages are slices of its bytes until
 * they are written. Invariant: a page is changed in place only while it is dirty, so a before-image costs one copy per
 * page and sync. Dirty pages reach the medium by themselves after `writebackUs`, as on Linux, which also bounds memory.
 *
 * Not modelled: a sector overwritten several times between two syncs survives in its first or its last version, never
 * in one between.
 */
import { ceil, floor, max, min } from '../../kernel/arithmetic.ts'
import type { Space } from './space.ts'
import { PAGE_BYTES } from './space.ts'

export type Page = Uint8Array

interface DirtyPage {
  /** The content of the medium; null is a hole. */
  readonly before: Page | null
  readonly sinceUs: number
}

export interface Medium {
  /** Goes up with every change of a file or a name, in the cache or on the medium: for watchers outside the world. */
  changes: number
  /** The image files whose bytes were asked for, in that order. */
  readonly imageReads: Set<string>
  readonly space: Space
  readonly writebackUs: number
}

export class FileData {
  size = 0
  /** The size on the medium. */
  durableSize = 0
  /** Go up with every change of what processes see, and of what the medium holds. */
  contentVersion = 0
  syncVersion = 0
  private sizeSinceUs = 0
  private readonly medium: Medium
  private readonly pages = new Map<number, Page>()
  /** In the order in which they were first written since the last sync. */
  readonly dirty = new Map<number, DirtyPage>()
  readonly stale = new Map<number, Page | null>()
  private readonly base: Uint8Array | null
  /** How much of `base` still shows: truncating hides the rest forever. */
  private baseBytes: number

  constructor(medium: Medium, base: Uint8Array | null) {
    this.medium = medium
    this.base = base
    this.baseBytes = base?.length ?? 0
    this.size = this.baseBytes
    this.durableSize = this.baseBytes
  }

  /** When the oldest of what was not synced was written; null if there is none. */
  get unsyncedSinceUs(): number | null {
    const [oldest] = this.dirty.values() // in the order of writing
    const sizeUs = this.size === this.durableSize ? null : this.sizeSinceUs
    return oldest === undefined || sizeUs === null ? (oldest?.sinceUs ?? sizeUs) : min(oldest.sinceUs, sizeUs)
  }

  get hasUnsynced(): boolean {
    return this.dirty.size > 0 || this.stale.size > 0 || this.size !== this.durableSize
  }

  get allocatedPages(): number {
    return this.pages.size
  }

  /** Pages that hold data, those of the image included. */
  get dataPages(): number {
    let count = this.pages.size
    for (let index = 0; index * PAGE_BYTES < this.baseBytes; index++) if (!this.pages.has(index)) count++
    return count
  }

  page(index: number): Page | null {
    const page = this.pages.get(index)
    if (page !== undefined) return page
    const start = index * PAGE_BYTES
    if (this.base === null || start >= this.baseBytes) return null
    return this.base.subarray(start, min(start + PAGE_BYTES, this.baseBytes))
  }

  read(position: number, target: Uint8Array): number {
    const end = min(this.size, position + target.length)
    if (position >= end) return 0
    if (this.pages.size === 0 && this.base !== null && end <= this.baseBytes) {
      target.set(this.base.subarray(position, end))
      return end - position
    }
    for (let at = position; at < end;) {
      const index = floor(at / PAGE_BYTES)
      const from = at - index * PAGE_BYTES
      const to = min(PAGE_BYTES, from + (end - at))
      const page = this.page(index)
      const filled = page === null ? from : max(from, min(to, page.length))
      const out = at - position
      if (page !== null && filled > from) target.set(page.subarray(from, filled), out)
      if (filled < to) target.fill(0, out + filled - from, out + to - from)
      at += to - from
    }
    return end - position
  }

  /** Writes what fits; throws ENOSPC only if nothing did. */
  write(position: number, bytes: Uint8Array, nowUs: number): number {
    let done = 0
    while (done < bytes.length) {
      const index = floor((position + done) / PAGE_BYTES)
      const from = position + done - index * PAGE_BYTES
      const count = min(PAGE_BYTES - from, bytes.length - done)
      let page: Page
      try {
        page = this.writablePage(index, nowUs)
      } catch (failure) {
        if (done === 0) throw failure
        break
      }
      page.set(done === 0 && count === bytes.length ? bytes : bytes.subarray(done, done + count), from)
      done += count
    }
    if (done > 0 && position + done > this.size) this.resize(position + done, nowUs)
    this.contentChanged()
    return done
  }

  truncate(size: number, nowUs: number): void {
    if (size < this.size) {
      const firstGone = ceil(size / PAGE_BYTES)
      const tail = size - floor(size / PAGE_BYTES) * PAGE_BYTES
      if (tail > 0 && this.page(firstGone - 1) !== null) this.writablePage(firstGone - 1, nowUs).fill(0, tail)
      for (let index = firstGone; index * PAGE_BYTES < this.baseBytes; index++) this.noteBefore(index, nowUs)
      for (const index of this.pages.keys()) {
        if (index < firstGone) continue
        this.noteBefore(index, nowUs)
        this.drop(index)
      }
      if (size < this.baseBytes) this.baseBytes = size
    }
    if (size !== this.size) this.resize(size, nowUs)
    this.contentChanged()
  }

  /** Everything written so far is on the medium. */
  sync(): void {
    this.dirty.clear()
    this.durableSize = this.size
    this.syncVersion++
    this.medium.changes++
  }

  /** What was written until a time is on the medium. */
  writtenUntil(timeUs: number): void {
    for (const [index, { sinceUs }] of this.dirty) if (sinceUs <= timeUs) this.dirty.delete(index)
    if (this.size !== this.durableSize && this.sizeSinceUs <= timeUs) this.durableSize = this.size
    this.syncVersion++
    this.medium.changes++
  }

  /** Whether a sync has to tell the medium more than new bytes in old places. */
  get hasNewPlaces(): boolean {
    if (this.size !== this.durableSize) return true
    for (const { before } of this.dirty.values()) if (before === null) return true
    return false
  }

  /**
   * A failed fsync: the system reports it once and then believes the pages to be clean, so that the next fsync succeeds
   * without having written them (Linux; Rebello et al., "Can Applications Recover from fsync Failures?", 2020).
   */
  abandonDirty(): void {
    for (const [index, { before }] of this.dirty) this.stale.set(index, before)
    this.dirty.clear()
  }

  /** At the next sync this page does not reach the medium. */
  loseQuietly(index: number): void {
    const entry = this.dirty.get(index)
    if (entry === undefined) return
    this.stale.set(index, entry.before)
    this.dirty.delete(index)
  }

  /** At the next sync this page lands where another one should be, and its own place keeps what it had. */
  misdirect(index: number, target: number): void {
    const written = this.page(index)
    this.loseQuietly(index)
    this.loseQuietly(target)
    this.stale.set(target, written === null ? null : written.slice())
  }

  /** A bit of the medium and of the cache flips. */
  flipBit(position: number, bit: number): void {
    const index = floor(position / PAGE_BYTES)
    const fresh = new Uint8Array(PAGE_BYTES)
    const old = this.page(index)
    if (old !== null) fresh.set(old)
    fresh[position - index * PAGE_BYTES] ^= 1 << bit
    if (!this.pages.has(index)) this.medium.space.usedPages++
    this.pages.set(index, fresh)
    this.contentChanged()
  }

  /** Dirty pages that were not written back by themselves yet, oldest first. */
  settleWriteback(nowUs: number): void {
    const flushedUs = nowUs - this.medium.writebackUs
    for (const [index, { sinceUs }] of this.dirty) if (sinceUs <= flushedUs) this.dirty.delete(index)
    if (this.size !== this.durableSize && this.sizeSinceUs <= flushedUs) this.durableSize = this.size
  }

  /** The medium's content in place of a page's cached one. */
  revert(index: number, before: Page | null): void {
    if (before === null) this.drop(index)
    else {
      if (!this.pages.has(index)) this.medium.space.usedPages++
      this.pages.set(index, before)
    }
  }

  /** Puts a page together from its new sectors before `cut` and its old ones from there on. */
  tear(index: number, before: Page | null, cutBytes: number): void {
    const torn = new Uint8Array(PAGE_BYTES)
    if (before !== null) torn.set(before)
    const now = this.page(index)
    torn.fill(0, 0, cutBytes)
    if (now !== null) torn.set(now.subarray(0, min(cutBytes, now.length)))
    this.revert(index, torn)
  }

  /** After power loss: this is the size now, and nothing is dirty any more. */
  settle(size: number): void {
    for (const [index, before] of this.stale) this.revert(index, before)
    this.stale.clear()
    this.dirty.clear()
    const firstGone = ceil(size / PAGE_BYTES)
    for (const index of this.pages.keys()) if (index >= firstGone) this.drop(index)
    if (size < this.baseBytes) this.baseBytes = size
    const tail = size % PAGE_BYTES
    const last = tail > 0 ? this.pages.get(firstGone - 1) : undefined
    if (last !== undefined && last.length > tail) {
      const cut = new Uint8Array(PAGE_BYTES)
      cut.set(last.subarray(0, tail))
      this.pages.set(firstGone - 1, cut)
    }
    this.size = size
    this.durableSize = size
    this.contentChanged()
  }

  /** The content that a power loss would leave now if nothing unsynced survived. Changes nothing. */
  syncedBytes(nowUs: number): Uint8Array {
    const flushedUs = nowUs - this.medium.writebackUs
    const isFlushed = this.sizeSinceUs <= flushedUs
    const bytes = new Uint8Array(isFlushed ? this.size : this.durableSize)
    for (let at = 0; at < bytes.length; at += PAGE_BYTES) {
      const page = this.syncedPage(at / PAGE_BYTES, flushedUs)
      if (page !== null) bytes.set(page.subarray(0, bytes.length - at), at)
    }
    return bytes
  }

  private syncedPage(index: number, flushedUs: number): Page | null {
    const stale = this.stale.get(index)
    if (stale !== undefined) return stale
    const dirty = this.dirty.get(index)
    return dirty === undefined || dirty.sinceUs <= flushedUs ? this.page(index) : dirty.before
  }

  private contentChanged(): void {
    this.contentVersion++
    this.medium.changes++
  }

  private resize(size: number, nowUs: number): void {
    const writtenBack = nowUs - this.sizeSinceUs >= this.medium.writebackUs
    if (this.size !== this.durableSize && writtenBack) this.durableSize = this.size
    if (this.size === this.durableSize) this.sizeSinceUs = nowUs
    this.size = size
  }

  private writablePage(index: number, nowUs: number): Page {
    const entry = this.dirty.get(index)
    const held = this.pages.get(index)
    const fresh = entry !== undefined && nowUs - entry.sinceUs < this.medium.writebackUs
    if (fresh && held !== undefined) return held
    if (held === undefined) this.medium.space.take(1)
    const page = new Uint8Array(PAGE_BYTES)
    const old = this.page(index)
    if (old !== null) page.set(old)
    if (!fresh) this.noteBefore(index, nowUs)
    this.pages.set(index, page)
    return page
  }

  /** Remembers what the medium holds before a page becomes dirty. */
  private noteBefore(index: number, nowUs: number): void {
    const entry = this.dirty.get(index)
    if (entry !== undefined && nowUs - entry.sinceUs < this.medium.writebackUs) return
    const stale = this.stale.get(index)
    const before = stale === undefined ? this.page(index) : stale
    this.stale.delete(index)
    this.dirty.delete(index) // so that it is inserted at the end
    this.dirty.set(index, { before, sinceUs: nowUs })
  }

  private drop(index: number): void {
    if (this.pages.delete(index)) this.medium.space.give(1)
  }
}
