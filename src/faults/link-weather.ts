/**
 * What links do: as users write it, with fractions, and as the world counts it, in parts per million.
 *
 * Several faults may hold on one link at a time. {@link changeLinks} keeps what each of them changed, and sets the link to
 * its own configuration plus all changes in force, whichever of them ends first.
 */
import type { Distribution } from '../kernel/distribution.ts'
import type { Link, LinkConfig } from '../world/network/link.ts'
import type { ImposedRule, Network } from '../world/network/network.ts'
import { ppmOf } from './levels.ts'

/** How long something takes, in virtual microseconds. */
export type Latency = Exclude<Distribution, { readonly kind: 'bimodal' }>

/** What all links of a level do all the time. Probabilities are fractions of packets, 0 to 1. */
export interface LinkWeather {
  readonly latency?: Latency
  /** Added to the latency of every packet. */
  readonly extraLatencyUs?: number
  /** 0 is without limit. */
  readonly bandwidthBytesPerS?: number
  readonly loss?: number
  /** UDP only: the packet arrives twice. */
  readonly duplicate?: number
  /** UDP only: an earlier datagram of the same pair of hosts arrives again. */
  readonly replay?: number
  /** The packet is held back by a delay drawn from `reorderDelay`, so that later packets overtake it. */
  readonly reorder?: number
  readonly reorderDelay?: Latency
  /** One bit of the packet is flipped, and no checksum notices. */
  readonly corrupt?: number
  /** TCP only: what was sent in one piece is received in two. */
  readonly split?: number
}

/** The configuration of a link in the world. */
export function linkConfigOf(weather: LinkWeather): Partial<LinkConfig> {
  const { loss, duplicate, replay, reorder, corrupt, split, ...rest } = weather
  const rates = {
    lossPpm: loss,
    duplicatePpm: duplicate,
    replayPpm: replay,
    reorderPpm: reorder,
    corruptPpm: corrupt,
    splitPpm: split,
  }
  const given = Object.entries(rates).flatMap(([name, chance]) =>
    chance === undefined ? [] : [[name, ppmOf(chance)]],
  )
  return { ...rest, ...Object.fromEntries(given) }
}

const changes = new WeakMap<Link, Partial<LinkConfig>[]>()

/** Puts a change in force on the links between some hosts. */
export function changeLinks(
  network: Network,
  hosts: ReadonlySet<string>,
  change: Partial<LinkConfig>,
): ImposedRule {
  const between = (from: string, to: string): boolean => hosts.has(from) && hosts.has(to)
  return changeMatching(network, between, () => change)
}

/** Puts a change in force on the links that match; each may get one of its own. */
export function changeMatching(
  network: Network,
  matches: (from: string, to: string) => boolean,
  changeOf: (link: Link) => Partial<LinkConfig>,
): ImposedRule {
  const undo = new Map<Link, () => void>()
  return network.impose({
    matches: (from, to) => from !== to && matches(from, to),
    begin: (link) => void undo.set(link, changeLink(link, changeOf(link))),
    end: (link) => undo.get(link)!(),
  })
}

/** Puts a change in force; the function returned takes it back. */
function changeLink(link: Link, change: Partial<LinkConfig>): () => void {
  let inForce = changes.get(link)
  if (inForce === undefined) changes.set(link, (inForce = []))
  inForce.push(change)
  apply(link, inForce)
  return () => {
    inForce.splice(inForce.indexOf(change), 1)
    apply(link, inForce)
  }
}

function apply(link: Link, inForce: readonly Partial<LinkConfig>[]): void {
  link.restore()
  for (const change of inForce) link.configure(change)
}
