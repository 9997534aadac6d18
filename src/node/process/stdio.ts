/**
 * The descriptors a process is born with. Each is one end of a pipe to another process, or the world's own: output that
 * is captured, input that is empty. Sockets get numbers too, when a program asks for them.
 */
import type { OpenFile } from '../../world/disk/descriptors.ts'
import type { TcpEndpoint } from '../../world/network/tcp-endpoint.ts'
import type { RunningProcess } from './running-process.ts'

/** The lower side of a stream handle, such as a connection of the simulated network. */
export type StreamEndpoint = Pick<
  TcpEndpoint,
  | 'ondata'
  | 'onend'
  | 'onerror'
  | 'writeQueueSize'
  | 'state'
  | 'write'
  | 'readStart'
  | 'readStop'
  | 'shutdown'
  | 'close'
  | 'reset'
> &
  Partial<Pick<TcpEndpoint, 'makeOpaque'>>

export type Stdio =
  | { readonly type: 'pipe'; readonly endpoint: StreamEndpoint; readonly ipc?: boolean }
  /** A file that the parent had open. */
  | { readonly type: 'file'; readonly file: OpenFile }
  /** Captured: what is written leaves the simulation. */
  | { readonly type: 'output'; readonly fd: 1 | 2 }
  /** Like `/dev/null`. */
  | { readonly type: 'ignore' }

/** Output that is captured, as a stream: writing always succeeds at once, reading ends at once. */
export class CapturedOutput implements StreamEndpoint {
  ondata: TcpEndpoint['ondata'] = () => {}
  onend: () => void = () => {}
  onerror: (error: string) => void = () => {}
  readonly writeQueueSize = 0
  state: TcpEndpoint['state'] = 'established'
  private readonly process: RunningProcess
  private readonly fd: 1 | 2

  constructor(process: RunningProcess, fd: 1 | 2) {
    this.process = process
    this.fd = fd
  }

  write(chunks: readonly Uint8Array[]): true {
    for (const chunk of chunks) this.process.placement.output(this.fd, chunk.slice())
    return true
  }

  readStart(): void {
    this.process.loop.receive(() => this.onend())
  }

  readStop(): void {}

  shutdown(): true {
    return true
  }

  close(): void {
    this.state = 'closed'
  }

  reset(): void {
    this.state = 'closed'
  }
}

/** The first number given to a socket: files count from 3. */
const FIRST_SOCKET_FD = 64

/** The kind of a socket's descriptor, in the words of `uv_guess_handle`. */
export type SocketKind = 'TCP' | 'UDP' | 'PIPE'

interface NumberedSocket {
  readonly fd: number
  readonly kind: SocketKind
}

/** The numbers of a process's sockets. A bound socket that starts to listen or to connect keeps its number. */
export class Descriptors {
  private readonly sockets = new Map<object, NumberedSocket>()
  private next = FIRST_SOCKET_FD

  /** The number of a socket, given when it is first asked for. */
  of(socket: object, kind: SocketKind): number {
    let numbered = this.sockets.get(socket)
    if (numbered === undefined) this.sockets.set(socket, (numbered = { fd: this.next++, kind }))
    return numbered.fd
  }

  /** A socket has become another object. */
  become(from: object, to: object): void {
    const numbered = this.sockets.get(from)
    if (numbered === undefined) return
    this.sockets.delete(from)
    this.sockets.set(to, numbered)
  }

  close(socket: object): void {
    this.sockets.delete(socket)
  }

  /** The socket that has a number, if it is of that kind. */
  socket(fd: number, kind: SocketKind): object | null {
    for (const [socket, numbered] of this.sockets)
      if (numbered.fd === fd && numbered.kind === kind) return socket
    return null
  }

  kind(fd: number): SocketKind | null {
    for (const numbered of this.sockets.values()) if (numbered.fd === fd) return numbered.kind
    return null
  }
}
