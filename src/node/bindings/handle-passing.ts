/**
 * Handles that travel with messages of an IPC channel. The socket itself moves: once the receiver has it, it belongs to
 * the receiver's process, and closing the sender's handle no longer closes it.
 */
import type { NodeProcess } from '../process.ts'
import { TcpListener } from '../../world/network/tcp-listener.ts'
import { takeInternals } from '../internals.ts'
import { TCP } from './tcp-wrap.ts'
import { Pipe } from './pipe-wrap.ts'

export interface Passed {
  readonly handle: TCP | Pipe
}

export function sendHandle(handle: unknown): Passed | undefined {
  return handle instanceof TCP || handle instanceof Pipe ? { handle } : undefined
}

export function receiveHandle(process: NodeProcess, { handle }: Passed): unknown {
  const { socket } = handle
  if (socket === null) return undefined
  const tcp = handle instanceof TCP
  const { constants } = takeInternals().internalBinding(tcp ? 'tcp_wrap' : 'pipe_wrap')
  handle.detachSocket()
  process.site.host.net.transfer(socket, process.actor)
  const type = socket instanceof TcpListener ? constants.SERVER : constants.SOCKET
  const received = tcp ? new TCP(type) : new Pipe(type)
  if (socket instanceof TcpListener) received.adoptListener(socket)
  else received.adopt(socket)
  return received
}
