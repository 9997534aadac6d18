import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Kernel } from '../../kernel/kernel.ts'
import { Evidence } from '../evidence.ts'
import { chmod, stat } from './attributes.ts'
import { Disk, type DiskOptions } from './disk.ts'
import { type DiskFaults, NO_DISK_FAULTS } from './disk-faults.ts'
import { DiskFailure } from './errno.ts'
import { FileView } from './file-view.ts'
import { link, mkdir, readdir, rename, rmdir, unlink } from './names.ts'
import { close, open } from './open.ts'
import { peek } from './path-walk.ts'
import { fsync, ftruncate, read, write } from './read-write.ts'

const O_CREAT = 0o100
const O_RDWR = 2

class Machine {
  readonly kernel: Kernel
  readonly evidence = new Evidence()
  readonly disk: Disk
  view: FileView

  constructor(seed: number, options: Partial<DiskOptions> & { base?: 'seed' | 'zero' } = {}) {
    this.kernel = new Kernel({ seed, base: options.base ?? 'seed', traceCapacity: 16 })
    const wallUs = (): number => 1_700_000_000_000_000 + this.kernel.now
    this.disk = new Disk({ name: 'n1', kernel: this.kernel, wallUs, evidence: this.evidence, ...options })
    this.view = new FileView(this.disk, { cwd: '/srv' })
  }

  write(path: string, bytes: Uint8Array | string, { position = 0, sync = false } = {}): void {
    const fd = open(this.view, path, O_CREAT | O_RDWR, 0o644)
    write(this.view, fd, typeof bytes === 'string' ? Buffer.from(bytes) : bytes, position)
    if (sync) fsync(this.view, fd)
    close(this.view, fd)
  }

  read(path: string): string | null {
    if (peek(this.view, path) === null) return null
    return this.bytes(path).toString('latin1')
  }

  bytes(path: string): Buffer {
    const fd = open(this.view, path, 0, 0)
    const buffer = Buffer.alloc(stat(this.view, path, true).size)
    read(this.view, fd, buffer, 0)
    close(this.view, fd)
    return buffer
  }

  syncDirectory(path: string): void {
    const fd = open(this.view, path, 0, 0)
    fsync(this.view, fd)
    close(this.view, fd)
  }

  crash(): void {
    this.disk.powerLoss()
    this.view = new FileView(this.disk, { cwd: '/srv' })
  }
}

/** What a small scenario may leave behind, over many seeds. */
function outcomes(scenario: (machine: Machine) => unknown, options: Partial<DiskOptions> = {}): Set<unknown> {
  const seen = new Set<unknown>()
  for (let seed = 1; seed <= 300; seed++) seen.add(scenario(new Machine(seed, options)))
  return seen
}

