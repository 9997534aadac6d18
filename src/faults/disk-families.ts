/**
 * Disk faults: for a while, operations on one host's disk stall, fail, or lie. Evidence is an operation that was hit.
 *
 * Budget: stalls, full disks and honest errors may strike anywhere, since the program hears of them. What takes back
 * a promise (a sync that lies, rot, writes that land elsewhere) needs `lyingDisks`, and then strikes at most that many
 * hosts in the whole run: data that is gone stays gone after the storm.
 */
import { max } from '../kernel/arithmetic.ts'
import type { DiskFaults } from '../world/disk/disk-faults.ts'
import type { Disk } from '../world/disk/disk.ts'
import { Since } from './evidence-tally.ts'
import { chooseAllowed, type FaultFamily, type Strike } from './family.ts'
import type { FamilyName } from './levels.ts'

interface DiskFamily {
  readonly name: FamilyName
  /** Whether it breaks the disk's promise to keep what was synced. */
  readonly lies: boolean
  readonly evidence: readonly string[]
  readonly text: string
  readonly rates: (strike: Strike) => Partial<DiskFaults>
}

const FAMILIES: readonly DiskFamily[] = [
  {
    name: 'disk-slow',
    lies: false,
    evidence: ['disk-stall'],
    text: 'slow disk',
    rates: (strike) => ({
      stallPpm: 300_000,
      stallMaxUs: strike.choose('stall').between(20_000, 500_000),
      stallMinUs: 5_000,
    }),
  },
  {
    name: 'disk-error',
    lies: false,
    evidence: ['disk-read-error', 'disk-write-error', 'disk-short-write'],
    text: 'disk errors',
    rates: () => ({ readErrorPpm: 50_000, writeErrorPpm: 100_000, shortWritePpm: 100_000 }),
  },
  {
    name: 'sync-error',
    lies: false,
    evidence: ['disk-sync-error'],
    text: 'fsync fails',
    rates: () => ({ syncErrorPpm: 200_000 }),
  },
  {
    name: 'lying-sync',
    lies: true,
    evidence: ['disk-lying-sync', 'disk-phantom-write'],
    text: 'fsync lies',
    rates: () => ({ lyingSyncPpm: 500_000, phantomWritePpm: 50_000 }),
  },
  {
    name: 'bit-rot',
    lies: true,
    evidence: ['disk-bit-rot'],
    text: 'bit rot',
    rates: () => ({ bitRotPpm: 20_000 }),
  },
  {
    name: 'misdirected-write',
    lies: true,
    evidence: ['disk-misdirected-write'],
    text: 'writes go astray',
    rates: () => ({ misdirectedWritePpm: 100_000 }),
  },
  {
    name: 'file-limit',
    lies: false,
    evidence: ['disk-no-descriptor'],
    text: 'no file descriptors',
    rates: () => ({ openErrorPpm: 300_000 }),
  },
  {
    name: 'short-read',
    lies: false,
    evidence: ['disk-short-read'],
    text: 'short reads',
    rates: () => ({ shortReadPpm: 300_000 }),
  },
  {
    name: 'disk-throttle',
    lies: false,
    evidence: ['disk-throttle'],
    text: 'throttled disk',
    rates: (strike) => ({ operationsPerS: strike.choose('rate').pick([200, 100, 50, 20]) }),
  },
  {
    name: 'phantom-write',
    lies: true,
    evidence: ['disk-phantom-write'],
    text: 'writes vanish',
    rates: () => ({ phantomWritePpm: 200_000 }),
  },
]

export const diskFamilies: readonly FaultFamily[] = FAMILIES.map(({ name, lies, evidence, text, rates }) => ({
  name,
  group: 'disk',
  begin(strike) {
    const { hosts, tally } = strike.arena
    const allowed = (host: string): boolean => !lies || strike.ledger.mayLie(host, strike.system.hosts.length)
    const host = chooseAllowed(strike.choose('target'), hosts, (each) => allowed(each.name))
    if (host === null) return null
    if (lies) strike.ledger.recordLie(host.name)
    const restore = changeDisk(host.disk, rates(strike))
    const landed = new Since(() => tally.at(host.name, evidence))
    return {
      targets: [host.name],
      text: `${text} at ${host.name}`,
      end() {
        landed.end()
        restore()
      },
      victims: () => landed.count,
    }
  },
}))

/** No room but a few pages. */
export const diskFull: FaultFamily = {
  name: 'disk-full',
  group: 'disk',
  begin(strike) {
    const { hosts, tally } = strike.arena
    const host = chooseAllowed(strike.choose('target'), hosts, () => true)
    if (host === null) return null
    const { space } = host.disk
    const capacityPages = space.capacityPages
    space.capacityPages = space.usedPages + strike.choose('pages').below(4)
    const landed = new Since(() => tally.at(host.name, ['disk-no-space']))
    return {
      targets: [host.name],
      text: `disk full at ${host.name}`,
      end() {
        landed.end()
        space.capacityPages = max(space.capacityPages, capacityPages)
      },
      victims: () => landed.count,
    }
  },
}

const changes = new WeakMap<Disk, { readonly base: DiskFaults; readonly inForce: Partial<DiskFaults>[] }>()

/** Puts rates in force beside those of other episodes; the function returned takes them back. */
function changeDisk(disk: Disk, change: Partial<DiskFaults>): () => void {
  let book = changes.get(disk)
  if (book === undefined) changes.set(disk, (book = { base: disk.faults.rates, inForce: [] }))
  const { base, inForce } = book
  const apply = (): void => {
    disk.faults.rates = Object.assign({ ...base }, ...inForce) as DiskFaults
  }
  inForce.push(change)
  apply()
  return () => {
    inForce.splice(inForce.indexOf(change), 1)
    apply()
  }
}
