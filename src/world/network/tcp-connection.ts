/**
 * A TCP connection: two flows and the three-way handshake between them. SYN and SYN-ACK are one event each, and so is
 * the last ACK, after which the server's process learns of the connection: a client may believe it is connected before
 * the server knows, and a server may never know.
 */
import { LinkChoices } from './link.ts'
import type { SocketAddress } from './addresses.ts'
import type { Packet } from './packet.ts'
import type { NetworkStack } from './stack.ts'
import type { TcpEndpoint } from './tcp-endpoint.ts'
import type { Reception } from './reassembly.ts'
import { TcpFlow } from './tcp-flow.ts'
import type { TcpListener } from './tcp-listener.ts'

export interface ConnectionRequest {
  readonly client: NetworkStack
  /** Null where no host has the address. */
  readonly server: NetworkStack | null
  readonly endpoint: TcpEndpoint
  readonly from: SocketAddress
  readonly to: SocketAddress
}

export function openConnection({ client, server, endpoint, from, to }: ConnectionRequest): void {
  const { kernel } = client
  const there = server ?? client
  const local = there === client
  const link = local ? client.loopback : client.network.link(client.host.name, there.host.name)
  const back = local ? client.loopback : client.network.link(there.host.name, client.host.name)
  const name = `tcp ${client.host.name}→${there.host.name} #${link.nextConnection()}`

  const remembers = ({ host }: NetworkStack, powerCycles: number): boolean =>
    host.up && host.powerCycles === powerCycles
  const clientCycles = client.host.powerCycles
  let serverCycles = there.host.powerCycles
  endpoint.connection = client.network.takeConnection()
  let accepted: TcpEndpoint | null = null
  let listener: TcpListener | undefined

  const atServer = (packet: Packet): Reception => {
    if (packet.kind === 'syn') {
      serverCycles = there.host.powerCycles
      const turnedAway = local ? null : there.turnsAway()
      if (turnedAway !== null) return turnedAway
      listener = there.listenerAt(to, from.port)
      if (listener === undefined) return 'refused'
      if (listener.full) {
        there.evidence.report('backlog-full', { host: there.host.name })
        return 'dropped'
      }
      accepted = there.acceptedEndpoint(listener, to, from)
      accepted.attach(backward, forward)
      accepted.connection = endpoint.connection
      accepted.accepted = true
      backward.sendControl('syn-ack')
      return 'taken'
    }
    if (accepted === null || !remembers(there, serverCycles)) return 'refused'
    if (packet.kind !== 'ack') return accepted.receive(packet)
    if (listener === undefined || listener.closed || accepted.state !== 'connecting') return 'refused'
    if (listener.full) return 'dropped' // the client believes it is connected, the server does not yet know
    accepted.establish()
    listener.enqueue(accepted)
    return 'taken'
  }

  const atClient = (packet: Packet): Reception => {
    if (!remembers(client, clientCycles)) return 'refused'
    if (packet.kind !== 'syn-ack') return endpoint.receive(packet)
    if (endpoint.state !== 'connecting') return 'refused'
    forward.sendControl('ack')
    endpoint.establish()
    return 'taken'
  }

  const forward: TcpFlow = new TcpFlow(
    kernel,
    link,
    back,
    new LinkChoices(kernel.choices, `${name} out`),
    {
      sourceActor: client.host.actor,
      targetActor: there.host.actor,
      sourceRemembers: () => remembers(client, clientCycles),
      targetUp: () => there.host.up,
      receive: atServer,
      roomFreed: () => endpoint.roomFreed(),
      gaveUp: () => endpoint.break('ETIMEDOUT'),
      refuse: () => backward.reset(),
      resetLost: () => accepted?.doubt(),
    },
    there.options.receiveBufferBytes,
  )
  const backward: TcpFlow = new TcpFlow(
    kernel,
    back,
    link,
    new LinkChoices(kernel.choices, `${name} back`),
    {
      sourceActor: there.host.actor,
      targetActor: client.host.actor,
      sourceRemembers: () => remembers(there, serverCycles),
      targetUp: () => client.host.up,
      receive: atClient,
      roomFreed: () => accepted?.roomFreed(),
      gaveUp: () => accepted?.break('ETIMEDOUT'),
      refuse: () => forward.reset(),
      resetLost: () => endpoint.doubt(),
    },
    client.options.receiveBufferBytes,
  )
  endpoint.attach(forward, backward)
  if (server !== null) forward.sendControl('syn')
}
