/** How long a link holds what passes: a distribution in milliseconds, drawn per chunk or datagram. */

export type Delay =
  | { readonly kind: 'constant'; readonly ms: number }
  | { readonly kind: 'uniform'; readonly leastMs: number; readonly mostMs: number }
  | { readonly kind: 'exponential'; readonly meanMs: number }
  /** Nothing most of the time; `ms` with a probability of `share`. */
  | { readonly kind: 'spikes'; readonly ms: number; readonly share: number }

/** Draws one delay. `random` is uniform in 0 ≤ x < 1. */
export function drawDelayMs(delay: Delay, random: () => number): number {
  switch (delay.kind) {
    case 'constant':
      return delay.ms
    case 'uniform':
      return delay.leastMs + random() * (delay.mostMs - delay.leastMs)
    case 'exponential':
      return -Math.log(1 - random()) * delay.meanMs
    case 'spikes':
      return random() < delay.share ? delay.ms : 0
  }
}

/** The delay as people read it. */
export function delayText(delay: Delay): string {
  switch (delay.kind) {
    case 'constant':
      return `${delay.ms} ms`
    case 'uniform':
      return `${delay.leastMs} to ${delay.mostMs} ms`
    case 'exponential':
      return `${delay.meanMs} ms on average`
    case 'spikes':
      return `${delay.ms} ms for ${Math.round(delay.share * 100)} % of the chunks`
  }
}
