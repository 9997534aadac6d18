import { describe, expect, test } from 'vitest'
import { Kernel } from '../../kernel/kernel.ts'
import { chmod, stat } from './attributes.ts'
import { Disk } from './disk.ts'
import { NO_DISK_FAULTS } from './disk-faults.ts'
import { FileView } from './file-view.ts'
import type { ImageFacts, ImageKind, ImageReader } from './image.ts'
import { mkdir, readdir, rename, rmdir, symlink, unlink } from './names.ts'
import { close, open } from './open.ts'
import { peek, realPath } from './path-walk.ts'
import { fsync, read, write } from './read-write.ts'

/** An image in memory that counts what it is asked for. */
class MemoryImage implements ImageReader {
  readonly hashes = new Map<string, string>()
  readonly asked: string[] = []
  private readonly tree: Record<string, string | Record<string, ImageKind>>

  constructor(tree: Record<string, string | Record<string, ImageKind>>) {
    this.tree = tree
  }

  list(path: string): ReadonlyMap<string, ImageKind> {
    this.asked.push(`list ${path}`)
    return new Map(Object.entries(this.tree[path] as Record<string, ImageKind>))
  }

  facts(path: string): ImageFacts {
    const entry = this.tree[path]
    const isFile = typeof entry === 'string'
    return { sizeBytes: isFile ? entry.length : 0, permissions: isFile ? 0o644 : 0o755 }
  }

  read(path: string): Uint8Array {
    this.asked.push(`read ${path}`)
    this.hashes.set(path, `hash of ${path}`)
    return Buffer.from(this.tree[path] as string)
  }

  readLink(path: string): string {
    return this.tree[path] as string
  }
}

function machine(faults = NO_DISK_FAULTS): { image: MemoryImage; disk: Disk; view: FileView } {
  const image = new MemoryImage({
    '/real': { lib: 'directory', 'package.json': 'file', link: 'symlink' },
    '/real/lib': { 'a.js': 'file', 'b.js': 'file' },
    '/real/lib/a.js': 'code of a',
    '/real/lib/b.js': 'code of b',
    '/real/package.json': '{}',
    '/real/link': 'lib/b.js',
  })
  const kernel = new Kernel({ seed: 3 })
  const mount = { at: '/app', from: '/real', reader: image }
  const disk = new Disk({ name: 'n1', kernel, wallUs: () => 1e15, image: [mount], faults })
  return { image, disk, view: new FileView(disk, { cwd: '/app' }) }
}

function textOf(view: FileView, path: string): string {
  const fd = open(view, path, 0, 0)
  const bytes = Buffer.alloc(stat(view, path, true).size)
  read(view, fd, bytes, 0)
  close(view, fd)
  return bytes.toString()
}

function writeText(view: FileView, path: string, text: string, position: number): void {
  const fd = open(view, path, 0o102, 0o644)
  write(view, fd, Buffer.from(text), position)
  fsync(view, fd)
  close(view, fd)
}

const namesIn = (view: FileView, path: string): string[] => readdir(view, path).map((entry) => entry.name)

describe('the image below a disk', () => {
  test('is read only where a program looks', () => {
    const { image, disk, view } = machine()
    expect(stat(view, 'lib/a.js', true).size).toBe(9)
    expect(peek(view, 'lib/missing.js')).toBe(null)
    expect(image.asked).toEqual(['list /real', 'list /real/lib'])
    expect(textOf(view, 'link')).toBe('code of b')
    expect(realPath(view, 'link')).toBe('/app/lib/b.js')
    expect([...disk.imageReads]).toEqual(['/real/lib/b.js'])
    expect([...image.hashes.keys()]).toEqual(['/real/lib/b.js'])
  })

  test('is never changed: a write goes to a copy', () => {
    const { image, view } = machine()
    writeText(view, 'lib/a.js', 'CODE', 0)
    expect(textOf(view, 'lib/a.js')).toBe('CODE of a')
    expect(Buffer.from(image.read('/real/lib/a.js')).toString()).toBe('code of a')
    expect(textOf(machine().view, 'lib/a.js')).toBe('code of a')
  })

  test('what was removed does not show again, what is new does', () => {
    const { view } = machine()
    unlink(view, 'lib/a.js')
    writeText(view, 'lib/c.js', 'c', 0)
    rename(view, 'lib/b.js', 'lib/a.js')
    expect(namesIn(view, 'lib')).toEqual(['a.js', 'c.js'])
    expect(textOf(view, 'lib/a.js')).toBe('code of b')
    unlink(view, 'lib/a.js')
    unlink(view, 'lib/c.js')
    rmdir(view, 'lib')
    mkdir(view, 'lib', 0o755)
    expect(namesIn(view, 'lib')).toEqual([])
  })

  test('shows again on a wiped disk', () => {
    const { disk, view } = machine()
    unlink(view, 'lib/a.js')
    symlink(view, 'x', '/srv/y')
    disk.wipe()
    expect(namesIn(view, 'lib')).toEqual(['a.js', 'b.js'])
    expect(namesIn(view, '/srv')).toEqual([])
  })

  test('an unsynced removal may be taken back by power loss', () => {
    const outcomes = new Set<string>()
    for (let seed = 0; seed < 60; seed++) {
      const { disk, view } = machine()
      disk.faults.stream('name survival').next = seed * 7
      unlink(view, 'lib/a.js')
      disk.powerLoss()
      outcomes.add(namesIn(view, 'lib').join())
    }
    expect(outcomes).toEqual(new Set(['a.js,b.js', 'b.js']))
  })

  test('is spared by faults, until a file of it is changed', () => {
    const { view } = machine({ ...NO_DISK_FAULTS, readErrorPpm: 1_000_000 })
    expect(textOf(view, 'lib/a.js')).toBe('code of a')
    writeText(view, 'lib/a.js', 'x', 0)
    expect(() => textOf(view, 'lib/a.js')).toThrow('EIO')
  })
})

