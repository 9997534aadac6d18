import { describe, expect, it } from 'vitest'
import { Kernel } from '../../kernel/kernel.ts'
import { Disk } from './disk.ts'
import { FileView } from './file-view.ts'
import { glanceBytes } from './glance.ts'
import type { ImageReader } from './image.ts'
import { mkdir, rename, symlink } from './names.ts'
import { close, open } from './open.ts'
import { fsync, ftruncate, write } from './read-write.ts'

const O_CREAT = 0o100
const O_RDWR = 2

const IMAGE: ImageReader = {
  list: (path) =>
    new Map(path === '/app' ? [['lib', 'directory']] : path === '/app/lib' ? [['a.js', 'file']] : []),
  facts: () => ({ sizeBytes: 4, permissions: 0o644 }),
  read: () => Buffer.from('code'),
  readLink: () => '',
  hashes: new Map(),
}

function machine(seed = 1) {
  const kernel = new Kernel({ seed, traceCapacity: 16 })
  const image = [{ at: '/app', from: '/app', reader: IMAGE }]
  const disk = new Disk({ name: 'n1', kernel, wallUs: () => 1_700_000_000_000_000 + kernel.now, image })
  const view = new FileView(disk, { cwd: '/srv' })
  return {
    kernel,
    disk,
    view,
    open: (path: string) => open(view, path, O_CREAT | O_RDWR, 0o644),
    syncDirectory(path: string): void {
      const fd = open(view, path, 0, 0)
      fsync(view, fd)
      close(view, fd)
    },
    text: (path: string, moment: 'current' | 'synced'): string | null => {
      const bytes = glanceBytes(disk, path, moment)
      return bytes === null ? null : Buffer.from(bytes).toString()
    },
  }
}

describe('a glance at a disk', () => {
  it('tells what is written from what is synced, name by name', () => {
    const m = machine()
    const fd = m.open('log')
    write(m.view, fd, Buffer.from('one'), null)
    expect([m.text('/srv/log', 'current'), m.text('/srv/log', 'synced')]).toEqual(['one', null])
    fsync(m.view, fd)
    expect(m.text('/srv/log', 'synced')).toBeNull() // its name is not synced yet
    m.syncDirectory('/srv')
    expect(m.text('/srv/log', 'synced')).toBe('one')
    write(m.view, fd, Buffer.from('+two'), null)
    expect([m.text('/srv/log', 'current'), m.text('/srv/log', 'synced')]).toEqual(['one+two', 'one'])
    ftruncate(m.view, fd, 0)
    expect([m.text('/srv/log', 'current'), m.text('/srv/log', 'synced')]).toEqual(['', 'one'])
  })

  it('sees a replaced file under its old content until the directory is synced', () => {
    const m = machine()
    for (const [name, text] of [
      ['config', 'old'],
      ['config.new', 'new'],
    ] as const) {
      const fd = m.open(name)
      write(m.view, fd, Buffer.from(text), null)
      fsync(m.view, fd)
    }
    m.syncDirectory('/srv')
    rename(m.view, 'config.new', 'config')
    expect([m.text('/srv/config', 'current'), m.text('/srv/config', 'synced')]).toEqual(['new', 'old'])
    m.syncDirectory('/srv')
    expect(m.text('/srv/config', 'synced')).toBe('new')
  })

  it('counts what the system has written back by itself', () => {
    const m = machine()
    const fd = m.open('log')
    write(m.view, fd, Buffer.from('one'), null)
    m.kernel.now += 30_000_000
    expect(m.text('/srv/log', 'synced')).toBe('one')
  })

  it('is what a power loss leaves at least', () => {
    for (let seed = 1; seed <= 200; seed++) {
      const m = machine(seed)
      const fd = m.open('log')
      write(m.view, fd, Buffer.alloc(5000, 'a'), null)
      fsync(m.view, fd)
      m.syncDirectory('/srv')
      write(m.view, fd, Buffer.alloc(5000, 'b'), null)
      const synced = m.text('/srv/log', 'synced')!
      expect(synced).toBe('a'.repeat(5000))
      m.disk.powerLoss()
      expect(m.text('/srv/log', 'current')!.startsWith(synced)).toBe(true)
    }
  })

  it('follows links, and reads the image without making an inode', () => {
    const m = machine()
    mkdir(m.view, 'd', 0o755)
    symlink(m.view, '../app/lib', 'd/../link')
    const before = m.disk.takeInodeNumber()
    expect(m.text('/srv/link/./a.js', 'current')).toBe('code')
    expect(m.text('/app/lib/../lib/a.js', 'synced')).toBe('code')
    expect(m.text('/app/lib/none.js', 'current')).toBeNull()
    expect(m.text('/app/lib', 'current')).toBeNull()
    expect(m.disk.takeInodeNumber()).toBe(before + 1)
  })
})
