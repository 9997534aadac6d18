/**
 * Traps at the real bindings. During a burst nothing may reach the real network, disk, timers or threads behind our back:
 * a call that would do so is an error with a stack, naming the member. The doors are those through which the host's own
 * instances of Node's library (shared modules, a host package that escaped) would go out. Files of the project and of
 * its packages may be read, since packages that are left to the host (`externals`) load themselves lazily; the disk image
 * and the compiler do what they do as the host. That no shared module keeps a clock of its own is not trapped here but
 * read from Node's sources: see module-table.test.ts.
 */
import fs from 'node:fs'
import { resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { running } from '../process/current.ts'
import type { Internals } from '../library/internals.ts'

/** Functions of real bindings, and methods of their classes, that act on the real machine. */
const DOORS: Readonly<Record<string, readonly string[]>> = {
  tcp_wrap: ['TCP.bind', 'TCP.bind6', 'TCP.listen', 'TCP.connect', 'TCP.connect6', 'TCP.open'],
  pipe_wrap: ['Pipe.bind', 'Pipe.listen', 'Pipe.connect'],
  udp_wrap: ['UDP.bind', 'UDP.bind6', 'UDP.connect', 'UDP.connect6', 'UDP.send', 'UDP.send6'],
  process_wrap: ['Process.spawn'],
  spawn_sync: ['spawn'],
  cares_wrap: [
    'getaddrinfo',
    'getnameinfo',
    'ChannelWrap.queryA',
    'ChannelWrap.queryAaaa',
    'ChannelWrap.queryAny',
  ],
  worker: ['Worker.startThread'],
  fs_event_wrap: ['FSEvent.start'],
  fs_dir: ['opendir', 'opendirSync'],
  signal_wrap: ['Signal.start'],
  timers: ['scheduleTimer'],
  fs: [
    'chmod',
    'chown',
    'copyFile',
    'cpSyncCopyDir',
    'cpSyncOverrideFile',
    'CpDirJob.run',
    'fchmod',
    'fchown',
    'ftruncate',
    'futimes',
    'lchown',
    'link',
    'lutimes',
    'mkdir',
    'mkdtemp',
    'open',
    'openFileHandle',
    'readdir',
    'readFileUtf8',
    'ReadFileJob.run',
    'readlink',
    'rename',
    'rmdir',
    'rmSync',
    'symlink',
    'unlink',
    'utimes',
    'writeFileUtf8',
    'WriteFileJob.run',
  ],
}

const { O_RDWR, O_WRONLY, O_CREAT, O_TRUNC } = fs.constants
const WRITING = O_RDWR | O_WRONLY | O_CREAT | O_TRUNC

/** Doors through which one may only look, each with whether a call does no more. */
const LOOKING: Readonly<Record<string, (args: readonly unknown[]) => boolean>> = {
  'fs.open': ([, flags]) => (Number(flags) & WRITING) === 0,
  'fs.openFileHandle': ([, flags]) => (Number(flags) & WRITING) === 0,
  'fs.readFileUtf8': ([, flags]) => (Number(flags) & WRITING) === 0,
  'fs.ReadFileJob.run': () => true, // its flags are the constructor's: no reader sets them
  'fs.readdir': () => true,
  'fs.readlink': () => true,
  'fs_dir.opendir': () => true,
  'fs_dir.opendirSync': () => true,
}

const PROJECT = process.cwd() + sep
const PACKAGE = `${sep}node_modules${sep}`

/** Whether a path is of the project that is tested, or of a package. */
function isOfProject(path: unknown): boolean {
  if (typeof path === 'number') return true // it was opened before
  if (typeof path !== 'string' && !Buffer.isBuffer(path)) return false
  const text = String(path)
  const full = text.startsWith('file:') ? fileURLToPath(text) : resolve(PROJECT, text)
  return `${full}${sep}`.startsWith(PROJECT) || full.includes(PACKAGE)
}

/** A simulated process reached through to the real machine. */
export class EscapeError extends Error {
  override readonly name = 'EscapeError'
  readonly code = 'ERR_WAVETANK_ESCAPE'
}

interface Door {
  readonly holder: any
  readonly member: string
  readonly real: unknown
  readonly trap: unknown
}

export class RealTraps {
  private readonly doors: Door[] = []

  constructor(internals: Internals) {
    for (const [name, members] of Object.entries(DOORS)) {
      const binding = internals.internalBinding(name)
      for (const path of members) {
        const [first, method] = path.split('.')
        const holder = method === undefined ? binding : binding[first]?.prototype
        const member = method ?? first
        // Not every version of Node has every door.
        const descriptor = holder && Object.getOwnPropertyDescriptor(holder, member)
        if (descriptor?.writable !== true || typeof descriptor.value !== 'function') continue
        const real = descriptor.value as (...args: unknown[]) => unknown
        this.doors.push({ holder, member, real, trap: trapFor(`${name}.${path}`, real) })
      }
    }
  }

  set(): void {
    for (const { holder, member, trap } of this.doors) holder[member] = trap
  }

  remove(): void {
    for (const { holder, member, real } of this.doors) holder[member] = real
  }
}

function trapFor(name: string, real: (...args: unknown[]) => unknown): unknown {
  const looks = LOOKING[name] ?? (() => false)
  return function (this: unknown, ...args: unknown[]): unknown {
    // Between steps the host is free.
    const harmless = running === null || (looks(args) && isOfProject(args[0]))
    if (!harmless) {
      throw new EscapeError(
        `process ${running!.placement.name} reached ${name} of the real machine: code outside of the tank's loader did I/O`,
      )
    }
    return Reflect.apply(real, this, args)
  }
}