describe('what every machine has', () => {
  const { view } = machine()

  test('devices', () => {
    const fd = open(view, '/dev/zero', 2, 0)
    const bytes = Buffer.from('abc')
    expect([read(view, fd, bytes, null), ...bytes]).toEqual([3, 0, 0, 0])
    expect(textOf(view, '/dev/null')).toBe('')
    expect(() => write(view, open(view, '/dev/full', 1, 0), bytes, null)).toThrow('ENOSPC')
  })

  test('a name for itself, and a place for each purpose', () => {
    expect(textOf(view, '/etc/hostname')).toBe('n1\n')
    expect(textOf(view, '/proc/sys/kernel/hostname')).toBe('n1\n')
    for (const path of ['/tmp', '/data', '/srv', '/var/lib', '/home/node'])
      writeText(view, `${path}/f`, 'x', 0)
    expect(namesIn(view, '/home/node')).toEqual(['f'])
  })

  test('/proc/self is the asking process’s own', () => {
    const fd = open(view, '/etc/hostname', 0, 0)
    expect(namesIn(view, '/proc/self/fd')).toContain(String(fd))
    expect(textOf(view, `/proc/self/fd/${fd}`)).toBe('n1\n')
    expect(namesIn(new FileView(view.disk, { cwd: '/' }), '/proc/self/fd')).toEqual([])
    expect(realPath(view, '/proc/self/cwd')).toBe('/app')
  })
})

describe('what programs change of it', () => {
  test('is known by its places in the image', () => {
    const { disk, view } = machine()
    textOf(view, '/app/link')
    expect(disk.changes.places).toEqual([])
    writeText(view, '/app/lib/a.js', 'new', 0)
    writeText(view, '/app/log', 'x', 0)
    writeText(view, '/app/log', 'y', 0)
    chmod(view, '/app/package.json', 0o600)
    mkdir(view, '/data/made', 0o755)
    writeText(view, '/data/made/unknown', 'x', 0)
    rename(view, '/app/lib', '/app/moved')
    writeText(view, '/app/moved/c.js', 'x', 0)
    expect(disk.changes.places).toEqual([
      '/app/lib/a.js',
      '/app/log',
      '/app/package.json',
      '/data/made',
      '/app/lib',
      '/app/moved',
      '/app/lib/c.js',
    ])
    expect(disk.pristine().changes.places).toEqual([])
    disk.wipe()
    expect(disk.changes.places).toEqual([])
  })

  test('says through which names a path led', () => {
    const { view } = machine()
    const names: string[] = []
    view.lookups = { note: (directory, name) => names.push(`${directory.place} ${name}`) }
    expect(peek(view, '/app/link')).not.toBeNull()
    expect(peek(view, '/app/lib/none')).toBeNull()
    const viaLink = ['/ app', '/app link', '/app lib', '/app/lib b.js']
    expect(names).toEqual([...viaLink, '/ app', '/app lib', '/app/lib none'])
  })

  test('has numbers that do not depend on what else was looked at', () => {
    const [curious, other] = [machine(), machine()]
    for (const path of ['/app/lib/a.js', '/app/link', '/etc/hosts', '/app/nothing']) peek(curious.view, path)
    for (const { view } of [curious, other]) writeText(view, '/app/new', 'x', 0)
    for (const path of ['/app/new', '/app/lib/b.js', '/app'])
      expect(stat(curious.view, path, true).ino).toBe(stat(other.view, path, true).ino)
    const numbers = ['/app', '/app/lib', '/app/lib/a.js', '/app/lib/b.js', '/app/new', '/etc', '/etc/hosts']
    expect(new Set(numbers.map((path) => stat(other.view, path, true).ino)).size).toBe(numbers.length)
  })
})