describe('power loss', () => {
  test('the simplest outcome keeps everything', () => {
    const machine = new Machine(7, { base: 'zero' })
    machine.write('a', 'never synced')
    machine.crash()
    expect(machine.read('a')).toBe('never synced')
  })

  test('what is gone is listed, and nothing else is', () => {
    for (let seed = 1; seed <= 300; seed++) {
      const machine = new Machine(seed)
      machine.write('kept', 'synced', { sync: true })
      machine.syncDirectory('.')
      machine.write('a', 'data')
      machine.crash()
      const lost = machine.disk.losses.map(({ what, path }) => `${what} ${path}`)
      const text = machine.read('a')
      const gone = text === null ? ['create /srv/a'] : ['content /srv/a']
      expect(lost).toEqual(text === 'data' ? [] : gone)
    }
  })

  test('a rename that is lost is listed with both names and its time', () => {
    const found = outcomes((machine) => {
      machine.write('a', 'data', { sync: true })
      machine.syncDirectory('.')
      machine.disk.kernel.now = 5
      rename(machine.view, 'a', 'b')
      machine.crash()
      const [loss] = machine.disk.losses
      return loss === undefined ? machine.read('b') : JSON.stringify(loss)
    })
    const loss = { what: 'rename', path: '/srv/a', to: '/srv/b', sinceUs: 5 }
    expect(found).toEqual(new Set(['data', JSON.stringify(loss)]))
  })

  test('a process kill loses nothing', () => {
    const machine = new Machine(7)
    const fd = open(machine.view, 'a', O_CREAT | O_RDWR, 0o644)
    write(machine.view, fd, Buffer.from('written'), null)
    machine.view.descriptors.closeAll()
    machine.view = new FileView(machine.disk, { cwd: '/srv' })
    expect(machine.read('a')).toBe('written')
  })

  test('an unsynced file may be there, be empty, be zeros, or be missing', () => {
    const seen = outcomes((machine) => {
      machine.write('a', 'data')
      machine.crash()
      return machine.read('a')
    })
    expect(seen).toEqual(new Set(['data', '', '\0\0\0\0', null]))
  })

  test('a synced file whose directory was not synced may be missing, but is never wrong', () => {
    const seen = outcomes((machine) => {
      machine.write('a', 'data', { sync: true })
      machine.crash()
      return machine.read('a')
    })
    expect(seen).toEqual(new Set(['data', null]))
  })

  test('a synced file in a synced directory is always there', () => {
    const seen = outcomes((machine) => {
      machine.write('a', 'data', { sync: true })
      machine.syncDirectory('.')
      machine.crash()
      return machine.read('a')
    })
    expect(seen).toEqual(new Set(['data']))
  })

  test('rename without fsync of the data may replace a good file by an empty one', () => {
    const seen = outcomes((machine) => {
      machine.write('a', 'old', { sync: true })
      machine.syncDirectory('.')
      machine.write('a.tmp', 'new')
      rename(machine.view, 'a.tmp', 'a')
      machine.crash()
      return machine.read('a')
    })
    expect(seen).toEqual(new Set(['old', 'new', '', '\0\0\0']))
  })

  test('rename after fsync of the data is all or nothing', () => {
    const seen = outcomes((machine) => {
      machine.write('a', 'old', { sync: true })
      machine.syncDirectory('.')
      machine.write('a.tmp', 'new', { sync: true })
      rename(machine.view, 'a.tmp', 'a')
      machine.crash()
      return machine.read('a')
    })
    expect(seen).toEqual(new Set(['old', 'new']))
  })

  test('after fsync of the directory too, the new content is there', () => {
    const seen = outcomes((machine) => {
      machine.write('a', 'old', { sync: true })
      machine.syncDirectory('.')
      machine.write('a.tmp', 'new', { sync: true })
      rename(machine.view, 'a.tmp', 'a')
      machine.syncDirectory('.')
      machine.crash()
      return machine.read('a')
    })
    expect(seen).toEqual(new Set(['new']))
  })

  test('names of different directories are lost independently, and a tree remains', () => {
    const seen = outcomes((machine) => {
      mkdir(machine.view, 'x', 0o755)
      mkdir(machine.view, 'y', 0o755)
      machine.write('f', '1', { sync: true })
      machine.syncDirectory('.')
      link(machine.view, 'f', 'x/f')
      link(machine.view, 'f', 'y/f')
      machine.crash()
      return `${readdir(machine.view, 'x').length}${readdir(machine.view, 'y').length}`
    })
    expect(seen).toEqual(new Set(['00', '01', '10', '11']))
  })

  test('a directory moved twice is in exactly one place', () => {
    const seen = outcomes((machine) => {
      for (const name of ['x', 'y', 'z', 'x/d']) mkdir(machine.view, name, 0o755)
      for (const name of ['.', 'x']) machine.syncDirectory(name)
      rename(machine.view, 'x/d', 'y/d')
      rename(machine.view, 'y/d', 'z/d')
      machine.crash()
      return ['x', 'y', 'z'].filter((name) => peek(machine.view, `${name}/d`) !== null).join()
    })
    expect(seen).toEqual(new Set(['x', 'y', 'z']))
  })

  test('a directory moved twice and synced where it went is nowhere else', () => {
    const seen = outcomes((machine) => {
      for (const name of ['x', 'y', 'z', 'x/d']) mkdir(machine.view, name, 0o755)
      for (const name of ['.', 'x']) machine.syncDirectory(name)
      rename(machine.view, 'x/d', 'y/d')
      rename(machine.view, 'y/d', 'z/d')
      machine.syncDirectory('z')
      machine.crash()
      return ['x', 'y', 'z'].filter((name) => peek(machine.view, `${name}/d`) !== null).join()
    })
    expect(seen).toEqual(new Set(['z']))
  })

  test('unsynced permissions may be lost', () => {
    const seen = outcomes((machine) => {
      machine.write('a', 'data', { sync: true })
      machine.syncDirectory('.')
      chmod(machine.view, 'a', 0o600)
      machine.crash()
      return stat(machine.view, 'a', true).mode & 0o777
    })
    expect(seen).toEqual(new Set([0o600, 0o644]))
  })

  test('after half a minute the system has written everything by itself', () => {
    const seen = outcomes((machine) => {
      machine.write('a', 'data')
      machine.kernel.now += 30_000_000
      machine.write('a', 'more', { position: 4 })
      machine.crash()
      return machine.read('a')?.slice(0, 4)
    })
    expect(seen).toEqual(new Set(['data']))
  })

  test('a large write is torn at sectors', () => {
    let torn = 0
    for (let seed = 1; seed <= 200; seed++) {
      const machine = new Machine(seed)
      machine.write('a', new Uint8Array(20_000).fill(1), { sync: true })
      machine.syncDirectory('.')
      machine.write('a', new Uint8Array(20_000).fill(2))
      machine.crash()
      const bytes = machine.bytes('a')
      expect(bytes.length).toBe(20_000)
      for (let sector = 0; sector < 20_000; sector += 512) {
        expect(new Set(bytes.subarray(sector, sector + 512)).size).toBe(1)
      }
      if (new Set(bytes).size === 2) torn++
    }
    expect(torn).toBeGreaterThan(20)
  })

  test('space of lost files is free again', () => {
    for (let seed = 1; seed <= 50; seed++) {
      const machine = new Machine(seed)
      const before = machine.disk.space.usedPages
      machine.write('a', new Uint8Array(100_000))
      machine.crash()
      if (peek(machine.view, 'a') !== null) unlink(machine.view, 'a')
      expect(machine.disk.space.usedPages).toBe(before)
    }
  })
})

