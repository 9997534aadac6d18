/** Disk faults of the catalogue: a disk that is slow, full, fails, or lies. */
import type { TankFault } from '../catalogue.ts'

/** What the disk families have alike. */
const ON_DISK = {
  group: 'disk',
  parameters: [],
  cleanup: 'The disk works again; what was lost or damaged stays so.',
} as const

/** What the families that cut the power have alike. */
const ON_CRASH = {
  group: 'disk',
  parameters: [],
  cleanup: 'The host gets power again, and its processes start; what was lost stays lost.',
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
  {
    ...ON_DISK,
    name: 'file-limit',
    text: 'A process has no file descriptor left.',
    mechanism: 'Of the files that are opened 30 % fail with EMFILE.',
    landing: 'files that could not be opened',
    cleanup: 'Files open again.',
    cannot: 'Files of the program itself open always, and sockets are not counted.',
  },
  {
    ...ON_DISK,
    name: 'short-read',
    text: 'Reads give fewer bytes than are there.',
    mechanism: 'Of the reads 30 % are cut short at a random place, after one byte at least.',
    landing: 'reads that were cut short',
    cleanup: 'Reads give all bytes again.',
    cannot:
      '`fs.readFile` reads on until the end. That of `fs.promises` takes a short read for the end of the file, so no level has this family: a simulation that asks for it must read in another way.',
  },
  {
    ...ON_DISK,
    name: 'disk-throttle',
    text: 'A disk does few operations per second.',
    parameters: [
      { name: 'rate', unit: 'per s', drawn: { of: ['200', '100', '50', '20'] }, text: 'operations' },
    ],
    mechanism: 'Operations wait in a queue until those before them are done.',
    landing: 'operations that had to wait',
    cleanup: 'The disk is fast again; what waits is done in its turn.',
    cannot: 'Synchronous calls return at once, since a simulated process cannot block.',
  },
  {
    ...ON_DISK,
    name: 'phantom-write',
    text: 'A page that was written and synced never arrives on the medium.',
    mechanism: 'Of the pages that go to the medium 20 % stay as they were.',
    landing: 'pages that never arrived',
    cannot: `${LIES} It shows after a power loss: until then the cache has the page.`,
  },
  {
    ...ON_CRASH,
    name: 'torn-write',
    text: 'A host loses power while it writes, and half of a page is there.',
    mechanism:
      'Of what was not synced, the sectors up to a place inside a page survive, in the order of writing.',
    landing: 'pages that were torn',
    cannot: 'It tears at a sector, 512 bytes, and nothing that was synced.',
  },
  {
    ...ON_CRASH,
    name: 'reordered-writes',
    text: 'A host loses power, and a later write is there while an earlier one is not.',
    mechanism: 'Of the pages that were not synced each is kept, lost or torn by a choice of its own.',
    landing: 'pages that survived although an earlier one of the same file did not',
    cannot:
      'On ext4 a file that grew ends before the first page that is missing, so it shows where pages are overwritten.',
  },
  {
    ...ON_CRASH,
    name: 'lost-rename',
    text: 'A host loses power, and names that were changed are what they were before.',
    mechanism: 'No creation, rename or removal survives that was not synced with its directory.',
    landing: 'changes of names that were taken back',
    cannot: 'On ext4 a sync of any file saves all names before it.',
  },
  {
    ...ON_CRASH,
    name: 'disk-wipe',
    text: 'A host comes back with a new, empty disk.',
    mechanism: 'The host loses power, and only the files of the project are there when it has power again.',
    landing: 'pages that were on the old disk',
    cannot: LIES,
  },
]
