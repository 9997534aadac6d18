/**
 * Traps at the real bindings. During a burst nothing may reach the real clock, network, disk or threads behind our back:
 * a call that would do so is an error with a stack, naming the member. The doors are those through which the host's own
 * instances of Node's library (shared modules, a host package that escaped) would go out.
 */
import fs from 'node:fs'
import { running } from './current.ts'
import type { Internals } from './internals.ts'

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
  signal_wrap: ['Signal.start'],
  timers: ['scheduleTimer'],
  fs: [
    'chmod',
    'chown',
    'copyFile',
    'fchmod',
    'fchown',
    'ftruncate',
    'futimes',
    'link',
    'mkdir',
    'mkdtemp',
    'open',
    'openFileHandle',
    'rename',
    'rmdir',
    'rmSync',
    'symlink',
    'unlink',
    'utimes',
    'writeFileUtf8',
  ],
}

const { O_RDWR, O_WRONLY, O_CREAT, O_TRUNC } = fs.constants
const WRITING = O_RDWR | O_WRONLY | O_CREAT | O_TRUNC

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
        const holder = method === undefined ? binding : binding[first].prototype
        const member = method ?? first
        const descriptor = Object.getOwnPropertyDescriptor(holder, member)
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
  const opens = name === 'fs.open' || name === 'fs.openFileHandle'
  return function (this: unknown, ...args: unknown[]): unknown {
    // Files are opened for reading by the disk image; between steps the host is free.
    const harmless = running === null || (opens && (Number(args[1]) & WRITING) === 0)
    if (!harmless) {
      throw new EscapeError(
        `process ${running!.site.name} reached ${name} of the real machine: code outside of the tank's loader did I/O`,
      )
    }
    return Reflect.apply(real, this, args)
  }
}