describe('disk faults', () => {
  const faulty = (faults: Partial<DiskFaults>): Partial<DiskOptions> => ({
    faults: { ...NO_DISK_FAULTS, ...faults },
  })
  const always = 1_000_000

  function codeOf(run: () => void): string | null {
    try {
      run()
      return null
    } catch (error) {
      if (error instanceof DiskFailure) return error.code
      throw error
    }
  }

  test.each([
    ['read-error', { readErrorPpm: always }, 'EIO'],
    ['write-error', { writeErrorPpm: always }, 'EIO'],
    ['sync-error', { syncErrorPpm: always }, 'EIO'],
    ['lying-sync', { lyingSyncPpm: always }, null],
    ['short-write', { shortWritePpm: always }, null],
    ['bit-rot', { bitRotPpm: always }, null],
    ['phantom-write', { phantomWritePpm: always }, null],
    ['misdirected-write', { misdirectedWritePpm: always }, null],
  ] as const)('%s takes effect, is counted, and is absent at rate zero', (kind, faults, code) => {
    const run = (machine: Machine): string | null =>
      codeOf(() => {
        machine.write('a', new Uint8Array(10_000).fill(7), { sync: true })
        machine.bytes('a')
      })
    const machine = new Machine(1, faulty(faults))
    expect(run(machine)).toBe(code)
    expect(machine.evidence.count(`disk-${kind}`)).toBeGreaterThan(0)
    const quiet = new Machine(1)
    expect(run(quiet)).toBe(null)
    expect(quiet.evidence.counts.size).toBe(0)
  })

  test('a failed fsync loses the data although the next fsync succeeds', () => {
    const seen = outcomes((machine) => {
      machine.write('a', 'old', { sync: true })
      machine.syncDirectory('.')
      machine.disk.faults.rates = { ...NO_DISK_FAULTS, syncErrorPpm: always }
      codeOf(() => machine.write('a', 'new', { sync: true }))
      machine.disk.faults.rates = NO_DISK_FAULTS
      const fd = open(machine.view, 'a', O_RDWR, 0)
      fsync(machine.view, fd)
      expect(machine.read('a')).toBe('new')
      machine.crash()
      return machine.read('a')
    })
    expect(seen).toEqual(new Set(['old']))
  })

  test('after a lying fsync the data may be lost', () => {
    const seen = outcomes((machine) => {
      machine.write('a', '', { sync: true })
      machine.syncDirectory('.')
      machine.disk.faults.rates = { ...NO_DISK_FAULTS, lyingSyncPpm: always }
      machine.write('a', 'new', { sync: true })
      machine.crash()
      return machine.read('a')
    })
    expect(seen).toEqual(new Set(['new', '', '\0\0\0']))
  })

  test('a phantom write shows only after the cache is gone', () => {
    const machine = new Machine(1)
    machine.write('a', 'old', { sync: true })
    machine.syncDirectory('.')
    machine.disk.faults.rates = { ...NO_DISK_FAULTS, phantomWritePpm: always }
    machine.write('a', 'new', { sync: true })
    expect(machine.read('a')).toBe('new')
    machine.crash()
    expect(machine.read('a')).toBe('old')
  })

  test('a misdirected write damages another page', () => {
    const machine = new Machine(1)
    machine.write('a', Buffer.concat([Buffer.alloc(4096, 1), Buffer.alloc(4096, 2)]), { sync: true })
    machine.syncDirectory('.')
    machine.disk.faults.rates = { ...NO_DISK_FAULTS, misdirectedWritePpm: always }
    machine.write('a', Buffer.alloc(4096, 3), { sync: true })
    machine.crash()
    const bytes = machine.bytes('a')
    expect([bytes[0], bytes[4096]]).toEqual([1, 3])
  })

  test('bit rot stays', () => {
    const machine = new Machine(1, { faults: NO_DISK_FAULTS })
    machine.write('a', Buffer.alloc(1000), { sync: true })
    machine.disk.faults.rates = { ...NO_DISK_FAULTS, bitRotPpm: always }
    const rotten = machine.bytes('a')
    expect(rotten.filter((byte) => byte !== 0).length).toBe(1)
    machine.disk.faults.rates = NO_DISK_FAULTS
    expect(machine.bytes('a')).toEqual(rotten)
  })

  test('a full disk takes what fits and then says ENOSPC', () => {
    const machine = new Machine(1, { capacityBytes: 1_000_000 })
    const fd = open(machine.view, 'a', O_CREAT | O_RDWR, 0o644)
    const taken = write(machine.view, fd, new Uint8Array(2_000_000), null)
    expect(taken).toBeGreaterThan(900_000)
    expect(taken).toBeLessThanOrEqual(1_000_000)
    expect(codeOf(() => write(machine.view, fd, new Uint8Array(1), null))).toBe('ENOSPC')
    expect(machine.evidence.count('disk-no-space')).toBe(1)
  })
})

