/**
 * `pipe_wrap`: unix sockets, stdio pipes and IPC channels, all inside one host. A socket's path is a name on the host's
 * disk; a handle may travel with a message over an IPC channel.
 */
import { Buffer } from 'node:buffer'
import { TcpEndpoint } from '../../world/network/tcp-endpoint.ts'
import { TcpListener } from '../../world/network/tcp-listener.ts'
import type { SocketPlace } from '../../world/network/local-streams.ts'
import { DiskFailure } from '../../world/disk/errno.ts'
import { SocketInode } from '../../world/disk/inode.ts'
import { chmod } from '../../world/disk/attributes.ts'
import { bindSocket, unlink } from '../../world/disk/names.ts'
import { find } from '../../world/disk/path-walk.ts'
import { current } from '../current.ts'
import { requestClass, type Request } from '../handle.ts'
import { takeInternals, type Binding } from '../internals.ts'
import type { NodeProcess } from '../process.ts'
import { CapturedOutput } from '../stdio.ts'
import { closed, uvCode } from './binding.ts'
import { filesOf } from './fs-view.ts'
import { receiveHandle, sendHandle, type Passed } from './handle-passing.ts'
import { StreamHandle, type StreamRequest, type WriteResult } from './stream-wrap.ts'

const { constants } = takeInternals().internalBinding('pipe_wrap')

/** Since Node 24 a path that an address has no room for is refused; before, the rest of it was ignored on a real disk. */
const PATH_LIMIT_BYTES = Number(process.versions.node.split('.')[0]) < 24 ? Infinity : 108

/** The right that connecting to a socket's file needs. */
const WRITE = 2

interface ConnectRequest extends Request {
  oncomplete?: (status: number, handle: Pipe, request: Request, readable: boolean, writable: boolean) => void
}

export class Pipe extends StreamHandle {
  onconnection: ((status: number, client?: Pipe) => void) | null = null
  /** A handle that came with the message that is being read. */
  pendingHandle: unknown = null
  private readonly ipc: boolean
  private place: SocketPlace | null = null
  private path = ''
  private connecting: ConnectRequest | null = null
  /** Its number, once somebody has asked. */
  private descriptor: number | null = null
  private listener: TcpListener | null = null

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
      this.place = process.site.host.net.abstractPlace(path)
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
    const { host, actor } = current().site
    if (this.place === null) return uvCode('EINVAL')
    const listener = host.net.listenUnix(actor, { place: this.place, path: this.path, backlog })
    if (typeof listener === 'string') return uvCode(listener)
    this.process.descriptors.become(this.place, listener)
    this.adoptListener(listener)
    return 0
  }

  adoptListener(listener: TcpListener): void {
    this.listener = listener
    this.active = true
    listener.onconnection = (endpoint) => {
      const client = this.triggering(() => new Pipe(constants.SOCKET))
      client.adopt(endpoint)
      this.callback('onconnection', 0, client)
    }
  }

  adopt(endpoint: TcpEndpoint): void {
    this.attach(endpoint)
  }

  connect(request: ConnectRequest, path: string): number | undefined {
    const process = current()
    const { host, actor } = process.site
    if (Buffer.byteLength(path) > PATH_LIMIT_BYTES) return uvCode('EINVAL')
    const done = (code: string | null): void => this.connected(code)
    // libuv reports every other failure of a connect by a callback.
    this.connecting = request
    process.loop.requestStarted()
    const place = placeOf(process, path)
    const endpoint = typeof place === 'string' ? place : host.net.connectUnix(actor, { place, path }, done)
    if (typeof endpoint === 'string') process.loop.receive(() => done(endpoint))
    else {
      if (this.place !== null) process.descriptors.become(this.place, endpoint)
      this.attach(endpoint)
    }
    return 0
  }

  private connected(code: string | null): void {
    const request = this.connecting
    if (request === null) return
    this.connecting = null
    this.process.loop.requestEnded()
    const status = code === null ? 0 : uvCode(code)
    this.process.finish(request, status, this, request, code === null, code === null)
  }

  /** Takes over a descriptor that another handle of the process has, or that the process was born with. */
  open(fd: number): number {
    const process = current()
    const socket = process.descriptors.socket(fd, 'PIPE')
    if (process.isWatched(fd)) return uvCode('EEXIST')
    if (socket instanceof TcpListener) this.adoptListener(socket)
    else if (socket instanceof TcpEndpoint) this.adopt(socket)
    else if (socket !== null) {
      this.place = socket as SocketPlace
      this.readsWhenConnected = true
    }
    if (socket !== null) return 0
    const stdio = process.stdio[fd]
    if (stdio?.type === 'pipe') this.attach(stdio.endpoint)
    else if (stdio?.type === 'output') this.attach(new CapturedOutput(process, stdio.fd))
    else if (stdio?.type === 'ignore') this.attach(new CapturedOutput(process, 1))
    else return uvCode('EBADF')
    return 0
  }

  /** `uv_pipe_chmod`: lets everybody read or write the socket's file, besides whom its mode lets already. */
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

  get socket(): TcpEndpoint | TcpListener | null {
    return (this.endpoint as TcpEndpoint | null) ?? this.listener
  }

  detachSocket(): void {
    this.endpoint = null
    this.listener = null
  }

  protected override release(): void {
    for (const socket of [this.endpoint, this.listener, this.place])
      if (socket !== null) this.process.descriptors.close(socket)
    super.release()
    if (this.connecting !== null && this.process.zombie === null)
      this.process.loop.close(() => this.connected('ECANCELED'))
    this.listener?.close()
    if (this.place !== null && this.listener !== null && !this.path.startsWith('\0'))
      removeSocket(this.process, this.path)
  }
}

/** libuv removes the socket of a server that it closes. */
function removeSocket(process: NodeProcess, path: string): void {
  if (process.zombie !== null) return
  try {
    unlink(filesOf(process), path)
  } catch (error) {
    if (!(error instanceof DiskFailure)) throw error
  }
}

/** Where a path's socket listens; a string is the error. */
function placeOf(process: NodeProcess, path: string): SocketPlace | string {
  if (path.startsWith('\0')) {
    const place = process.site.host.net.abstractPlace(path)
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
  // libuv tells of a missing directory as of one it may not write to.
  return uvCode(error.code === 'ENOENT' ? 'EACCES' : error.code)
}

export function pipeWrap(): Binding {
  return closed('pipe_wrap', {
    Pipe,
    PipeConnectWrap: requestClass('PipeConnectWrap', 'PIPECONNECTWRAP'),
    constants,
  })
}
