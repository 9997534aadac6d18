/**
 * The network between nodes, as faults see it: directed links with weather and counters, wherever the weather is made.
 * The local backend makes it in its proxy, the others by packet filters on the nodes' machines.
 */
import type { Link, LinkCounts, LinkWeather } from '../proxy/link.ts'

/** How evidence speaks of a network. */
export interface NetworkWords {
  /** Where weather is made: `in the proxy`. */
  readonly where: string
  /** What `held` counts. */
  readonly held: string
}

export interface Network {
  readonly words: NetworkWords
  link(from: string, to: string): Link
  change(links: Iterable<Link>, weather: Partial<LinkWeather>): void
  /** The sum of the counters of some links. */
  counts(links: Iterable<Link>): LinkCounts
  /** All links are clear again. */
  heal(): void
  /** A node listens on a port. */
  open(node: string, port: number, protocol: 'tcp' | 'udp'): Promise<void>
  /** A node has ended. */
  close(node: string): void
  end(): void
}
