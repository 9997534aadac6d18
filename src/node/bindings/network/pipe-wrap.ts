/**
 * `pipe_wrap`: unix sockets, stdio pipes and IPC channels, all inside one host. A socket's path is a name on the host's
 * disk; a handle may travel with a message over an IPC channel.
 */
import { Buffer } from 'node:buffer'
import type { SocketPlace } from '../../../world/network/local-streams.ts'
import { DiskFailure } from '../../../world/disk/errno.ts'
import { SocketInode } from '../../../world/disk/inode.ts'
import { chmod } from '../../../world/disk/attributes.ts'
import { bindSocket, unlink } from '../../../world/disk/names.ts'
import { find } from '../../../world/disk/path-walk.ts'
import { current } from '../../process/current.ts'
import { requestClass } from '../../process/handle.ts'
import { takeInternals, type Binding } from '../../library/internals.ts'
import type { RunningProcess } from '../../process/running-process.ts'
import { CapturedOutput } from '../../process/stdio.ts'
import { closed, uvCode } from '../binding.ts'
import { refusesLongSocketPaths } from '../versions.ts'
import { filesOf } from '../fs/view.ts'
import { receiveHandle, sendHandle, type Passed } from './handle-passing.ts'
import { SocketHandle, type ConnectRequest } from './socket-handle.ts'
import type { StreamRequest, WriteResult } from './stream-wrap.ts'

const { constants } = takeInternals().internalBinding('pipe_wrap')

/** Where a longer path is not refused, the simulated disk takes all of it; a real one would ignore the rest. */
const PATH_LIMIT_BYTES = refusesLongSocketPaths ? 108 : Infinity

/** The right that connecting to a socket's file needs. */
const WRITE = 2

export class Pipe extends SocketHandle {
  /** A handle that came with the message that is being read. */
  pendingHandle: unknown = null
  private readonly ipc: boolean
  private place: SocketPlace | null = null
  private path = ''
  /** Its number, once it was asked for. */
  private descriptor: number | null = null

  constructor(type: number) {
    super(type === constants.SERVER ? 'PIPESERVERWRAP' : 'PIPEWRAP')
    this.ipc = type === constants.IPC
  }

  get fd(): number {
    const socket = this.endpoint ?? this.listener ?? this.place
    if (socket === null) return -1
    return (this.descriptor ??= this.process.descriptors.of(socket, 'PIPE'))
  }

  bind(path: string): number {
    const process = current()
    if (this.place !== null || Buffer.byteLength(path) > PATH_LIMIT_BYTES) return uvCode('EINVAL')
    this.path = path
    if (path.startsWith('\0')) {
      this.place = process.placement.host.net.abstractPlace(path)
      return this.place.listener === null ? 0 : uvCode('EADDRINUSE')
    }
    try {
      this.place = bindSocket(filesOf(process), path)
      return 0
    } catch (error) {
      return socketError(error)
    }
  }

  listen(backlog: number): number {
    const { host, actor } = current().placement
    if (this.place === null) return uvCode('EINVAL')
    const listener = host.net.listenUnix(actor, { place: this.place, path: this.path, backlog })
    if (typeof listener === 'string') return uvCode(listener)
    this.process.descriptors.become(this.place, listener)
    this.adoptListener(listener)
    return 0
  }

  protected override newClient(): Pipe {
    return new Pipe(constants.SOCKET)
  }

  connect(request: ConnectRequest, path: string): number | undefined {
    const process = current()
    const { host, actor } = process.placement
    if (Buffer.byteLength(path) > PATH_LIMIT_BYTES) return uvCode('EINVAL')
    const done = (code: string | null): void => this.connected(code)
    // libuv reports every other failure of a connect by a callback.
    this.connectStarted(request)
    const place = placeOf(process, path)
    const endpoint = typeof place === 'string' ? place : host.net.connectUnix(actor, { place, path }, done)
    if (typeof endpoint === 'string') process.loop.receive(() => done(endpoint))
    else {
      if (this.place !== null) process.descriptors.become(this.place, endpoint)
      this.attach(endpoint)
    }
    return 0
  }

