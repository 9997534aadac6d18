/**
 * The state of a file after a power loss. Of the sectors written since the last sync each may be there or not: by
 * choice all of them (the simplest outcome), none, those up to some point in the order of writing with the last page
 * torn, or any. Where the size survives and the data does not, the gap reads as zeros. Attributes survive or not by a
 * choice of their own. Nothing synced is ever touched, except where a fault said so before (stale pages).
 *
 * On ext4 a file that grew ends where the first of its new pages is missing: a size reaches the medium after the data
 * that it covers (`data=ordered`), so a crash shows no zeros that were never written.
 *
 * A page is torn at a sector, 512 bytes: sectors are atomic, pages are not.
 */
import { max, min } from '../../kernel/arithmetic.ts'
import type { DiskFaultBook } from './disk-faults.ts'
import type { ContentLoss } from './disk-loss.ts'
import type { FileData } from './file-data.ts'
import type { FileInode, Inode } from './inode.ts'
import type { DiskModel } from './namespace-log.ts'
import { PAGE_BYTES } from './space.ts'

const SECTOR_BYTES = 512
const SECTORS_PER_PAGE = PAGE_BYTES / SECTOR_BYTES

/** What a file loses, besides its name. */
type FileLoss = Omit<ContentLoss, 'what' | 'path'>

/** Decides what is left of a file; returns what is gone, or null if nothing is. */
export function loseFilePower(
  file: FileInode,
  faults: DiskFaultBook,
  nowUs: number,
  model: DiskModel,
): FileLoss | null {
  const { data } = file
  data.settleWriteback(nowUs)
  if (!data.hasUnsynced) return null
  const stale = data.stale.size
  const beforeBytes = data.size
  const sinceUs = data.unsyncedSinceUs
  for (const _ of data.stale) faults.land('lost-write', file.ino)
  const outcome = faults.survival === 'torn' ? 2 : faults.survival === 'reordered' ? 3 : drawOutcome(faults)
  if (outcome === 0) {
    data.settle(data.size)
    return stale === 0
      ? null
      : { sinceUs, beforeBytes, afterBytes: data.size, lostPages: stale, tornPages: 0 }
  }
  const before = [...data.dirty]
  const { reached, whole, lost, torn } = losePages(file, faults, outcome)
  const grewOrdered = model === 'ext4' && data.size > data.durableSize
  const size = grewOrdered ? whole : chooseSize(data, reached, faults)
  if (size > data.size) {
    // The truncation is taken back, and with it what it cut off.
    for (const [index, page] of before) if (index * PAGE_BYTES >= data.size) data.revert(index, page.before)
  }
  data.settle(size)
  const lostPages = stale + lost
  if (lostPages + torn === 0 && size === beforeBytes) return null
  return { sinceUs, beforeBytes, afterBytes: size, lostPages, tornPages: torn }
}

function drawOutcome(faults: DiskFaultBook): number {
  return faults.stream('file survival').weighted([2, 1, 2, 1])
}

export function loseAttributes(
  inode: Inode,
  faults: DiskFaultBook,
  nowUs: number,
  writebackUs: number,
): void {
  if (inode.durableAttributes === null) return
  const writtenBack = nowUs - inode.attributesSinceUs >= writebackUs
  if (!writtenBack && faults.stream('attribute survival').below(2) === 1) inode.revertAttributes()
  inode.durableAttributes = null
}

interface PagesLeft {
  /** Where the surviving data ends. */
  readonly reached: number
  /** Until where a file that grew is whole. */
  readonly whole: number
  readonly lost: number
  readonly torn: number
}

/** Chooses which dirty pages are lost or torn. */
function losePages(file: FileInode, faults: DiskFaultBook, outcome: number): PagesLeft {
  const { data } = file
  const survival = faults.stream('page survival')
  const pages = [...data.dirty]
  let reached = data.durableSize
  let whole = data.size
  let lost = 0
  let torn = 0
  // In the order of writing, with `cut` sectors surviving; the other outcomes decide per page.
  const cut = outcome === 2 && pages.length > 0 ? chooseCut(pages.length, faults) : 0
  let lostBefore = false
  for (const [position, [index, { before }]] of pages.entries()) {
    let kept = 0
    if (outcome === 2) kept = max(0, min(SECTORS_PER_PAGE, cut - position * SECTORS_PER_PAGE))
    else if (outcome === 3) {
      const fate = survival.below(3)
      kept = fate === 0 ? SECTORS_PER_PAGE : fate === 1 ? 0 : survival.below(SECTORS_PER_PAGE)
    }
    if (kept < SECTORS_PER_PAGE && (index + 1) * PAGE_BYTES > data.durableSize)
      whole = min(whole, max(data.durableSize, index * PAGE_BYTES))
    if (kept < SECTORS_PER_PAGE) lostBefore = true
    else if (lostBefore) faults.land('reordered-write', file.ino)
    if (kept === SECTORS_PER_PAGE) {
      reached = max(reached, min(data.size, (index + 1) * PAGE_BYTES))
    } else if (kept === 0) {
      data.revert(index, before)
      faults.land('lost-write', file.ino)
      lost++
    } else {
      data.tear(index, before, kept * SECTOR_BYTES)
      reached = max(reached, min(data.size, index * PAGE_BYTES + kept * SECTOR_BYTES))
      faults.land('torn-write', file.ino)
      if (index * PAGE_BYTES + kept * SECTOR_BYTES < data.size) torn++ // else the lost sectors are behind its end
    }
  }
  return { reached, whole, lost, torn }
}

/** How many sectors survive, in the order of writing. Where a fault tears pages, the cut is inside one. */
function chooseCut(pages: number, faults: DiskFaultBook): number {
  const survival = faults.stream('page survival')
  if (faults.survival !== 'torn') return survival.below(pages * SECTORS_PER_PAGE)
  return survival.below(pages) * SECTORS_PER_PAGE + 1 + survival.below(SECTORS_PER_PAGE - 1)
}

/** A file that grew ends where its surviving data ends, or where it ended; one that shrank is short or long again. */
function chooseSize(data: FileData, reached: number, faults: DiskFaultBook): number {
  const { size, durableSize } = data
  if (size === durableSize) return size
  if (size < durableSize) return faults.stream('size survival').below(2) === 0 ? size : durableSize
  if (reached >= size) return size
  return faults.stream('size survival').below(2) === 0 ? reached : size
}
