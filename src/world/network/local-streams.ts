/**
 * Streams inside one host: unix sockets and pipes. They are the same endpoints over the host's loopback, which has no
 * faults. Connecting completes at once, as on Linux: what listens has a place (a socket's inode, or a name in the
 * abstract namespace), and that place says who listens there. Places are the caller's: the disk's business, not ours.
 */
import type { Actor } from '../../kernel/actor.ts'
import type { SocketAddress } from './addresses.ts'
import { LinkChoices } from './link.ts'
import type { Packet } from './packet.ts'
import type { NetworkStack } from './stack.ts'
import { TcpEndpoint, type Done, type ErrorCode } from './tcp-endpoint.ts'
import { TcpFlow } from './tcp-flow.ts'
import { TcpListener } from './tcp-listener.ts'

/** Where a unix socket listens. */
export interface SocketPlace {
  listener: unknown
}

/** Unix sockets have paths where others have addresses. */
function named(path: string): SocketAddress {
  return { address: path, family: 4, port: 0 }
}

/** Two connected endpoints on one host: the two ends of a pipe, of a child's stdio, of an IPC channel. */
export function pipePair(
  stack: NetworkStack,
  a: Actor,
  b: Actor,
  path: string = '',
): readonly [TcpEndpoint, TcpEndpoint] {
  const { kernel, loopback, host } = stack
  const first = new TcpEndpoint(stack, a, named(''), named(path))
  const second = new TcpEndpoint(stack, b, named(path), named(''))
  const { powerCycles } = host
  const choices = new LinkChoices(kernel.choices, `local ${host.name}`)
  const flow = (source: TcpEndpoint, target: TcpEndpoint, back: () => TcpFlow): TcpFlow =>
    new TcpFlow(
      kernel,
      loopback,
      loopback,
      choices,
      {
        sourceActor: host.actor,
        targetActor: host.actor,
        sourceRemembers: () => host.up && host.powerCycles === powerCycles,
        targetUp: () => host.up,
        receive: (packet: Packet) => target.receive(packet),
        roomFreed: () => source.roomFreed(),
        gaveUp: () => source.break('ETIMEDOUT'),
        refuse: () => back().reset(),
        resetLost: () => target.doubt(),
      },
      stack.options.receiveBufferBytes,
    )
  const forward: TcpFlow = flow(first, second, () => backward)
  const backward: TcpFlow = flow(second, first, () => forward)
  first.attach(forward, backward)
  second.attach(backward, forward)
  first.connection = stack.network.takeConnection()
  second.connection = first.connection
  second.accepted = true
  first.makeLocal(second)
  second.makeLocal(first)
  for (const endpoint of [first, second]) {
    stack.own(endpoint.actor, endpoint)
    endpoint.establish()
  }
  return [first, second]
}

export function listenUnix(
  stack: NetworkStack,
  actor: Actor,
  {
    place,
    path,
    backlog = 511,
  }: { readonly place: SocketPlace; readonly path: string; readonly backlog?: number },
): TcpListener | ErrorCode {
  if (place.listener !== null) return 'EADDRINUSE'
  const listener = new TcpListener(stack.kernel, actor, named(path), backlog, (closed) => {
    stack.disown(closed.actor, closed)
    place.listener = null
  })
  place.listener = listener
  stack.own(actor, listener)
  return listener
}

/** Connects to who listens at a place; it must be there and have room at once. */
export function connectUnix(
  stack: NetworkStack,
  actor: Actor,
  { place, path }: { readonly place: SocketPlace; readonly path: string },
  done: Done,
): TcpEndpoint | ErrorCode {
  const { listener } = place
  if (!(listener instanceof TcpListener) || listener.closed) return 'ECONNREFUSED'
  if (listener.full) return 'EAGAIN'
  const [client, server] = pipePair(stack, actor, listener.actor, path)
  const { kernel, host, loopback } = stack
  kernel.schedule(host.actor, 'accept', loopback.minimumLatencyUs, () => {
    if (listener.closed) server.reset()
    else listener.enqueue(server)
  })
  kernel.schedule(host.actor, 'connected', 0, () => {
    kernel.deliver(actor, () => {
      if (client.state !== 'closed') done(null)
    })
  })
  return client
}