describe('any history of writes and syncs', () => {
  const SECTOR = 512
  const operation = fc.oneof(
    fc.record({
      kind: fc.constant('write' as const),
      at: fc.nat(12_000),
      length: fc.integer({ min: 1, max: 6000 }),
    }),
    fc.record({ kind: fc.constant('truncate' as const), size: fc.nat(14_000) }),
    fc.record({ kind: fc.constant('sync' as const) }),
  )
  const runs = process.env.WAVETANK_FULL === '1' ? 20_000 : 500

  test('leaves sectors that were there at the last sync or were written since, and no others', () => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 12 }), fc.nat(1_000_000), (operations, seed) => {
        const machine = new Machine(seed)
        machine.write('a', '', { sync: true })
        machine.syncDirectory('.')
        let durable = Buffer.alloc(0)
        let latest = Buffer.alloc(0)
        for (const [i, step] of operations.entries()) {
          if (step.kind === 'write') {
            const bytes = Buffer.alloc(step.length, (i % 250) + 1)
            machine.write('a', bytes, { position: step.at })
            const grown = Buffer.alloc(Math.max(latest.length, step.at + step.length))
            latest.copy(grown)
            bytes.copy(grown, step.at)
            latest = grown
          } else if (step.kind === 'truncate') {
            const fd = open(machine.view, 'a', O_RDWR, 0)
            ftruncate(machine.view, fd, step.size)
            const cut = Buffer.alloc(step.size)
            latest.copy(cut)
            latest = cut
          } else {
            const fd = open(machine.view, 'a', O_RDWR, 0)
            fsync(machine.view, fd)
            durable = latest
          }
        }
        expect(machine.bytes('a').equals(latest)).toBe(true)
        machine.crash()
        const after = machine.bytes('a')
        expect(after.length).toBeLessThanOrEqual(Math.max(durable.length, latest.length))
        expect(after.length).toBeGreaterThanOrEqual(Math.min(durable.length, latest.length))
        for (let at = 0; at < after.length; at += SECTOR) {
          const end = Math.min(after.length, at + SECTOR)
          const sector = after.subarray(at, end)
          const candidates = [padded(durable, at, end), padded(latest, at, end), Buffer.alloc(end - at)]
          expect(candidates.some((candidate) => candidate.equals(sector))).toBe(true)
        }
        const isSynced = operations.at(-1)?.kind === 'sync'
        expect(isSynced && !after.equals(latest)).toBe(false)
      }),
      { numRuns: runs },
    )
  })

  function padded(source: Buffer, at: number, end: number): Buffer {
    const bytes = Buffer.alloc(end - at)
    bytes.set(source.subarray(at, end))
    return bytes
  }
})

