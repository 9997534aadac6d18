/** The pages a disk has and how many are taken. A nemesis fills a disk by lowering its capacity. */
import { floor, max } from '../../kernel/arithmetic.ts'
import { fail } from './errno.ts'

export const PAGE_BYTES = 4096

export class Space {
  capacityPages: number
  usedPages = 0

  constructor(capacityBytes: number) {
    this.capacityPages = floor(capacityBytes / PAGE_BYTES)
  }

  take(pages: number): void {
    if (this.usedPages + pages > this.capacityPages) fail('ENOSPC')
    this.usedPages += pages
  }

  give(pages: number): void {
    this.usedPages -= pages
  }

  get freePages(): number {
    return max(0, this.capacityPages - this.usedPages)
  }
}
