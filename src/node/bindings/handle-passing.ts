/**
 * Handles that travel with messages of an IPC channel. A stream's socket itself moves: once the receiver has it, it
 * belongs to the receiver's process, and closing the sender's handle no longer closes it. A datagram socket is shared:
 * both have a descriptor of it.
 */
import type { NodeProcess } from '../process.ts'
import { TcpListener } from '../../world/network/tcp-listener.ts'
import { takeInternals } from '../internals.ts'
import { TCP } from './tcp-wrap.ts'
import { Pipe } from './pipe-wrap.ts'
import type { UdpSocket } from '../../world/network/udp.ts'
import { UDP } from './udp-wrap.ts'

export type Passed = { readonly handle: TCP | Pipe } | { readonly datagrams: UdpSocket }

export function sendHandle(handle: unknown): Passed | undefined {
  if (handle instanceof UDP) {
    const datagrams = handle.duplicate()
    return datagrams === null ? undefined : { datagrams }
  }
  return handle instanceof TCP || handle instanceof Pipe ? { handle } : undefined
}

export function receiveHandle(process: NodeProcess, passed: Passed): unknown {
  if ('datagrams' in passed) {
    process.site.host.net.transfer(passed.datagrams, process.actor)
    const received = new UDP()
    received.adopt(passed.datagrams)
    return received
  }
  const { handle } = passed
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