describe('any history of names', () => {
  const name = fc.constantFrom('x/a', 'x/b', 'y/a', 'y/b', 'x/d', 'y/d')
  const operation = fc.oneof(
    fc.record({ kind: fc.constantFrom('create', 'mkdir', 'unlink', 'rmdir'), path: name, to: name }),
    fc.record({ kind: fc.constantFrom('rename', 'rename', 'link'), path: name, to: name }),
    fc.record({ kind: fc.constant('sync'), path: fc.constantFrom('x', 'y'), to: name }),
  )
  const runs = process.env.WAVETANK_FULL === '1' ? 20_000 : 500

  function perform(machine: Machine, { kind, path, to }: { kind: string; path: string; to: string }): void {
    const { view } = machine
    try {
      if (kind === 'create') close(view, open(view, path, O_CREAT | O_RDWR | 0o200, 0o644))
      else if (kind === 'mkdir') mkdir(view, path, 0o755)
      else if (kind === 'unlink') unlink(view, path)
      else if (kind === 'rmdir') rmdir(view, path)
      else if (kind === 'rename') rename(view, path, to)
      else if (kind === 'link') link(view, path, to)
      else machine.syncDirectory(path)
    } catch (error) {
      if (!(error instanceof DiskFailure)) throw error
    }
  }

  const namesOf = (machine: Machine): Map<string, number> =>
    new Map(
      ['x', 'y'].flatMap((directory) =>
        readdir(machine.view, directory).map((entry) => {
          const path = `${directory}/${entry.name}`
          return [path, stat(machine.view, path, false).ino] as const
        }),
      ),
    )

  test('leaves a tree in which every name is what it was at some time since its directory was synced', () => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 15 }), fc.nat(1_000_000), (operations, seed) => {
        const machine = new Machine(seed)
        for (const directory of ['x', 'y']) mkdir(machine.view, directory, 0o755)
        machine.syncDirectory('.')
        // For each name what it may lead to, by inode number; 0 is nowhere.
        const allowed = new Map<string, Set<number>>()
        const allow = (restart: string | null): void => {
          const now = namesOf(machine)
          for (const path of ['x/a', 'x/b', 'y/a', 'y/b', 'x/d', 'y/d']) {
            const before = restart !== null && path.startsWith(restart) ? undefined : allowed.get(path)
            allowed.set(path, (before ?? new Set()).add(now.get(path) ?? 0))
          }
        }
        allow(null)
        for (const step of operations) {
          perform(machine, step)
          allow(step.kind === 'sync' ? step.path : null)
        }
        machine.crash()
        const after = namesOf(machine)
        for (const [path, inodes] of allowed) expect(inodes).toContain(after.get(path) ?? 0)
        // No directory is in two places.
        const directories = [...after].filter(([path]) => stat(machine.view, path, false).mode >> 12 === 4)
        expect(new Set(directories.map(([, ino]) => ino)).size).toBe(directories.length)
        // Link counts are those of the names that are left.
        for (const [path, ino] of after) {
          const links = [...after.values()].filter((other) => other === ino).length
          const { mode, nlink } = stat(machine.view, path, false)
          expect(mode >> 12 === 4 ? 1 : nlink).toBe(links)
        }
      }),
      { numRuns: runs },
    )
  })
})