  /** Takes over a descriptor that another handle of the process has, or that the process was born with. */
  open(fd: number): number {
    const process = current()
    const socket = process.descriptors.socket(fd, 'PIPE')
    if (process.isWatched(fd)) return uvCode('EEXIST')
    if (this.adoptSocket(socket)) return 0
    if (socket !== null) {
      this.place = socket as SocketPlace
      this.readsWhenConnected = true
      return 0
    }
    const stdio = process.stdio[fd]
    if (stdio?.type === 'pipe') this.attach(stdio.endpoint)
    else if (stdio?.type === 'output') this.attach(new CapturedOutput(process, stdio.fd))
    else if (stdio?.type === 'ignore') this.attach(new CapturedOutput(process, 1))
    else return uvCode('EBADF')
    return 0
  }

  /** `uv_pipe_chmod`: lets all users read or write the socket's file, in addition to those whom its mode lets already. */
  fchmod(mode: number): number {
    if (this.place === null || this.path === '') return uvCode('EBADF')
    const view = filesOf(current())
    const added =
      ((mode & constants.UV_READABLE) === 0 ? 0 : 0o444) | ((mode & constants.UV_WRITABLE) === 0 ? 0 : 0o222)
    try {
      chmod(view, this.path, find(view, this.path, true).permissions | added)
      return 0
    } catch (error) {
      return socketError(error)
    }
  }

  /** Strings on an IPC channel may carry a handle. */
  override writeUtf8String(request: StreamRequest | null, text: string, handle?: unknown): WriteResult {
    return super.writeUtf8String(
      request,
      text,
      this.ipc && handle !== undefined ? sendHandle(handle) : undefined,
    )
  }

  override writeBuffer(request: StreamRequest | null, data: Uint8Array, handle?: unknown): WriteResult {
    return super.writeBuffer(request, data, this.ipc && handle !== undefined ? sendHandle(handle) : undefined)
  }

  protected override received(bytes: Uint8Array, attachment: unknown): void {
    if (attachment !== null) this.pendingHandle = receiveHandle(this.process, attachment as Passed)
    super.received(bytes, attachment)
  }

  protected override release(): void {
    this.closeDescriptors([this.endpoint, this.listener, this.place])
    super.release()
    this.cancelConnect()
    this.listener?.close()
    if (this.place !== null && this.listener !== null && !this.path.startsWith('\0'))
      removeSocket(this.process, this.path)
  }
}

/** libuv removes the socket of a server that it closes. */
function removeSocket(process: RunningProcess, path: string): void {
  if (process.zombie !== null) return
  try {
    unlink(filesOf(process), path)
  } catch (error) {
    if (!(error instanceof DiskFailure)) throw error
  }
}

/** Where a path's socket listens; a string is the error. */
function placeOf(process: RunningProcess, path: string): SocketPlace | string {
  if (path.startsWith('\0')) {
    const place = process.placement.host.net.abstractPlace(path)
    return place.listener === null ? 'ECONNREFUSED' : place
  }
  try {
    const view = filesOf(process)
    const inode = find(view, path, true)
    if (!(inode instanceof SocketInode)) return 'ECONNREFUSED'
    view.requirePermission(inode, WRITE)
    return inode
  } catch (error) {
    if (error instanceof DiskFailure) return error.code
    throw error
  }
}

function socketError(error: unknown): number {
  if (!(error instanceof DiskFailure)) throw error
  if (error.code === 'EEXIST') return uvCode('EADDRINUSE')
  // libuv reports a missing directory as one it may not write to.
  return uvCode(error.code === 'ENOENT' ? 'EACCES' : error.code)
}

export function pipeWrap(): Binding {
  return closed('pipe_wrap', {
    Pipe,
    PipeConnectWrap: requestClass('PipeConnectWrap', 'PIPECONNECTWRAP'),
    constants,
  })
}
