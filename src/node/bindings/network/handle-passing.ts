/**
 * Handles that travel with messages of an IPC channel. A stream's socket itself moves: once the receiver has it, it
 * belongs to the receiver's process, and closing the sender's handle no longer closes it. Datagram sockets and those that
 * are only bound are shared: both have a descriptor.
 */
import type { RunningProcess } from '../../process/running-process.ts'
import { TcpListener } from '../../../world/network/tcp-listener.ts'
import { takeInternals } from '../../library/internals.ts'
import type { SharedListening } from './shared-listening.ts'
import { TCP } from './tcp-wrap.ts'
import { Pipe } from './pipe-wrap.ts'
import type { UdpSocket } from '../../../world/network/udp.ts'
import { UDP } from './udp-wrap.ts'

export type Passed =
  | { readonly handle: TCP | Pipe }
  | { readonly datagrams: UdpSocket }
  | { readonly shared: SharedListening }
  | { readonly bindError: string }

export function sendHandle(handle: unknown): Passed | undefined {
  if (handle instanceof UDP) {
    const datagrams = handle.duplicate()
    return datagrams === null ? undefined : { datagrams }
  }
  if (handle instanceof TCP && handle.bindError !== null) return { bindError: handle.bindError }
  const shared = handle instanceof TCP ? handle.share() : null
  if (shared !== null) return { shared }
  return handle instanceof TCP || handle instanceof Pipe ? { handle } : undefined
}

export function receiveHandle(process: RunningProcess, passed: Passed): unknown {
  if ('datagrams' in passed) {
    process.placement.host.net.transfer(passed.datagrams, process.actor)
    const received = new UDP()
    received.adopt(passed.datagrams)
    return received
  }
  if ('shared' in passed || 'bindError' in passed) {
    const received = new TCP(takeInternals().internalBinding('tcp_wrap').constants.SERVER)
    if ('shared' in passed) received.adoptShared(passed.shared)
    else received.failLater(passed.bindError)
    return received
  }
  const { handle } = passed
  const { socket } = handle
  if (socket === null) return undefined
  const tcp = handle instanceof TCP
  const { constants } = takeInternals().internalBinding(tcp ? 'tcp_wrap' : 'pipe_wrap')
  handle.detachSocket()
  process.placement.host.net.transfer(socket, process.actor)
  const type = socket instanceof TcpListener ? constants.SERVER : constants.SOCKET
  const received = tcp ? new TCP(type) : new Pipe(type)
  if (socket instanceof TcpListener) received.adoptListener(socket)
  else received.adopt(socket)
  return received
}
