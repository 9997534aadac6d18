/** Stat results as Node's library reads them: one typed array with the fields in libuv's order. */
import type { Stat, StatFs } from '../../../world/disk/attributes.ts'
import { hasFragmentSize } from './versions.ts'

export const STAT_FIELDS = 18

/** Fills numbers or bigints at an offset. */
export function fillStat(target: Float64Array | BigInt64Array, stat: Stat | null, offset = 0): void {
  if (stat === null) {
    if (target instanceof BigInt64Array) target.fill(0n, offset, offset + STAT_FIELDS)
    else target.fill(0, offset, offset + STAT_FIELDS)
    return
  }
  if (target instanceof BigInt64Array) {
    for (const [i, value] of fieldsOf(stat).entries()) target[offset + i] = BigInt(value)
    return
  }
  target[offset] = stat.dev
  target[offset + 1] = stat.mode
  target[offset + 2] = stat.nlink
  target[offset + 3] = stat.uid
  target[offset + 4] = stat.gid
  target[offset + 5] = stat.rdev
  target[offset + 6] = stat.blksize
  target[offset + 7] = stat.ino
  target[offset + 8] = stat.size
  target[offset + 9] = stat.blocks
  target[offset + 10] = stat.atime.sec
  target[offset + 11] = stat.atime.nsec
  target[offset + 12] = stat.mtime.sec
  target[offset + 13] = stat.mtime.nsec
  target[offset + 14] = stat.ctime.sec
  target[offset + 15] = stat.ctime.nsec
  target[offset + 16] = stat.birthtime.sec
  target[offset + 17] = stat.birthtime.nsec
}

function fieldsOf(stat: Stat): number[] {
  const numbers = new Float64Array(STAT_FIELDS)
  fillStat(numbers, stat)
  return [...numbers]
}

export function statArray(stat: Stat, bigint: unknown): Float64Array | BigInt64Array {
  const target = bigint === true ? new BigInt64Array(STAT_FIELDS) : new Float64Array(STAT_FIELDS)
  fillStat(target, stat)
  return target
}

export function statFsArray(fs: StatFs, bigint: unknown): Float64Array | BigInt64Array {
  const sizes = hasFragmentSize ? [fs.bsize, fs.bsize] : [fs.bsize]
  const fields = [fs.type, ...sizes, fs.blocks, fs.bfree, fs.bavail, fs.files, fs.ffree]
  return bigint === true ? BigInt64Array.from(fields, BigInt) : Float64Array.from(fields)
}
