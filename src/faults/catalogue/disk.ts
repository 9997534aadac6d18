/** Disk faults of the catalogue: a disk that is slow, full, fails, or lies. */
import type { TankFault } from '../catalogue.ts'

/** What the disk families have alike. */
const ON_DISK = {
  group: 'disk',
  parameters: [],
  cleanup: 'The disk works again; what was lost or damaged stays so.',
} as const

const LIES = 'It needs the budget `lyingDisks`, and strikes at most that many hosts in a whole run.'

export const DISK_FAULTS: readonly TankFault[] = [
  {
    ...ON_DISK,
    name: 'disk-slow',
    text: 'Operations on the disk of a host stall.',
    parameters: [
      { name: 'stall', unit: 'µs', drawn: { least: 20_000, most: 500_000 }, text: 'the longest stall' },
    ],
    mechanism: 'Of the operations 30 % take 5 ms or more, up to the longest stall.',
    landing: 'operations that stalled',
    cannot: 'Synchronous calls return at once, since a simulated process cannot block.',
  },
  {
    ...ON_DISK,
    name: 'disk-full',
    text: 'A disk has no room left.',
    parameters: [{ name: 'pages', unit: 'pages', drawn: { least: 0, most: 3 }, text: 'that are still free' }],
    mechanism: 'The capacity shrinks to what is used and a few pages more.',
    landing: 'operations that failed with ENOSPC',
    cleanup: 'The disk has its capacity again.',
    cannot: 'Inodes do not run out.',
  },
  {
    ...ON_DISK,
    name: 'disk-error',
    text: 'Reads and writes fail, or write less than asked.',
    mechanism: 'Reads fail with EIO (5 %), writes fail with EIO (10 %), writes are short (10 %).',
    landing: 'reads and writes that failed, and writes that were short',
    cannot: 'A write that fails has written nothing.',
  },
  {
    ...ON_DISK,
    name: 'sync-error',
    text: 'fsync fails.',
    mechanism:
      'Of the calls of fsync and fdatasync 20 % fail with EIO; the pages are then taken for clean, so that the next call succeeds and keeps nothing.',
    landing: 'calls that failed',
    cannot: 'It loses nothing by itself: what was not durable is lost only if the host loses power as well.',
  },
  {
    ...ON_DISK,
    name: 'lying-sync',
    text: 'fsync says that data is durable, and it is not.',
    mechanism:
      'Half of the calls do nothing and return success; 5 % of the pages that go to the medium never arrive.',
    landing: 'calls that did nothing, and pages that never arrived',
    cannot: LIES,
  },
  {
    ...ON_DISK,
    name: 'bit-rot',
    text: 'A bit of a file flips.',
    mechanism: 'With 2 % of reads a bit of the file flips, and the reader gets the damaged bytes.',
    landing: 'reads that met a flipped bit',
    cannot: LIES,
  },
  {
    ...ON_DISK,
    name: 'misdirected-write',
    text: 'A write lands in another place of the file.',
    mechanism: 'Of the pages that go to the medium 10 % take the place of another page of the same file.',
    landing: 'pages that went astray',
    cannot: LIES,
  },
]
