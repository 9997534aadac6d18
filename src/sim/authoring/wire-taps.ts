/**
 * Wire taps: what processes send each other, published for invariants as `wire` events. A tap names a port, or the path
 * of a unix socket, and says how the bytes of one direction of one connection are split into messages; every connection
 * has decoders of its own. A tap sees what a process hands to its host: before segments, losses and retransmissions.
 *
 * Encrypted bytes are not shown: they differ from run to run. A simulation without taps pays nothing.
 */
import { Buffer } from 'node:buffer'
import { StringDecoder } from 'node:string_decoder'
import type { Network, TappedBytes } from '../../world/network/network.ts'
import { parseAddress, isLoopback } from '../../world/network/addresses.ts'
import { LineSplitter } from './line-splitter.ts'

/** Splits one direction of one connection into messages: called with bytes as they come, returns what is whole. */
export type MessageDecoder = (bytes: Uint8Array) => Iterable<unknown>

export interface WireTap {
  /** The port that a server listens on. This or `path`. */
  readonly port?: number
  /** The path of the unix socket that a server listens on. */
  readonly path?: string
  /** TCP and UDP unless one is named. */
  readonly protocol?: 'tcp' | 'udp'
  /**
   * How bytes become messages: `bytes` as they are written (default), `text` likewise, `lines`, `json` (one value per
   * line), or a function that makes a decoder for one direction of one connection. Each datagram is decoded by itself.
   */
  readonly decode?: 'bytes' | 'text' | 'lines' | 'json' | (() => MessageDecoder)
}

/** What a `wire` event carries. */
export interface WireEvent {
  /** The name of the tap. */
  readonly tap: string
  readonly protocol: 'tcp' | 'udp' | 'local'
  /** The hosts at both ends. */
  readonly from: string
  readonly to: string
  /** Towards the tapped port or path, or back from it. */
  readonly direction: 'request' | 'reply'
  /** The same for both directions of a connection, never used again; 0 for datagrams. */
  readonly connection: number
  readonly message: unknown
}

/** What one direction of a connection has sent so far. */
interface Stream {
  readonly decode: MessageDecoder
  readonly facts: Omit<WireEvent, 'message'>
}

export interface TapEvents {
  readonly publish: (event: WireEvent) => void
  /** A decoder threw. */
  readonly broken: (tap: string, error: unknown) => void
}

/** Attaches the taps of a simulation to its network. */
export function tapNetwork(
  network: Network,
  taps: Readonly<Record<string, WireTap>>,
  events: TapEvents,
): void {
  for (const [name, tap] of Object.entries(taps))
    network.tap(tapListener(name, tap, events, (sent) => hostAt(network, sent)))
}

/** What a tap does with bytes that a process sent; `hostAt` names the host at the other end. */
export function tapListener(
  name: string,
  tap: WireTap,
  events: TapEvents,
  hostAt: (sent: TappedBytes) => string,
): (sent: TappedBytes) => void {
  const streams = new Map<number, Stream>()
  return (sent) => {
    const direction = directionOf(tap, sent)
    if (direction === null) return
    const key = sent.connection * 2 + (sent.accepted ? 1 : 0)
    let stream = sent.connection === 0 ? undefined : streams.get(key)
    if (stream === undefined) {
      const { protocol, host: from, connection } = sent
      const to = hostAt(sent)
      stream = { decode: decoderOf(tap), facts: { tap: name, protocol, from, to, direction, connection } }
      if (connection !== 0) streams.set(key, stream)
    }
    try {
      for (const message of stream.decode(sent.bytes)) events.publish({ ...stream.facts, message })
    } catch (error) {
      events.broken(name, error)
    }
  }
}

/** Null where the tap is about something else. Of a connection, the end that accepted it replies. */
function directionOf(tap: WireTap, sent: TappedBytes): WireEvent['direction'] | null {
  const { protocol, local, remote, accepted } = sent
  const isLocal = protocol === 'local'
  if ((tap.path !== undefined) !== isLocal) return null
  if (!isLocal && tap.protocol !== undefined && tap.protocol !== protocol) return null
  if (isLocal || protocol === 'tcp') {
    const server = accepted ? local : remote
    const matches = isLocal ? server.address === tap.path : server.port === tap.port
    return matches ? (accepted ? 'reply' : 'request') : null
  }
  if (remote.port === tap.port) return 'request'
  return local.port === tap.port ? 'reply' : null
}

function hostAt(network: Network, { protocol, host, remote }: TappedBytes): string {
  if (protocol === 'local') return host
  const address = parseAddress(remote.address)?.address ?? remote.address
  return isLoopback(address) ? host : (network.stackAt(address)?.host.name ?? address)
}

function decoderOf({ decode = 'bytes' }: WireTap): MessageDecoder {
  switch (decode) {
    case 'bytes':
      return (bytes) => [Buffer.from(bytes)] // the sender may write into its buffer again
    case 'text': {
      const decoder = new StringDecoder('utf8')
      return (bytes) => [decoder.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))]
    }
    case 'lines':
      return lineDecoder()
    case 'json': {
      const lines = lineDecoder()
      return (bytes) => lines(bytes).map((line) => JSON.parse(line) as unknown)
    }
    default:
      return decode()
  }
}

function lineDecoder(): (bytes: Uint8Array) => string[] {
  let lines: string[] = []
  const splitter = new LineSplitter((line) => lines.push(line))
  return (bytes) => {
    lines = []
    splitter.write(bytes)
    return lines
  }
}