describe('power loss on ext4', () => {
  const both = (scenario: (machine: Machine) => unknown): { ext4: Set<unknown>; posix: Set<unknown> } => ({
    ext4: outcomes(scenario, { model: 'ext4' }),
    posix: outcomes(scenario, { model: 'posix' }),
  })

  test('loses no name before one that survives', () => {
    const { ext4, posix } = both((machine) => {
      for (const name of ['a', 'b', 'c']) mkdir(machine.view, `/srv/${name}`, 0o755)
      machine.crash()
      return readdir(machine.view, '/srv')
        .map(({ name }) => name)
        .join('')
    })
    expect(ext4).toEqual(new Set(['', 'a', 'ab', 'abc']))
    expect(posix).toContain('c')
  })

  test('keeps every earlier name when any file is synced', () => {
    const { ext4, posix } = both((machine) => {
      machine.write('/srv/old', 'old', { sync: true })
      rename(machine.view, '/srv/old', '/srv/new')
      machine.write('/srv/other', 'x', { sync: true })
      machine.crash()
      return `${machine.read('/srv/old')} ${machine.read('/srv/new')} ${machine.read('/srv/other')}`
    })
    expect([...ext4]).toEqual(['null old x'])
    expect(posix.size).toBeGreaterThan(1)
  })

  test('brings the data with a rename that replaces a file, and only with such a rename', () => {
    const replacing = both((machine) => {
      machine.write('/srv/file', 'before', { sync: true })
      machine.write('/srv/file.tmp', 'behind')
      rename(machine.view, '/srv/file.tmp', '/srv/file')
      machine.crash()
      return machine.read('/srv/file')
    })
    expect(replacing.ext4).toEqual(new Set(['before', 'behind']))
    expect(replacing.posix).toContain('')
    const naming = both((machine) => {
      machine.write('/srv/file.tmp', 'behind')
      rename(machine.view, '/srv/file.tmp', '/srv/file')
      machine.crash()
      return machine.read('/srv/file')
    })
    expect(naming.ext4).toContain('')
  })

  test('ends a file that grew where its data ends: no zeros that were never written', () => {
    const zeros = (bytes: Buffer): boolean => bytes.includes(0)
    const { ext4, posix } = both((machine) => {
      machine.write('/srv/log', 'start', { sync: true })
      machine.syncDirectory('/srv')
      machine.write('/srv/log', Buffer.alloc(20_000, 'x'), { position: 5 })
      machine.crash()
      return zeros(machine.bytes('/srv/log'))
    })
    expect([...ext4]).toEqual([false])
    expect(posix).toContain(true)
  })

  test('commits its journal by itself after five seconds', () => {
    const { ext4, posix } = both((machine) => {
      mkdir(machine.view, '/srv/a', 0o755)
      machine.kernel.now += 6_000_000
      machine.crash()
      return readdir(machine.view, '/srv').length
    })
    expect([...ext4]).toEqual([1])
    expect(posix).toContain(0)
  })
})
