/**
 * Random sequences of operations on the simulated disk and on a real directory: same results, same error codes. Times,
 * inode numbers and block counts are a file system's own and stay out.
 */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Kernel } from '../../kernel/kernel.ts'
import * as attributes from './attributes.ts'
import { copyFile } from './copy.ts'
import { Disk } from './disk.ts'
import { DiskFailure } from './errno.ts'
import { FileView } from './file-view.ts'
import * as names from './names.ts'
import { close, open } from './open.ts'
import { realPath } from './path-walk.ts'
import * as data from './read-write.ts'
import { fromSeconds } from './timestamp.ts'

/** libuv set file times in whole microseconds until 1.52. */
const timeStepNs = Number(process.versions.uv.split('.')[1]) < 52 ? 1000 : 1

interface Arm {
  readonly root: string
  readonly operations: Record<string, (...args: any[]) => unknown>
}

const statFields = (s: { mode: number; nlink: number; size: number }): object => {
  const isDirectory = (s.mode & 0o170000) === 0o040000
  return { mode: s.mode, nlink: isDirectory ? 0 : s.nlink, size: isDirectory ? 0 : s.size }
}

function realArm(root: string): Arm {
  const at = (p: string): string => root + p
  return {
    root,
    operations: {
      mkdir: (p) => fs.mkdirSync(at(p)),
      rmdir: (p) => fs.rmdirSync(at(p)),
      unlink: (p) => fs.unlinkSync(at(p)),
      rename: (p, q) => fs.renameSync(at(p), at(q)),
      link: (p, q) => fs.linkSync(at(p), at(q)),
      symlink: (target, p) => fs.symlinkSync(target, at(p)),
      readlink: (p) => fs.readlinkSync(at(p)),
      readdir: (p) => fs.readdirSync(at(p)),
      stat: (p) => statFields(fs.statSync(at(p))),
      lstat: (p) => statFields(fs.lstatSync(at(p))),
      chmod: (p, mode) => fs.chmodSync(at(p), mode),
      access: (p, mode) => fs.accessSync(at(p), mode),
      realpath: (p) => fs.realpathSync.native(at(p)).slice(root.length),
      truncate: (p, size) => fs.truncateSync(at(p), size),
      copyFile: (p, q, mode) => fs.copyFileSync(at(p), at(q), mode),
      utimes: (p, a, m) => {
        fs.utimesSync(at(p), a, m)
        const s = fs.statSync(at(p), { bigint: true })
        return [s.mtimeNs, s.atimeNs].map(String)
      },
      write: (p, flags, bytes, position) => {
        const fd = fs.openSync(at(p), flags, 0o640)
        try {
          return fs.writeSync(fd, bytes, 0, bytes.length, position)
        } finally {
          fs.closeSync(fd)
        }
      },
      read: (p, flags, length, position) => {
        const fd = fs.openSync(at(p), flags, 0o600)
        try {
          const buffer = Buffer.alloc(length)
          const count = fs.readSync(fd, buffer, 0, length, position)
          return [count, buffer.toString('hex')]
        } finally {
          fs.closeSync(fd)
        }
      },
    },
  }
}

function simulatedArm(): Arm {
  const kernel = new Kernel({ seed: 1, traceCapacity: 16 })
  const disk = new Disk({ name: 'n1', kernel, wallUs: () => kernel.now + 1_700_000_000_000_000 })
  const view = new FileView(disk, { cwd: '/' })
  view.uid = 0 // as the real arm
  const root = '/srv/real'
  names.mkdir(view, root, 0o755)
  const at = (p: string): string => root + p
  const flagsOf = (flags: string): number =>
    ({ r: 0, 'r+': 2, w: 0o1101, wx: 0o1301, a: 0o2101, 'a+': 0o2102, 'w+': 0o1102, ax: 0o2301 })[flags]!
  return {
    root,
    operations: {
      mkdir: (p) => names.mkdir(view, at(p), 0o777),
      rmdir: (p) => names.rmdir(view, at(p)),
      unlink: (p) => names.unlink(view, at(p)),
      rename: (p, q) => names.rename(view, at(p), at(q)),
      link: (p, q) => names.link(view, at(p), at(q)),
      symlink: (target, p) => names.symlink(view, target, at(p)),
      readlink: (p) => names.readlink(view, at(p)),
      readdir: (p) => names.readdir(view, at(p)).map((entry) => entry.name),
      stat: (p) => statFields(attributes.stat(view, at(p), true)),
      lstat: (p) => statFields(attributes.stat(view, at(p), false)),
      chmod: (p, mode) => attributes.chmod(view, at(p), mode),
      access: (p, mode) => attributes.access(view, at(p), mode),
      realpath: (p) => realPath(view, at(p)).slice(root.length),
      truncate: (p, size) => {
        const fd = open(view, at(p), 2, 0)
        try {
          data.ftruncate(view, fd, size)
        } finally {
          close(view, fd)
        }
      },
      copyFile: (p, q, mode) => copyFile(view, at(p), at(q), mode),
      utimes: (p, a, m) => {
        attributes.utimes(
          view,
          at(p),
          { atime: fromSeconds(a, timeStepNs), mtime: fromSeconds(m, timeStepNs) },
          true,
        )
        const s = attributes.stat(view, at(p), true)
        return [s.mtime, s.atime].map((t) => String(BigInt(t.sec) * 1_000_000_000n + BigInt(t.nsec)))
      },
      write: (p, flags, bytes, position) => {
        const fd = open(view, at(p), flagsOf(flags), 0o640)
        try {
          return data.write(view, fd, bytes, position)
        } finally {
          close(view, fd)
        }
      },
      read: (p, flags, length, position) => {
        const fd = open(view, at(p), flagsOf(flags), 0o600)
        try {
          const buffer = Buffer.alloc(length)
          const count = data.read(view, fd, buffer, position)
          return [count, buffer.toString('hex')]
        } finally {
          close(view, fd)
        }
      },
    },
  }
}

function outcome(arm: Arm, name: string, args: readonly unknown[]): unknown {
  try {
    return { ok: arm.operations[name](...args) ?? null }
  } catch (error) {
    if (!(error instanceof DiskFailure) && (error as { syscall?: string }).syscall === undefined) throw error
    return { failed: (error as { code: string }).code }
  }
}

const component = fc.constantFrom('a', 'b', 'c', 'é', 'd', '.', '..')
const pathOf = fc
  .tuple(fc.array(component, { minLength: 1, maxLength: 3 }), fc.constantFrom('', '', '', '', '/'))
  .map(([parts, slash]) => {
    // Never above the directory itself: what lies there differs.
    const kept: string[] = []
    let depth = 0
    for (const part of parts) {
      if (part === '..') {
        if (depth === 0) continue
        depth--
      } else if (part !== '.') depth++
      kept.push(part)
    }
    return kept.length === 0 ? '/a' : `/${kept.join('/')}${slash}`
  })
const target = fc.constantFrom('a', 'b', 'c', 'a/b', './d', 'c/../a', '')
const size = fc.oneof(fc.nat(64), fc.nat(20_000))
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 40 }),
  fc.nat(9000).map((n) => new Uint8Array(n).fill(n % 251)),
)
const position = fc.option(fc.oneof(fc.nat(100), fc.nat(12_000)))
const flags = fc.constantFrom('r', 'r+', 'w', 'wx', 'a', 'a+', 'w+', 'ax')
const seconds = fc.oneof(fc.nat(2_000_000_000), fc.double({ min: 0, max: 4e9, noNaN: true }))

const operation = fc.oneof(
  fc.tuple(
    fc.constantFrom('mkdir', 'mkdir', 'rmdir', 'unlink', 'readlink', 'readdir', 'stat', 'lstat', 'realpath'),
    fc.tuple(pathOf),
  ),
  fc.tuple(fc.constantFrom('rename', 'rename', 'link'), fc.tuple(pathOf, pathOf)),
  fc.tuple(fc.constant('copyFile'), fc.tuple(pathOf, pathOf, fc.constantFrom(0, 1))),
  fc.tuple(fc.constant('symlink'), fc.tuple(target, pathOf)),
  fc.tuple(fc.constant('chmod'), fc.tuple(pathOf, fc.constantFrom(0o644, 0o755, 0o600))),
  fc.tuple(fc.constant('access'), fc.tuple(pathOf, fc.nat(7))),
  fc.tuple(fc.constant('truncate'), fc.tuple(pathOf, size)),
  fc.tuple(fc.constant('utimes'), fc.tuple(pathOf, seconds, seconds)),
  fc.tuple(fc.constantFrom('write'), fc.tuple(pathOf, flags, bytes, position)),
  fc.tuple(
    fc.constantFrom('read'),
    fc.tuple(
      pathOf,
      flags,
      size.map((n) => n + 1),
      position,
    ),
  ),
)

let scratch = ''
let rounds = 0
beforeAll(() => {
  scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'wavetank-disk-'))
})
afterAll(() => {
  fs.rmSync(scratch, { recursive: true, force: true })
})

const runs = process.env.WAVETANK_FULL === '1' ? 20_000 : 400

test.runIf(process.getuid?.() === 0)('any sequence of operations ends as on a real file system', () => {
  const umask = process.umask(0o022)
  try {
    fc.assert(
      fc.property(fc.array(operation, { minLength: 1, maxLength: 25 }), (sequence) => {
        const root = path.join(scratch, String(rounds++))
        fs.mkdirSync(root)
        const real = realArm(root)
        const simulated = simulatedArm()
        for (const [name, args] of sequence) {
          const expected = outcome(real, name, args)
          expect({ name, args, outcome: outcome(simulated, name, args) }).toEqual({
            name,
            args,
            outcome: expected,
          })
        }
        fs.rmSync(root, { recursive: true })
      }),
      { numRuns: runs },
    )
  } finally {
    process.umask(umask)
  }
})
